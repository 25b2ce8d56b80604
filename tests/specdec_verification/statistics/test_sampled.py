"""The shared part of sampled checks: inputs refused, support first, and the three verdicts."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.distributions import Row, total_variation
from specdec_core.errors import InvalidDistributionError, InvalidParameterError
from specdec_verification.results import CheckResult, Evidence, Labels, Risk, Verdict
from specdec_verification.statistics.sampled import Demand, Finding, Tally, conclude

DEMAND = Demand(false_fail_rate=1e-6, false_pass_rate=0.01, max_tv=0.25)
LABELS = Labels("subject", "lossless", "coin", "V=2", "run coin")
COIN = Tally({0: 3, 1: 1}, {0: 0.5, 1: 0.5})


def concluded(finding: Finding, tally: Tally[int] = COIN) -> CheckResult:
    """Return what a test that always finds ``finding`` is made into."""
    return conclude("stub", lambda _tally, _demand: finding, tally, DEMAND, LABELS)


def test_a_result_carries_the_labels_the_risk_and_the_draws() -> None:
    assert concluded(Finding(False, 0.25, "as claimed")) == CheckResult(
        check="stub",
        labels=LABELS,
        verdict=Verdict.PASSED,
        evidence=Evidence.SAMPLED,
        total_variation=0.25,
        size=4,
        detail="as claimed",
        risk=Risk(1e-6, 0.01, 0.25, 4),
    )


def test_a_rejection_fails_however_little_was_visible() -> None:
    assert concluded(Finding(True, 1.0, "off")).verdict is Verdict.FAILED


def test_a_pass_that_could_not_have_failed_is_inconclusive() -> None:
    result = concluded(Finding(False, 0.375, "as claimed"))
    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.detail == (
        "as claimed; only a total variation of 0.375 is sure to be seen, 0.25 was asked for"
    )


@pytest.mark.parametrize("law", [{0: 1.0}, {0: 1.0, 1: 0.0}, {0: 1, 1: 0, 2: 0}])
def test_an_unlawful_outcome_fails_at_once(law: dict[int, float]) -> None:
    result = concluded(Finding(False, 0.125, "as claimed"), Tally({0: 10**9, 1: 1}, law))
    assert result.verdict is Verdict.FAILED
    assert result.detail == "got 1 1 times, and the law rules it out"


def test_further_unlawful_outcomes_are_counted() -> None:
    result = concluded(Finding(False, 0.125, ""), Tally({5: 2, 6: 1, 7: 1}, {0: 1.0}))
    assert result.detail.endswith("the law rules it out; it rules out 2 more that were drawn")


@pytest.mark.parametrize("counts", [{}, {0: 0}, {7: 0}])
def test_no_draws_are_inconclusive_and_reach_no_test(counts: dict[int, int]) -> None:
    result = concluded(Finding(True, 0.125, "never read"), Tally(counts, {0: 0.5, 1: 0.5}))
    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.total_variation is None
    assert result.risk == Risk(1e-6, 0.01, 1.0, 0)
    assert result.detail.startswith("no outcome was drawn; ")


@given(counts=st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any))
def test_the_total_variation_is_that_of_the_frequencies(counts: list[int]) -> None:
    law = Row([Fraction(1, 2), Fraction(1, 2), Fraction(0)])
    frequencies = Row([Fraction(count, sum(counts)) for count in counts])
    found = Tally(dict(enumerate(counts)), dict(enumerate(law))).total_variation
    assert found == pytest.approx(float(total_variation(frequencies, law)), abs=1e-15)


def test_a_tally_does_not_change_with_its_counter() -> None:
    counter = Counter("aab")
    tally = Tally(counter, {"a": 0.5, "b": 0.5})
    counter["b"] += 10
    assert tally.draws == 3


def test_numpy_counts_are_taken() -> None:
    counts = dict(enumerate(np.bincount([0, 0, 1])))
    assert Tally(counts, {0: 0.5, 1: 0.5}).draws == 3


@pytest.mark.parametrize("count", [-1, 2.0, 2.5, True, "2", None, float("nan")])
def test_a_count_that_counts_nothing_is_refused(count: int) -> None:
    with pytest.raises(InvalidParameterError, match=r"counts\[\(0, 1\)\] is .*, expected"):
        Tally({(0, 1): count}, {(0, 1): 1.0})


@pytest.mark.parametrize(
    "law",
    [
        {},
        {0: 0.5},
        {0: 0.5, 1: 0.75},
        {0: Fraction(1, 3), 1: Fraction(1, 3)},
        {0: 1.5, 1: -0.5},
        {0: float("nan"), 1: 1.0},
        {0: Fraction(1, 2), 1: 0.5},
    ],
)
def test_a_law_that_is_no_distribution_is_refused(law: dict[int, float]) -> None:
    with pytest.raises(InvalidDistributionError, match="expected_law"):
        Tally({0: 1}, law)


@pytest.mark.parametrize(
    "demand",
    [
        {"false_fail_rate": 0.0},
        {"false_pass_rate": 1.0},
        {"max_tv": 0.0},
        {"max_tv": 1.0},
        {"false_fail_rate": 0.5, "false_pass_rate": 0.5},
    ],
)
def test_a_demand_out_of_range_is_refused(demand: dict[str, float]) -> None:
    values = {"false_fail_rate": 1e-6, "false_pass_rate": 0.01, "max_tv": 0.25} | demand
    with pytest.raises(InvalidParameterError, match="expected"):
        Demand(**values)
