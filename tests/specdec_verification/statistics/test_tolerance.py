"""The tolerant check: the likeliest law of a ball, and no evidence against anything inside it."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import xlogy
from scipy.stats import binom

from specdec_core.errors import InvalidParameterError
from specdec_verification.results import Labels, Verdict
from specdec_verification.statistics.dirichlet_mixture import log_e_value
from specdec_verification.statistics.sampled import Demand
from specdec_verification.statistics.tolerance import (
    check_within,
    draws_needed,
    likeliest_within,
    log_e_within,
    min_detectable_tv,
)

DEMAND = Demand(false_fail_rate=1e-9, false_pass_rate=0.01, max_tv=0.2)
COIN = {0: 0.5, 1: 0.5}


def distance(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(one - other).sum() / 2)


@given(
    counts=st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any),
    parts=st.lists(st.integers(1, 9), min_size=4, max_size=4),
    competitor=st.lists(st.integers(1, 9), min_size=4, max_size=4),
    tolerance=st.floats(0.01, 0.6),
)
def test_no_law_of_the_ball_is_likelier(
    counts: list[int], parts: list[int], competitor: list[int], tolerance: float
) -> None:
    got, centre = np.array(counts, dtype=float), np.array(parts) / sum(parts)
    found = likeliest_within(got, centre, tolerance)
    assert found.sum() == pytest.approx(1)
    assert found.min() >= 0
    assert distance(found, centre) <= tolerance + 1e-12
    for other in (np.array(competitor) / sum(competitor), got / got.sum()):
        for mixed in (other, 0.9 * found + 0.1 * other):
            share = min(1.0, tolerance / max(distance(mixed, centre), 1e-12))
            inside = centre + share * (mixed - centre)
            assert xlogy(got, inside).sum() <= xlogy(got, found).sum() + 1e-9


def test_frequencies_inside_the_ball_are_the_likeliest() -> None:
    counts = np.array([6.0, 4.0])
    assert likeliest_within(counts, np.array([0.5, 0.5]), 0.1).tolist() == [0.6, 0.4]


def test_the_mass_is_taken_from_the_lowest_and_given_to_the_highest() -> None:
    counts, centre = np.array([80.0, 10.0, 5.0, 5.0]), np.full(4, 0.25)
    found = likeliest_within(counts, centre, 0.25)
    assert found == pytest.approx([0.5, 0.25, 0.125, 0.125])


@pytest.mark.parametrize("true", [0.25, 0.4, 0.5, 0.75])
@pytest.mark.parametrize("draws", [1, 4, 12])
def test_the_mean_is_at_most_one_inside_the_ball(true: float, draws: int) -> None:
    """Summed over every count, for laws at distances up to the tolerance."""
    got = np.arange(draws + 1.0)
    log_es = [log_e_within(np.array([one, draws - one]), np.array([0.5, 0.5]), 0.25) for one in got]
    assert binom.pmf(got, draws, true) @ np.exp(log_es) <= 1 + 1e-12


def test_a_tolerance_can_only_lower_the_evidence() -> None:
    law = np.array([0.2, 0.3, 0.5])
    for counts in product((0.0, 7.0, 40.0), repeat=3):
        if any(counts):
            got = np.array(counts)
            assert log_e_within(got, law, 0.05) <= float(log_e_value(got, law)) + 1e-9


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ({0: 55_000, 1: 45_000}, Verdict.PASSED),
        ({0: 70_000, 1: 30_000}, Verdict.FAILED),
        ({0: 60, 1: 40}, Verdict.INCONCLUSIVE),
        ({0: 50_000, 1: 50_000, 2: 1}, Verdict.FAILED),
        ({2: 1}, Verdict.FAILED),
        ({}, Verdict.INCONCLUSIVE),
    ],
)
def test_verdicts(counts: dict[int, int], verdict: Verdict, labels: Labels) -> None:
    result = check_within(counts, COIN, tolerance=0.1, demand=DEMAND, labels=labels)
    assert result.verdict is verdict


def test_the_tolerance_is_in_the_verdict(labels: Labels) -> None:
    result = check_within({0: 9, 1: 9}, COIN, tolerance=0.125, demand=DEMAND, labels=labels)
    assert result.detail.startswith("within the tolerance 0.125: ")


def test_a_law_outside_is_missed_as_rarely_as_planned() -> None:
    """300 runs that miss with probability 0.01; more than this fails once in 1e10."""
    rng, tolerance, tv = np.random.default_rng(), 0.02, 0.05
    draws = draws_needed(tv, 8, tolerance=tolerance, demand=DEMAND)
    law = (1 + 2 * tv * np.where(np.arange(8) < 4, 1, -1)) / 8
    counts = rng.multinomial(draws, law, size=300).astype(float)
    log_es = [log_e_within(got, np.full(8, 1 / 8), tolerance) for got in counts]
    missed = sum(log_e < -math.log(1e-9) for log_e in log_es)
    assert missed <= binom.isf(1e-10, 300, 0.01)


@pytest.mark.parametrize("cells", [2, 64])
def test_what_is_detectable_shrinks_to_the_tolerance(cells: int) -> None:
    seen = [
        min_detectable_tv(10**power, cells, tolerance=0.01, demand=DEMAND)
        for power in range(0, 12, 2)
    ]
    assert seen == sorted(seen, reverse=True)
    assert 0.01 < seen[-1] < 0.011
    assert min_detectable_tv(0, cells, tolerance=0.01, demand=DEMAND) == 1


def test_one_cell_hides_what_few_draws_miss() -> None:
    found = min_detectable_tv(2, 1, tolerance=0.25, demand=DEMAND)
    assert found == 1
    assert min_detectable_tv(1000, 1, tolerance=0.25, demand=DEMAND) == pytest.approx(
        0.2546, abs=1e-4
    )


def test_a_tolerance_out_of_range_is_refused(labels: Labels) -> None:
    with pytest.raises(InvalidParameterError, match="tolerance is 0"):
        check_within({}, COIN, tolerance=0.0, demand=DEMAND, labels=labels)
    with pytest.raises(InvalidParameterError, match=r"more than the tolerance 0\.2"):
        draws_needed(0.1, 8, tolerance=0.2, demand=DEMAND)
