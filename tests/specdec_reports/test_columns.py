"""Columns: one word for each field, and reports that stand on results alone."""

import subprocess
import sys
from dataclasses import fields

from specdec_reports import columns
from specdec_verification.results import CheckResult, Labels, Risk, SummaryRow


def test_every_field_of_a_summary_has_a_column_in_its_order() -> None:
    assert list(columns.SUMMARY) == [field.name for field in fields(SummaryRow)]


def test_every_column_of_a_result_is_a_field() -> None:
    known = {field.name for kind in (CheckResult, Labels, Risk) for field in fields(kind)}
    assert columns.RESULT.keys() == known - {"labels", "risk", "draws"}


def test_one_field_has_one_head() -> None:
    shared = columns.SUMMARY.keys() & columns.RESULT.keys()
    assert [columns.SUMMARY[name] for name in shared] == [columns.RESULT[name] for name in shared]
    assert len(set(columns.RESULT.values())) == len(columns.RESULT)


def test_reports_touch_no_core_and_no_grid() -> None:
    code = (
        "import sys, specdec_reports.writing, specdec_reports.render, specdec_reports.tables\n"
        "print(*sorted(name for name in sys.modules if name.startswith('specdec')))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    touched = set(ran.stdout.split())
    assert "specdec_reports.writing" in touched
    assert touched - {name for name in touched if name.startswith("specdec_reports")} == {
        "specdec_verification",
        "specdec_verification.law_rows",
        "specdec_verification.measurements",
        "specdec_verification.results",
    }
