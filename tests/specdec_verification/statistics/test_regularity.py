"""Regularity: exact hits that are common in whole numbers, and draws that were stratified."""

import re

import numpy as np
import pytest
from scipy.stats import binom

from specdec_core.errors import InvalidParameterError
from specdec_verification.results import CheckResult, Labels, Verdict
from specdec_verification.statistics.regularity import (
    cells_needed,
    check_regularity,
    min_detectable_ratio,
)
from specdec_verification.statistics.sampled import Demand

RATES = {"false_fail_rate": 1e-9, "false_pass_rate": 0.01}
DEMAND = Demand(**RATES, max_tv=0.3)


@pytest.mark.parametrize("draws", [20, 1000, 20_000])
@pytest.mark.parametrize("prob", [0.5, 0.1, 0.003])
def test_counts_of_two_cells_are_never_too_regular_too_often(
    draws: int, prob: float, labels: Labels
) -> None:
    """Summed over every count: an exact hit is common where counts are whole."""
    demand = Demand(false_fail_rate=0.01, false_pass_rate=0.01, max_tv=0.3)
    law = {0: prob, 1: 1 - prob}
    near = np.arange(max(0, int(draws * prob) - 20), min(draws, int(draws * prob) + 20) + 1)
    failed = [
        check_regularity(
            {0: got, 1: draws - got}, law, max_ratio=0.1, demand=demand, labels=labels
        ).verdict
        is Verdict.FAILED
        for got in near.tolist()
    ]
    assert binom.pmf(near, draws, prob)[failed].sum() <= 0.01


def test_stratified_draws_are_too_regular(labels: Labels) -> None:
    law = dict.fromkeys(range(50), 1 / 50)
    counts = {face: 2000 + face % 2 * 3 - 1 for face in range(50)}
    result = check_regularity(counts, law, max_ratio=0.1, demand=DEMAND, labels=labels)
    assert result.verdict is Verdict.FAILED


def test_random_draws_are_as_regular_as_they_should_be(labels: Labels) -> None:
    """At the rate 1e-9, and that is the chance of this test to fail on right code."""
    law = dict.fromkeys(range(50), 1 / 50)
    drawn = np.random.default_rng().multinomial(1_000_000, [1 / 50] * 50)
    counts = dict(enumerate(drawn.tolist()))
    result = check_regularity(counts, law, max_ratio=0.1, demand=DEMAND, labels=labels)
    assert result.verdict is Verdict.PASSED


def test_a_variance_is_missed_as_rarely_as_stated(labels: Labels) -> None:
    """At 2000 draws a cell too, where the corner of the counts' cube takes its part."""
    rates = {"false_fail_rate": 0.01, "false_pass_rate": 0.05}
    demand, law = Demand(**rates, max_tv=0.3), dict.fromkeys(range(64), 1 / 64)

    def check(counts: np.ndarray) -> CheckResult:
        got = dict(enumerate(np.round(counts).astype(int).tolist()))
        return check_regularity(got, law, max_ratio=0.01, demand=demand, labels=labels)

    told = re.search("a variance of (.*) of its due", check(np.full(64, 2000)).detail)
    assert told
    ratio = float(told[1]) * 0.99  # it has three digits
    assert ratio < min_detectable_ratio(64, **rates)
    off = np.random.default_rng().standard_normal((300, 64))
    off -= off.mean(axis=1, keepdims=True)
    verdicts = [check(row).verdict for row in 2000 + np.sqrt(2000 * ratio) * off]
    assert verdicts.count(Verdict.PASSED) <= binom.isf(1e-9, 300, 0.05)


@pytest.mark.parametrize("counts", [{0: 500, 1: 500}, {}])
def test_too_few_cells_or_draws_see_no_regularity(counts: dict[int, int], labels: Labels) -> None:
    law = {0: 0.5, 1: 0.5}
    result = check_regularity(counts, law, max_ratio=0.1, demand=DEMAND, labels=labels)
    assert result.verdict is Verdict.INCONCLUSIVE


def test_cells_needed_are_enough_and_one_fewer_are_not() -> None:
    cells = cells_needed(0.1, **RATES)
    assert min_detectable_ratio(cells, **RATES) >= 0.1
    assert min_detectable_ratio(cells - 1, **RATES) < 0.1
    assert min_detectable_ratio(1, **RATES) == 0


def test_a_ratio_out_of_range_is_refused(labels: Labels) -> None:
    with pytest.raises(InvalidParameterError, match="max_ratio is 0"):
        check_regularity({}, {0: 1}, max_ratio=0.0, demand=DEMAND, labels=labels)
