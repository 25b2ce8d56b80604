"""Results add up by what tables group them by, and none is lost."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_verification.results import CheckResult, Evidence, Labels, SummaryRow, Verdict
from specdec_verification.summaries import summarise

FAILED, INCONCLUSIVE = Verdict.FAILED, Verdict.INCONCLUSIVE


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
