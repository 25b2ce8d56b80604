r"""A run's tables as LaTeX, to be put into a paper with ``\input``.

Each is a ``longtable`` with the rules of ``booktabs``, so that one may be longer than a page.  The
rows by shape of instance are left to the CSV: there are a thousand of them.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

import pandas as pd

from specdec_reports.render import EXAMPLE, NOT_PASSED, TRIAL
from specdec_reports.tables import (
    cost_frame,
    efficiency_frame,
    law_frame,
    matrix_frame,
    naming_frame,
    numeric,
    prefix_frame,
    result_frame,
    shown,
    verdict_frame,
)
from specdec_verification.results import Run

HEAD: Final = r"""% specdec-verify {version}, profile {profile}: {verdict}
% Needs \usepackage{{booktabs,longtable,array}} and \usepackage[T1]{{fontenc}}.
"""

WIDE: Final = ("detail", "reproduce")
"""Columns that are sentences, and need lines to break."""

ESCAPED: Final = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
    }
)
"""What would be a command of LaTeX's in a caption; cells are escaped by pandas."""

BRIEF: Final = 9
"""Characters of a fraction that a column has room for."""


def latex(run: Run) -> str:
    """Return the tables of a run that have a place in a paper."""
    facts = {"version": run.version, "profile": run.profile, "verdict": run.verdict}
    head = HEAD.format_map({name: _on_one_line(fact) for name, fact in facts.items()})
    return "\n".join([head, *(_table(name, frame) for name, frame in _frames(run))])


def _frames(run: Run) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each table with its caption, those of what there is."""
    for caption, results, names in (
        ("What did not pass", run.exceptions, NOT_PASSED),
        ("The contract's examples", run.examples, EXAMPLE),
        ("The checks on trial", run.trials, TRIAL),
    ):
        if results:
            frame = result_frame(results)
            frame["total_variation"] = frame["total_variation"].map(_brief)
            yield caption, frame[names]
    if run.prefix_counts:
        yield "The contract's examples by prefix", prefix_frame(run.prefix_counts)
    for law in run.laws:
        yield f"The law of {law.subject} on {law.instance} by prefix", law_frame(law)
    if run.summary:
        yield "Instances that passed, by check", verdict_frame(run.summary)
    if run.efficiencies:
        yield "What each rule keeps of its draft", efficiency_frame(run.efficiencies)
    if run.detection:
        yield "Which check sees which planted fault", matrix_frame(run.detection)
        yield "What the checks take", cost_frame(run.detection)
    if run.diagnoses:
        yield "Which planted fault a diagnosis names", naming_frame(run.diagnoses)


def _table(caption: str, frame: pd.DataFrame) -> str:
    columns = zip(frame, numeric(frame), strict=True)
    text = shown(frame).map(_on_one_line)
    styler = text.style.format(escape="latex").format_index(escape="latex", axis="columns")
    written: str = styler.hide(axis="index").to_latex(
        environment="longtable",
        hrules=True,
        caption=_on_one_line(caption).translate(ESCAPED),
        column_format="".join(_column(name, number) for name, number in columns),
    )
    return written


def _column(name: object, number: bool) -> str:
    if name in WIDE:
        return r">{\raggedright\arraybackslash}p{0.36\linewidth}"
    return "r" if number else "l"


def _brief(found: object) -> object:
    """Return a fraction as a float if it is long: a column has no room for it."""
    return float(Fraction(found)) if isinstance(found, str) and len(found) > BRIEF else found


def _on_one_line(text: str) -> str:
    """Return a text without what would end a comment, or a paragraph in a cell."""
    return " ".join(text.split())
