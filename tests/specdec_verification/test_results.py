"""Results: frozen, comparable, and added up by what tables group them by."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_verification.results import (
    CheckResult,
    Evidence,
    Labels,
    Risk,
    SummaryRow,
    Verdict,
    summarise,
    worst,
)

PASSED, FAILED, INCONCLUSIVE = Verdict


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        ([], INCONCLUSIVE),
        ([PASSED], PASSED),
        ([PASSED, PASSED], PASSED),
        ([INCONCLUSIVE, PASSED], INCONCLUSIVE),
        ([PASSED, INCONCLUSIVE, FAILED], FAILED),
        ([FAILED, PASSED], FAILED),
    ],
)
def test_one_failure_fails_the_whole_and_no_evidence_is_no_pass(
    verdicts: list[Verdict], whole: Verdict
) -> None:
    assert worst(verdicts) is whole


def test_results_add_up_by_check_subject_claim_and_parameters(
    found: Callable[..., CheckResult], labels: Labels
) -> None:
    other = replace(labels, parameters="V=3")
    results = [
        found(FAILED, total_variation=Fraction(1, 4), size=1),
        found(labels=other, size=10),
        found(INCONCLUSIVE, total_variation=None, size=2),
        found(labels=replace(labels, instance="another", reproduce="otherwise"), size=3),
        found(labels=other, total_variation=0.125, size=20),
    ]
    key = ("exact_law", "subject", "lossless")
    assert summarise(results) == (
        SummaryRow(*key, "V=2", Evidence.EXACT_LAW, 3, 1, 1, 1, 6, 0.25),
        SummaryRow(*key, "V=3", Evidence.EXACT_LAW, 2, 2, 0, 0, 30, 0.125),
    )


@pytest.mark.parametrize("field", ["subject", "claim", "parameters"])
def test_what_tables_group_by_keeps_results_apart(
    found: Callable[..., CheckResult], labels: Labels, field: str
) -> None:
    apart = found(labels=replace(labels, **{field: "another"}))
    assert [row.instances for row in summarise([found(), apart])] == [1, 1]
    assert len(summarise([found(), found(check="exact_count")])) == 2


@given(verdicts=st.lists(st.sampled_from(Verdict)))
def test_no_result_is_lost_in_a_summary(
    found: Callable[..., CheckResult], verdicts: list[Verdict]
) -> None:
    rows = summarise(map(found, verdicts))
    assert sum(row.instances for row in rows) == len(verdicts)
    assert all(row.passed + row.failed + row.inconclusive == row.instances for row in rows)


def test_a_result_cannot_be_changed_and_is_equal_to_its_copy(
    found: Callable[..., CheckResult],
) -> None:
    result = replace(found(), risk=Risk(1e-6, 0.01, 0.25, 100))
    with pytest.raises(FrozenInstanceError):
        result.verdict = FAILED  # type: ignore[misc]
    assert {result, replace(result)} == {result}


def test_results_import_nothing_of_ours() -> None:
    code = (
        "import sys, specdec_verification.results\n"
        "print(*sorted(name for name in sys.modules if name.startswith('specdec')))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["specdec_verification", "specdec_verification.results"]
