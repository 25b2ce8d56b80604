"""Independence: pairs of draws with a mean of one, and draws that repeat one another."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from specdec_core.errors import InvalidParameterError, ShapeError
from specdec_verification.results import Labels, Verdict
from specdec_verification.statistics import e_process
from specdec_verification.statistics.pairs import (
    check_pairs,
    draws_needed,
    groups_of,
    log_e_of_pairs,
    min_detectable_tv,
    pair_counts,
)
from specdec_verification.statistics.sampled import Demand

RATES = {"false_fail_rate": 1e-9, "false_pass_rate": 0.01}
DEMAND = Demand(**RATES, max_tv=0.3)
LAW = np.array([0.5, 0.3, 0.2])


@pytest.mark.parametrize("lag", [1, 2])
def test_the_mean_under_independence_is_one(lag: int) -> None:
    """Summed over every run of five draws, whose pairs overlap."""
    mean = 0.0
    for drawn in product(range(3), repeat=5):
        counts = pair_counts(np.array(drawn), 3, lag)
        mean += math.prod(LAW[list(drawn)]) * math.exp(log_e_of_pairs(counts, LAW))
    assert mean == pytest.approx(1, abs=1e-12)


def test_pairs_are_counted_across_the_lag() -> None:
    assert pair_counts(np.array([0, 1, 2, 0]), 3, 2).tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 0]]
    assert not pair_counts(np.array([0]), 3).any()
    assert not pair_counts(np.array([], dtype=int), 3).any()


def test_independent_draws_pass(labels: Labels) -> None:
    """At the rate 1e-9, and that is the chance of this test to fail on right code."""
    drawn = np.random.default_rng().choice(3, size=5000, p=LAW)
    result = check_pairs(pair_counts(drawn, 3), LAW, demand=DEMAND, labels=labels)
    assert result.verdict is Verdict.PASSED


@pytest.mark.parametrize("batch", [2, 10])
def test_rows_with_one_seed_fail_though_every_marginal_is_right(batch: int, labels: Labels) -> None:
    drawn = np.repeat(np.random.default_rng().choice(3, size=5000 // batch, p=LAW), batch)
    result = check_pairs(pair_counts(drawn, 3), LAW, demand=DEMAND, labels=labels)
    assert result.verdict is Verdict.FAILED


def test_a_generator_that_is_set_back_shows_at_the_lag_of_a_batch(labels: Labels) -> None:
    drawn = np.tile(np.random.default_rng().choice(3, size=100, p=LAW), 20)
    result = check_pairs(pair_counts(drawn, 3, lag=100), LAW, demand=DEMAND, labels=labels)
    assert result.verdict is Verdict.FAILED


def test_few_pairs_are_inconclusive(labels: Labels) -> None:
    for drawn in (np.array([0, 1]), np.array([0])):
        result = check_pairs(pair_counts(drawn, 3), LAW, demand=DEMAND, labels=labels)
        assert result.verdict is Verdict.INCONCLUSIVE


def test_an_outcome_that_the_law_rules_out_is_infinite_evidence() -> None:
    law = np.array([0.5, 0.5, 0.0])
    assert log_e_of_pairs(pair_counts(np.array([0, 2]), 3), law) == math.inf
    assert log_e_of_pairs(pair_counts(np.array([2, 0]), 3), law) == math.inf


def test_dependence_is_missed_as_rarely_as_planned() -> None:
    """A chain that repeats itself too often, 300 times; more misses come once in 1e10."""
    rng, tv, runs = np.random.default_rng(), 0.05, 300
    draws = draws_needed(tv, 2, **RATES)
    stays = 0.5 + tv
    missed = 0
    for row in rng.random((runs, draws)) >= stays:
        counts = pair_counts(np.cumsum(np.append(0, row)) % 2, 2)
        missed += log_e_of_pairs(counts, np.array([0.5, 0.5])) < -math.log(1e-9)
    assert missed <= binom.isf(1e-10, runs, 0.01)


def test_what_is_detectable_is_that_of_as_many_pairs() -> None:
    assert min_detectable_tv(10**6, 8, **RATES) == e_process.min_detectable_tv(10**6, 64, **RATES)
    assert min_detectable_tv(draws_needed(0.01, 8, **RATES), 8, **RATES) <= 0.01


def test_groups_share_the_probability_out() -> None:
    law = np.random.default_rng(5).dirichlet(np.ones(5000))
    groups = groups_of(law)
    masses = np.bincount(groups, weights=law)
    assert len(masses) == 64
    assert masses.min() > 0.8 / 64
    assert masses.max() < 1.2 / 64
    assert groups_of([0.5, 0.5]).tolist() == [0, 1]
    assert groups_of([0.97, 0.01, 0.01, 0.01], most=2).tolist() == [0, 1, 1, 1]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="groups go from 0 to 3, expected 0 to 2"):
        pair_counts(np.array([0, 3]), 3)
    with pytest.raises(InvalidParameterError, match="lag is 0"):
        pair_counts(np.array([0, 1]), 3, 0)
    with pytest.raises(ShapeError, match="counts has shape"):
        log_e_of_pairs(np.zeros((2, 2), dtype=int), LAW)
    with pytest.raises(InvalidParameterError, match="groups are float64, expected integers"):
        pair_counts(np.zeros(3), 3)
    with pytest.raises(InvalidParameterError, match="counts has an entry that is no integer"):
        log_e_of_pairs(np.full((3, 3), -1), LAW)
    with pytest.raises(InvalidParameterError, match="probs is no distribution"):
        log_e_of_pairs(np.zeros((3, 3), dtype=int), LAW * 2)
