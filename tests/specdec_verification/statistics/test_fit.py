"""The e-process with ``G`` beside it: which is asked when, and the rate that they share."""

import numpy as np
import pytest
from scipy.stats import binom

from specdec_core.errors import InvalidParameterError
from specdec_verification.results import Labels, Verdict
from specdec_verification.statistics import e_process, power
from specdec_verification.statistics.fit import check_fit, draws_needed, fit_test, min_detectable_tv
from specdec_verification.statistics.sampled import Demand, Tally

RATES = {"false_fail_rate": 1e-9, "false_pass_rate": 0.01}
HALF = {"false_fail_rate": 5e-10, "false_pass_rate": 0.01}
DEMAND = Demand(**RATES, max_tv=0.05)
COIN = {0: 0.5, 1: 0.5}

BETWEEN = {0: 5325, 1: 4675}
"""Counts that ``G`` rejects at half of the rate, and the e-value does not."""


def test_the_planned_look_asks_g_too(labels: Labels) -> None:
    before = check_fit(BETWEEN, COIN, planned_draws=10_001, demand=DEMAND, labels=labels)
    at = check_fit(BETWEEN, COIN, planned_draws=10_000, demand=DEMAND, labels=labels)
    assert before.verdict is not Verdict.FAILED
    assert "; G: " not in before.detail
    assert at.verdict is Verdict.FAILED
    assert "; G: statistic" in at.detail


def test_the_e_value_fails_alone(labels: Labels) -> None:
    result = check_fit({0: 900, 1: 100}, COIN, planned_draws=10**6, demand=DEMAND, labels=labels)
    assert result.verdict is Verdict.FAILED


def test_each_test_has_half_of_the_rate() -> None:
    finding = fit_test(Tally({0: 9, 1: 9}, COIN), Demand(0.02, 0.01, 0.05), 100)
    assert finding.detail.endswith("rejected from 2 on")


def test_the_risk_is_the_whole_rate(labels: Labels) -> None:
    result = check_fit(COIN_COUNTS, COIN, planned_draws=10_000, demand=DEMAND, labels=labels)
    assert result.verdict is Verdict.PASSED
    assert result.risk is not None
    assert result.risk.false_fail_rate == 1e-9
    assert result.risk.min_detectable_tv == min_detectable_tv(10_000, 2, **RATES)


COIN_COUNTS = {0: 5000, 1: 5000}


@pytest.mark.parametrize("cells", [2, 8, 4096])
def test_what_either_sees_both_see(cells: int) -> None:
    found = min_detectable_tv(10**6, cells, **RATES)
    assert found == min(
        power.min_detectable_tv(10**6, cells, **HALF),
        e_process.min_detectable_tv(10**6, cells, **HALF),
    )
    assert min_detectable_tv(draws_needed(0.01, cells, **RATES), cells, **RATES) <= 0.01


def test_a_wrong_law_is_missed_as_rarely_as_planned(labels: Labels) -> None:
    """500 runs that miss with probability 0.01; more than this fails once in 1e10."""
    rng, tv, runs = np.random.default_rng(), 0.02, 500
    draws = draws_needed(tv, 2, **RATES)
    demand = Demand(**RATES, max_tv=tv)
    passed = 0
    for got in rng.binomial(draws, 0.5 + tv, size=runs).tolist():
        counts = {0: got, 1: draws - got}
        result = check_fit(counts, COIN, planned_draws=draws, demand=demand, labels=labels)
        passed += result.verdict is not Verdict.FAILED
    assert passed <= binom.isf(1e-10, runs, 0.01)


def test_no_draw_planned_is_refused(labels: Labels) -> None:
    with pytest.raises(InvalidParameterError, match="planned_draws is 0, expected at least 1"):
        check_fit({}, COIN, planned_draws=0, demand=DEMAND, labels=labels)
