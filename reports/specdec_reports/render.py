"""Tables as text: Markdown to read, CSV and JSON to read back."""

import json
from collections.abc import Sequence
from typing import Any

import pandas as pd

from specdec_reports.tables import (
    cost_frame,
    curve_frame,
    detection_frame,
    efficiency_frame,
    matrix_frame,
    numeric,
    result_frame,
    result_record,
    shown,
    summary_frame,
    verdict_frame,
)
from specdec_verification.results import CheckResult, Run

SCHEMA_VERSION = 1
"""Of the JSON form."""

EXAMPLE = ["claim", "verdict", "detail"]
TRIAL = ["subject", "claim", "verdict", "total_variation", "detail"]
NOT_PASSED = ["verdict", "check", "subject", "detail", "reproduce"]


def markdown(run: Run) -> str:
    """Return the correctness tables of a run as Markdown."""
    parts = [
        f"# specdec-verify: {run.verdict}\n",
        f"Profile `{run.profile}`, version {run.version}. The joint law of {run.instances:,} "
        f"generated instances was found exactly. Statistical checks: {run.budget}.\n",
        _section("What did not pass", run.exceptions, NOT_PASSED),
        _section("The contract's examples", run.examples, EXAMPLE),
        "## Instances that passed, by check\n",
        _table(verdict_frame(run.summary)),
        *_efficiency(run),
        _section("The checks on trial", run.trials, TRIAL),
        *_detection(run),
        "## Checks by shape of instance\n",
        _table(summary_frame(run.summary)),
    ]
    return "\n".join(filter(None, parts))


def csv(run: Run) -> str:
    """Return the summary of a run as CSV, one row for each check, subject, claim and shape."""
    text: str = summary_frame(run.summary).to_csv(index=False, lineterminator="\n")
    return text


def as_json(run: Run) -> str:
    """Return a run as JSON, with the version of its form."""
    document: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "version": run.version,
        "profile": run.profile,
        "verdict": str(run.verdict),
        "budget": run.budget,
        "instances": run.instances,
        "summary": summary_frame(run.summary).to_dict(orient="records"),
        "examples": [result_record(result) for result in run.examples],
        "trials": [result_record(result) for result in run.trials],
        "exceptions": [result_record(result) for result in run.exceptions],
        "efficiencies": efficiency_frame(run.efficiencies).to_dict(orient="records"),
        "curves": curve_frame(run.curves).to_dict(orient="records"),
        "detection": detection_frame(run.detection).to_dict(orient="records"),
    }
    return json.dumps(document, indent=1) + "\n"


def text(frame: pd.DataFrame) -> str:
    """Return a frame as aligned plain text."""
    return str(shown(frame).to_string(index=False))


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


def _section(head: str, results: Sequence[CheckResult], names: list[str]) -> str:
    """Return a section with some columns of some results, or nothing if there are none."""
    return f"## {head}\n\n{_table(result_frame(results)[names])}" if results else ""


def _table(frame: pd.DataFrame) -> str:
    alignment = ["right" if number else "left" for number in numeric(frame)]
    escaped = shown(frame).map(_in_one_cell)
    return f"{escaped.to_markdown(index=False, disable_numparse=True, colalign=alignment)}\n"


def _in_one_cell(text: str) -> str:
    """Return the text with what would end a cell, or its line, made harmless."""
    text = text.replace("\\", "\\\\").replace("|", "\\|")
    return " ".join(text.splitlines())
