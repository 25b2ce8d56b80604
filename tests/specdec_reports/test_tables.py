"""Frames of results: nothing lost, nothing added."""

from dataclasses import replace
from fractions import Fraction

import pandas as pd
import pytest

from specdec_reports import columns
from specdec_reports.tables import (
    numeric,
    overview_frame,
    result_frame,
    result_record,
    shown,
    summary_frame,
)
from specdec_verification.results import CheckResult, Run


def test_a_summary_keeps_every_row(run: Run) -> None:
    frame = summary_frame(run.summary)
    assert list(frame) == list(columns.SUMMARY)
    assert frame["instances"].tolist() == [1000, 500, 1]
    assert frame["largest_tv"].tolist() == [1 / 9, 0.0625, 0.0123456789]


def test_an_overview_adds_the_shapes_up(run: Run) -> None:
    frame = overview_frame(run.summary)
    assert "parameters" not in frame
    assert frame["check"].tolist() == ["exact_law", "g_test"]
    first = frame.iloc[0]
    assert (first["instances"], first["passed"], first["failed"]) == (1500, 1499, 1)
    assert (first["inconclusive"], first["size"], first["largest_tv"]) == (0, 14_000, 1 / 9)


def test_an_overview_keeps_the_order_of_the_summary(run: Run) -> None:
    frame = overview_frame(reversed(run.summary))
    assert frame["check"].tolist() == ["g_test", "exact_law"]


def test_frames_of_nothing_have_their_columns(empty: Run) -> None:
    assert list(summary_frame(empty.summary)) == list(columns.SUMMARY)
    assert list(result_frame(empty.exceptions)) == list(columns.RESULT)
    assert overview_frame(empty.summary).empty


def test_a_record_writes_fractions_out_and_leaves_absences_empty(failed: CheckResult) -> None:
    assert result_record(failed) == {
        "check": "exact_law",
        "subject": "token_rejection",
        "claim": "lossless",
        "instance": "random/3",
        "parameters": "V=2 gamma=1",
        "verdict": "FAILED",
        "evidence": "exact law",
        "total_variation": "1/9",
        "size": 4,
        "false_fail_rate": "",
        "false_pass_rate": "",
        "min_detectable_tv": "",
        "detail": "a | b \\| c\nd",
        "reproduce": "specdec-verify 3",
    }


def test_a_record_of_a_sampled_check_has_its_risk(sampled: CheckResult) -> None:
    record = result_record(sampled)
    assert record["total_variation"] == 0.0123456789
    assert (record["false_fail_rate"], record["false_pass_rate"]) == (1e-9, 0.01)
    assert record["min_detectable_tv"] == 0.25


@pytest.mark.parametrize(
    ("found", "written"), [(None, ""), (Fraction(0), "0"), (0.0, 0.0), (Fraction(1, 2), "1/2")]
)
def test_a_distance_of_zero_is_not_an_absence(
    failed: CheckResult, found: Fraction | float | None, written: str | float
) -> None:
    record = result_record(replace(failed, total_variation=found))
    assert record["total_variation"] == written


def test_results_become_one_row_each(failed: CheckResult, sampled: CheckResult) -> None:
    frame = result_frame([failed, sampled])
    assert frame["verdict"].tolist() == ["FAILED", "INCONCLUSIVE"]


def test_what_is_shown_has_heads_for_names_and_rounded_numbers(run: Run) -> None:
    frame = shown(summary_frame(run.summary))
    assert list(frame) == list(columns.SUMMARY.values())
    assert frame.iloc[0].tolist() == [
        *("exact_law", "token_rejection", "lossless", "V=2 gamma=1", "exact law"),
        *("1,000", "999", "1", "0", "5,000", "0.111"),
    ]


def test_only_columns_of_numbers_are_numeric() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": [1.5, 2], "c": ["x", "y"], "d": [True, False]})
    assert numeric(frame) == [True, True, False, False]
    assert numeric(pd.DataFrame({"mixed": [1, ""]})) == [False]
