"""Tables as text: Markdown to read, CSV and JSON to read back."""

import json
from collections.abc import Sequence
from typing import Any

import pandas as pd

from specdec_reports.tables import (
    numeric,
    overview_frame,
    result_frame,
    result_record,
    shown,
    summary_frame,
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
        "## Checks\n",
        _table(overview_frame(run.summary)),
        _section("The checks on trial", run.trials, TRIAL),
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
    }
    return json.dumps(document, indent=1) + "\n"


def text(frame: pd.DataFrame) -> str:
    """Return a frame as aligned plain text."""
    return str(shown(frame).to_string(index=False))


def _section(head: str, results: Sequence[CheckResult], names: list[str]) -> str:
    """Return a section with some columns of some results, or nothing if there are none."""
    return f"## {head}\n\n{_table(result_frame(results)[names])}" if results else ""


def _table(frame: pd.DataFrame) -> str:
    alignment = ["right" if number else "left" for number in numeric(frame)]
    escaped = shown(frame).map(lambda cell: cell.replace("|", "\\|"))
    return f"{escaped.to_markdown(index=False, disable_numparse=True, colalign=alignment)}\n"
