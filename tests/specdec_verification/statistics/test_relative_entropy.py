"""``G`` with a bound: the exact size is below the rate, at every number of draws."""

import numpy as np
import pytest
from scipy.stats import binom, chi2

from specdec_core.errors import InvalidParameterError
from specdec_verification.results import Labels, Verdict
from specdec_verification.statistics import power
from specdec_verification.statistics.chi_square import g_terms
from specdec_verification.statistics.relative_entropy import (
    check_relative_entropy,
    draws_needed,
    min_detectable_tv,
    noncentrality,
    p_value_bound,
)
from specdec_verification.statistics.sampled import Demand

RATES = {"false_fail_rate": 1e-9, "false_pass_rate": 0.01}
COIN = {0: 0.5, 1: 0.5}


@pytest.mark.parametrize("draws", [1, 5, 30, 200, 3000])
@pytest.mark.parametrize("prob", [0.5, 0.1, 0.003])
@pytest.mark.parametrize("rate", [0.1, 1e-3, 1e-6])
def test_the_exact_size_is_below_the_rate(draws: int, prob: float, rate: float) -> None:
    """Summed over every count of two cells, small expectations among them."""
    got = np.arange(draws + 1.0)
    counts = np.stack([got, draws - got], axis=-1)
    statistics = g_terms(counts, draws * np.array([prob, 1 - prob])).sum(axis=-1)
    rejected = np.array([p_value_bound(statistic, 1) <= rate for statistic in statistics])
    assert binom.pmf(got, draws, prob)[rejected].sum() <= rate


@pytest.mark.parametrize("dof", [1, 7, 63, 4095])
def test_the_bound_is_above_the_limit_and_falls(dof: int) -> None:
    statistics = np.linspace(0, 20 * dof + 200, 400)
    bounds = [p_value_bound(statistic, dof) for statistic in statistics]
    assert all(chi2.sf(statistics, dof) <= np.array(bounds) * (1 + 1e-12))
    assert sorted(bounds, reverse=True) == bounds


@pytest.mark.parametrize("cells", [2, 8, 64])
def test_the_price_over_the_limit(cells: int) -> None:
    ratio = noncentrality(cells, **RATES) / power.noncentrality(cells, **RATES)
    assert 1 < ratio < 2


@pytest.mark.parametrize("cells", [1, 2, 8, 4096])
def test_draws_needed_are_enough(cells: int) -> None:
    assert min_detectable_tv(draws_needed(0.01, cells, **RATES), cells, **RATES) <= 0.01


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ({0: 5000, 1: 5000}, Verdict.PASSED),
        ({0: 6000, 1: 4000}, Verdict.FAILED),
        ({0: 30, 1: 20}, Verdict.INCONCLUSIVE),
        ({0: 1, 2: 1}, Verdict.FAILED),
    ],
)
def test_verdicts(counts: dict[int, int], verdict: Verdict, labels: Labels) -> None:
    demand = Demand(**RATES, max_tv=0.1)
    result = check_relative_entropy(counts, COIN, demand=demand, labels=labels)
    assert result.verdict is verdict


def test_what_pooling_hides_is_added(labels: Labels) -> None:
    law = {0: 0.98, 1: 0.01, 2: 0.01}
    demand = Demand(**RATES, max_tv=0.9)
    result = check_relative_entropy({0: 100}, law, demand=demand, labels=labels)
    assert result.risk is not None
    assert result.risk.min_detectable_tv == min(1, min_detectable_tv(100, 2, **RATES) + 0.02)


def test_arguments_out_of_range_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match="tv is 1"):
        draws_needed(1.0, 8, **RATES)
    with pytest.raises(InvalidParameterError, match="cells is 0"):
        noncentrality(0, **RATES)
