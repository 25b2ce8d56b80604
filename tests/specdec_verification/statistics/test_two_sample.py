"""Two samplers and no law: fair to whatever law they share, and sure to tell two apart."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from specdec_core.errors import InvalidParameterError, ShapeError
from specdec_verification.results import Labels, Verdict
from specdec_verification.statistics.sampled import Demand
from specdec_verification.statistics.two_sample import (
    TwoSampleProcess,
    check_two_samples,
    draws_needed,
    looks,
    min_detectable_tv,
    started,
)

RATES = {"false_fail_rate": 1e-9, "false_pass_rate": 0.01}
DEMAND = Demand(**RATES, max_tv=0.2)


@pytest.mark.parametrize("law", [(0.5, 0.5), (0.9, 0.1), (1.0, 0.0), (0.3, 0.7)])
def test_the_mean_is_at_most_one_whatever_the_common_law(law: tuple[float, float]) -> None:
    """Summed over everything that four pairs can be, bet on one pair at a time."""
    mean = 0.0
    for pairs in product(product((0, 1), repeat=2), repeat=4):
        process, weight = started(2), 1.0
        for first, second in pairs:
            weight *= law[first] * law[second]
            process = process.after(np.eye(2, dtype=int)[first], np.eye(2, dtype=int)[second])
        mean += weight * math.exp(float(process.log_e))
    assert mean <= 1 + 1e-12


def test_the_first_batch_is_not_bet_on() -> None:
    """Nothing has been learnt, so whatever comes gains nothing."""
    process = started(3).after(np.array([9, 0, 0]), np.array([0, 0, 9]))
    assert process.log_wealth.tolist() == [0, 0, 0, 0]


def test_a_bet_is_what_the_definition_says() -> None:
    """After counts 1, 3 and 3, 1 of four pairs the midpoint is even, and the lean is -2/5."""
    process = started(2).after(np.array([1, 3]), np.array([3, 1]))
    after = process.after(np.array([0, 1]), np.array([1, 0]))
    expected = [2 * math.log(1 + share * 2 / 5) for share in (0.1, 0.3, 0.6, 1.0)]
    assert after.log_wealth.tolist() == pytest.approx(expected)


def test_several_processes_run_side_by_side() -> None:
    first, second = np.array([[4, 1], [2, 3]]), np.array([[1, 4], [2, 3]])
    both = started(2, (2,)).after(first, second).after(first, second)
    alone = started(2).after(first[0], second[0]).after(first[0], second[0])
    assert both.pairs == alone.pairs == 10
    assert both.log_e[0] == alone.log_e
    assert both.log_e[1] == 0


@pytest.mark.parametrize("pairs", [0, 1, 64, 65, 1000, 54_321])
def test_the_looks_cover_all_pairs(pairs: int) -> None:
    assert sum(looks(pairs)) == pairs


@pytest.mark.parametrize("cells", [2, 8])
def test_two_laws_are_told_apart_as_often_as_planned(cells: int) -> None:
    """400 runs; twice the stated misses are allowed for, since what it sees is approximate.

    With those, more misses than this come once in 1e10.
    """
    rng, tv, runs = np.random.default_rng(), 0.05, 400
    lean = tv * np.where(np.arange(cells) < cells // 2, 1, -1) / cells
    process, highest = started(cells, (runs,)), np.zeros(runs)
    for batch in looks(draws_needed(tv, cells, **RATES)):
        first = rng.multinomial(batch, 1 / cells + lean, size=runs)
        process = process.after(first, rng.multinomial(batch, 1 / cells - lean, size=runs))
        highest = np.maximum(highest, process.log_e)
    missed = int((highest < -math.log(1e-9)).sum())
    assert missed <= binom.isf(1e-10, runs, 0.02)


@pytest.mark.parametrize("law", [(0.5, 0.5), (0.99, 0.01)])
def test_one_law_is_never_told_apart(law: tuple[float, float], labels: Labels) -> None:
    """At the rate 1e-9, and that is the chance of this test to fail on right code."""
    rng = np.random.default_rng()
    first, second = (rng.choice(2, size=20_000, p=law) for _ in range(2))
    result = check_two_samples(first, second, 2, demand=DEMAND, labels=labels)
    assert result.verdict is Verdict.PASSED
    assert result.size == 20_000


def test_too_few_pairs_are_inconclusive(labels: Labels) -> None:
    few = np.array([0, 1, 1])
    result = check_two_samples(few, few, 2, demand=DEMAND, labels=labels)
    assert result.verdict is Verdict.INCONCLUSIVE
    none = few[:0]
    empty = check_two_samples(none, none, 2, demand=DEMAND, labels=labels)
    assert empty.verdict is Verdict.INCONCLUSIVE
    assert "no pair was drawn" in empty.detail


def test_a_high_e_value_is_not_forgotten(labels: Labels) -> None:
    """The arms differ at first, and then make up for it."""
    zeros, ones = np.zeros(500, dtype=int), np.ones(500, dtype=int)
    first = np.concatenate([zeros, ones, np.arange(4000) % 2])
    second = np.concatenate([ones, zeros, np.arange(4000) % 2])
    result = check_two_samples(first, second, 2, demand=DEMAND, labels=labels)
    assert result.verdict is Verdict.FAILED
    assert result.total_variation == 0


@pytest.mark.parametrize("cells", [2, 64])
def test_draws_needed_are_enough(cells: int) -> None:
    assert min_detectable_tv(draws_needed(0.01, cells, **RATES), cells, **RATES) <= 0.01
    assert min_detectable_tv(0, cells, **RATES) == 1


def test_arms_that_do_not_fit_are_refused(labels: Labels) -> None:
    process: TwoSampleProcess = started(2)
    with pytest.raises(ShapeError, match="expected pairs"):
        process.after(np.array([1, 0]), np.array([1, 1]))
    with pytest.raises(ShapeError, match="a batch of shapes"):
        process.after(np.array([1, 0, 0]), np.array([1, 0, 0]))
    with pytest.raises(ShapeError, match="first has shape"):
        check_two_samples(np.zeros(2, int), np.zeros(3, int), 2, demand=DEMAND, labels=labels)
    with pytest.raises(ShapeError, match=r"expected \(n,\)"):
        check_two_samples(
            np.zeros((2, 2), int), np.zeros((2, 2), int), 2, demand=DEMAND, labels=labels
        )
    with pytest.raises(InvalidParameterError, match="first is float64, expected integers"):
        check_two_samples(np.zeros(2), np.zeros(2, int), 2, demand=DEMAND, labels=labels)
    with pytest.raises(InvalidParameterError, match="second goes from 0 to 2, expected 0 to 1"):
        check_two_samples(np.array([0, 1]), np.array([0, 2]), 2, demand=DEMAND, labels=labels)
