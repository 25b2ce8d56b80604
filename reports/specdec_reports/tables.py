"""Results as tables: pandas frames whose columns `specdec_reports.columns` names."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import pandas as pd

from specdec_reports import columns
from specdec_verification.results import CheckResult, SummaryRow

ADDED = ["instances", "passed", "failed", "inconclusive", "size"]
"""What adds up when rows of a summary are put together."""


def summary_frame(summary: Iterable[SummaryRow]) -> pd.DataFrame:
    """Return one row for each check, subject, claim and shape of instance."""
    records = [asdict(row) for row in summary]
    return pd.DataFrame(records, columns=list(columns.SUMMARY))


def overview_frame(summary: Iterable[SummaryRow]) -> pd.DataFrame:
    """Return one row for each check, subject and claim, whatever the shape."""
    frame = summary_frame(summary)
    keys = ["check", "subject", "claim", "evidence"]
    how: dict[str, Any] = {**dict.fromkeys(ADDED, "sum"), "largest_tv": "max"}
    return frame.groupby(keys, sort=False, as_index=False).agg(how)


def shown(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame as people read it: heads for names, numbers grouped or rounded, as text."""
    return frame.map(_shown_cell).rename(columns={**columns.SUMMARY, **columns.RESULT})


def numeric(frame: pd.DataFrame) -> list[bool]:
    """Return which columns hold nothing but numbers."""
    return [bool(frame[name].map(_is_number).all()) for name in frame]


def result_record(result: CheckResult) -> dict[str, Any]:
    """Return one result as a flat record; what a result does not have is empty."""
    risk = asdict(result.risk) if result.risk else {}
    flat = {**asdict(result), **asdict(result.labels), **risk}
    return {name: _cell(flat.get(name)) for name in columns.RESULT}


def result_frame(results: Iterable[CheckResult]) -> pd.DataFrame:
    """Return one row for each result."""
    records = [result_record(result) for result in results]
    return pd.DataFrame(records, columns=list(columns.RESULT))


def _cell(value: object) -> object:
    """Return a value that every format can hold: fractions are written out."""
    if value is None:
        return ""
    return value if isinstance(value, int | float) else str(value)


def _shown_cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    return f"{value:,}" if _is_number(value) else str(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
