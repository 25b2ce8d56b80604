"""Tables as text: Markdown to read, and CSV to read back.

The Markdown is made for people, and for ``$GITHUB_STEP_SUMMARY``: long tables are folded, and no
run makes more of it than is shown there.
"""

from collections.abc import Sequence
from typing import Final

import pandas as pd

from specdec_reports.tables import (
    cost_frame,
    diagnosis_frame,
    efficiency_frame,
    law_frame,
    matrix_frame,
    naming_frame,
    numeric,
    prefix_frame,
    result_frame,
    shown,
    summary_frame,
    tree_frame,
    verdict_frame,
)
from specdec_verification.results import CheckResult, Naming, Run

LARGEST: Final = 1_000_000
"""Bytes of Markdown; GitHub shows no more than 1 MiB of it."""

LONG: Final = 50
"""Rows that a table may have without being folded."""

LEFT_OUT: Final = (
    "A table that would stand here is too long for this page: it is in `results.json`.\n"
)

EXAMPLE = ["claim", "verdict", "detail"]
TRIAL = ["subject", "claim", "verdict", "total_variation", "detail"]
NOT_PASSED = ["verdict", "check", "subject", "detail", "reproduce"]


def markdown(run: Run) -> str:
    """Return the correctness tables of a run as Markdown."""
    parts = [
        f"# specdec-verify: {run.verdict}\n",
        f"`{run.profile}`, version {run.version}. The joint law of {run.instances:,} "
        f"generated instances was found exactly. Error budget: {run.budget}.\n",
        _section("What did not pass", run.exceptions, NOT_PASSED),
        *_notes(run),
        *_laws(run),
        _section("The contract's examples", run.examples, EXAMPLE),
        *_prefixes(run),
        *_verdicts(run),
        *_efficiency(run),
        _section("The checks on trial", run.trials, TRIAL),
        *_detection(run),
        *_diagnoses(run),
        *_shapes(run),
    ]
    return "\n".join(_fitting(list(filter(None, parts))))


def csv(run: Run) -> str:
    """Return the summary of a run as CSV, one row for each check, subject, claim and shape."""
    text: str = summary_frame(run.summary).to_csv(index=False, lineterminator="\n")
    return text


def text(frame: pd.DataFrame) -> str:
    """Return a frame as aligned plain text."""
    return str(shown(frame).to_string(index=False))


def _notes(run: Run) -> list[str]:
    """Return what there is to say besides, code as code."""
    return [
        f"**{_in_one_cell(f'{note.subject}: {note.head}')}**\n\n{_said(note.text)}\n"
        for note in run.notes
    ]


def _said(text: str) -> str:
    return f"```python\n{text}\n```" if "\n" in text else _in_one_cell(text)


def _laws(run: Run) -> list[str]:
    """Return the laws that are looked at, each by prefix, and the draft trees by node."""
    parts = ["## The law, expected beside observed\n"] if run.laws else []
    for law in run.laws:
        left_out = f"; {law.left_out:,} prefixes left out" if law.left_out else ""
        head = _in_one_cell(f"{law.subject} on {law.instance}, {law.evidence}{left_out}")
        parts += [f"### {head}\n", _table(law_frame(law))]
    for tree in run.trees:
        head = _in_one_cell(f"The draft tree of {tree.subject} on {tree.instance}")
        parts += [f"### {head}\n", _table(tree_frame(tree))]
    return parts


def _verdicts(run: Run) -> list[str]:
    """Return the table of verdicts, if anything was checked."""
    if not run.summary:
        return []
    return ["## Instances that passed, by check\n", _table(verdict_frame(run.summary))]


def _shapes(run: Run) -> list[str]:
    """Return the table of shapes, if anything was checked."""
    if not run.summary:
        return []
    return ["## Checks by shape of instance\n", _table(summary_frame(run.summary))]


def _prefixes(run: Run) -> list[str]:
    """Return how often each prefix of the examples was counted, if it was."""
    return [_table(prefix_frame(run.prefix_counts))] if run.prefix_counts else []


def _efficiency(run: Run) -> list[str]:
    """Return the section on how much of the draft each rule keeps, if it was measured."""
    if not run.efficiencies:
        return []
    return [
        "## What each rule keeps of its draft\n",
        "On the toy model (Sun et al. 2024, Section 2) and as a mean over the same random "
        "instances for all rules. Acceptance is that of the first position; no lossless rule can "
        "exceed the optimum with the same draft. The figure is `acceptance.svg`.\n",
        _table(efficiency_frame(run.efficiencies)),
    ]


def _detection(run: Run) -> list[str]:
    """Return the section on which check sees which fault, if it was measured."""
    if not run.detection:
        return []
    return [
        "## Which check sees which planted fault\n",
        "Each fault on its witness, at its exact distance from the law claimed: what a check sees "
        "for certain, never (-), or with the probability given; empty where it was not asked. The "
        "power of a sampled check is computed from the exact law. The figure is `detection.svg`.\n",
        _table(matrix_frame(run.detection)),
        "### What the checks take\n",
        _table(cost_frame(run.detection)),
    ]


def _diagnoses(run: Run) -> list[str]:
    """Return the section on which faults a diagnosis names, if it was measured."""
    if not run.diagnoses:
        return []
    missed = [row for row in run.diagnoses if row.naming is not Naming.ALONE]
    return [
        "## Which planted fault a diagnosis names\n",
        "Every fault that moves a law, planted in programs that draw from a library of their own, "
        "followed while they run, and diagnosed from their laws alone.\n",
        _table(naming_frame(run.diagnoses)),
        *([_table(diagnosis_frame(missed))] if missed else []),
    ]


def _section(head: str, results: Sequence[CheckResult], names: list[str]) -> str:
    """Return a section with some columns of some results, or nothing if there are none."""
    return f"## {head}\n\n{_table(result_frame(results)[names])}" if results else ""


def _fitting(parts: list[str]) -> list[str]:
    """Return the parts with those replaced that would make the whole too large."""
    room = LARGEST - sum(len(LEFT_OUT.encode()) + 1 for _ in parts)
    fitting = []
    for part in parts:
        size = len(part.encode())
        fitting.append(part if size <= room else LEFT_OUT)
        room -= size if size <= room else 0
    return fitting


def _table(frame: pd.DataFrame) -> str:
    alignment = ["right" if number else "left" for number in numeric(frame)]
    escaped = shown(frame).map(_in_one_cell)
    table = f"{escaped.to_markdown(index=False, disable_numparse=True, colalign=alignment)}\n"
    if len(frame) <= LONG:
        return table
    return f"<details><summary>{len(frame):,} rows</summary>\n\n{table}\n</details>\n"


def _in_one_cell(text: str) -> str:
    """Return the text with what would end a cell, or its line, or begin a tag, made harmless."""
    text = text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "\\<")
    return " ".join(text.splitlines())
