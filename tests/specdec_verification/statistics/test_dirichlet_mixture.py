"""The e-value of counts: rational arithmetic, mean exactly one, and outcomes that are left out."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln

from specdec_core.errors import InvalidParameterError, ShapeError
from specdec_verification.statistics.dirichlet_mixture import (
    SCALES,
    Groups,
    log_e_value,
    log_mean,
    log_ratios,
    stirling_rest,
)

LAW = (Fraction(1, 8), Fraction(3, 8), Fraction(1, 2))


def exact_ratio(counts: Sequence[int], law: Sequence[Fraction], scale: Fraction) -> Fraction:
    """Draw by draw, as in Polya's urn: what the urn predicts over what the law does."""
    ratio, drawn = Fraction(1), 0
    for count, prob in zip(counts, law, strict=True):
        for earlier in range(count):
            ratio *= (scale * prob + earlier) / (scale + drawn) / prob
            drawn += 1
    return ratio


def logarithm(ratio: Fraction) -> float:
    return math.log(ratio.numerator) - math.log(ratio.denominator)


@pytest.mark.parametrize("scale", [Fraction(1, 1000), 1, 10, 10**3, 10**6, 10**9, 10**12])
@pytest.mark.parametrize("counts", [(0, 0, 0), (1, 0, 0), (0, 0, 40), (60, 90, 200), (7, 300, 1)])
def test_the_closed_form_is_the_urn(counts: tuple[int, ...], scale: int | Fraction) -> None:
    expected = logarithm(exact_ratio(counts, LAW, Fraction(scale)))
    found = log_e_value(counts, [float(prob) for prob in LAW], (float(scale),))
    assert float(found) == pytest.approx(expected, rel=1e-11, abs=1e-11)


def test_the_mixture_is_the_mean_of_its_scales() -> None:
    counts = (10, 30, 20)
    exact = sum(exact_ratio(counts, LAW, Fraction(int(scale))) for scale in SCALES) / len(SCALES)
    found = log_e_value(counts, [float(prob) for prob in LAW])
    assert float(found) == pytest.approx(logarithm(exact), abs=1e-11)


@pytest.mark.parametrize("draws", [1, 2, 5, 9])
def test_the_mean_under_the_law_is_one(draws: int) -> None:
    """Summed over every count vector: what makes a rejection at ``1 / rate`` as rare as that."""
    vectors = [v for v in product(range(draws + 1), repeat=3) if sum(v) == draws]
    probs = np.array([float(prob) for prob in LAW])
    counts = np.array(vectors)
    log_multinomial = gammaln(draws + 1) - gammaln(counts + 1).sum(axis=1) + counts @ np.log(probs)
    assert np.exp(log_multinomial + log_e_value(counts, probs)).sum() == pytest.approx(1, abs=1e-12)


@given(
    counts=st.lists(st.integers(0, 10**6), min_size=4, max_size=4),
    parts=st.lists(st.integers(1, 20), min_size=4, max_size=4),
)
def test_many_draws_agree_with_log_gammas(counts: list[int], parts: list[int]) -> None:
    """Plain log-gammas, at a scale where they have digits enough."""
    law, got = np.array(parts) / sum(parts), np.array(counts, dtype=float)
    prior = 100.0 * law
    whole = gammaln(100.0) - gammaln(100.0 + got.sum())
    expected = whole + (gammaln(prior + got) - gammaln(prior) - got * np.log(law)).sum()
    assert float(log_e_value(got, law, (100.0,))) == pytest.approx(expected, rel=1e-9, abs=1e-5)


def test_an_outcome_that_the_law_rules_out_is_infinite_evidence() -> None:
    assert log_e_value([9, 1], [1.0, 0.0]) == math.inf
    assert log_e_value([9, 0], [1.0, 0.0]) == 0


def test_several_counts_are_taken_at_once() -> None:
    counts = np.array([[[5, 5], [9, 1]], [[0, 0], [1, 9]]])
    found = log_e_value(counts, [0.5, 0.5])
    assert found.shape == (2, 2)
    assert found[0, 1] == log_e_value([9, 1], [0.5, 0.5])
    assert found[1, 0] == 0


def test_a_law_is_divided_by_its_sum() -> None:
    """A sum of one and a millionth would add a hundred nats over 1e8 draws."""
    counts, law = [60_000_000, 40_000_000], np.array([0.6, 0.4])
    assert log_e_value(counts, law * (1 + 1e-6)) == pytest.approx(log_e_value(counts, law))


def test_a_subnormal_probability_is_no_trap() -> None:
    """The prior expects the rare outcome as rarely as the law, until it has come once."""
    none, one, two = (float(log_e_value([rare, 5], [5e-324, 1.0])) for rare in (0, 1, 2))
    assert none == pytest.approx(0, abs=1e-12)
    assert -1 < one < 0
    assert 600 < two < math.inf


@given(counts=st.lists(st.integers(0, 50), min_size=5, max_size=5).filter(any))
def test_outcomes_that_were_not_seen_need_not_be_listed(counts: list[int]) -> None:
    law = np.array([0.05, 0.1, 0.15, 0.3, 0.4])
    got = np.array(counts, dtype=float)
    seen = got > 0
    group = np.zeros(seen.sum(), dtype=int)
    found = Groups(got[seen], law[seen], group).log_ratios()[:, 0]
    assert found == pytest.approx(log_ratios(got, law), rel=1e-9, abs=1e-9)


def test_groups_do_not_mix() -> None:
    first, second = np.array([3.0, 4.0]), np.array([1.0, 0.0, 2.0])
    laws = np.array([0.5, 0.5]), np.array([0.25, 0.25, 0.5])
    both = Groups(
        np.concatenate([first, second]), np.concatenate(laws), np.array([0, 0, 1, 1, 1])
    ).log_ratios(np.array([1.0, 0.1]))
    shrunk = tuple(0.1 * scale for scale in SCALES)
    assert both[:, 0] == pytest.approx(log_ratios(first, laws[0]))
    assert both[:, 1] == pytest.approx(log_ratios(second, laws[1], shrunk))


def test_the_mean_of_logarithms_is_that_of_what_they_are_of() -> None:
    assert float(log_mean(np.log([1.0, 3.0, 8.0]))) == pytest.approx(math.log(4))


@pytest.mark.parametrize("x", [1e-300, 1e-3, 0.5, 1.0, 15.9, 16.0, 17.0, 1e6, 1e15])
def test_stirlings_rest_completes_his_formula(x: float) -> None:
    found = float(stirling_rest(np.array(x)))
    if x < 100:  # further out the formula and the log-gamma cancel, digit by digit
        formula = (x - 0.5) * math.log(x) - x + 0.5 * math.log(2 * math.pi)
        assert found == pytest.approx(math.lgamma(x) - formula, abs=1e-13, rel=1e-10)
    if x > 5:
        assert found == pytest.approx(1 / (12 * x), rel=2e-3)


@pytest.mark.parametrize(
    ("counts", "probs"), [([1, 2], [1.0]), ([[1], [2]], [0.5, 0.5]), (3, [1.0]), ([1], [[1.0]])]
)
def test_shapes_that_do_not_fit_are_refused(counts: list[int], probs: list[float]) -> None:
    with pytest.raises(ShapeError, match="expected"):
        log_e_value(counts, probs)


@pytest.mark.parametrize("probs", [[0.0, 0.0], [-0.5, 1.5], [math.nan, 1.0], [math.inf, 1.0]])
def test_a_law_that_is_none_is_refused(probs: list[float]) -> None:
    with pytest.raises(InvalidParameterError, match="probs has an entry"):
        log_e_value([1, 1], probs)


@pytest.mark.parametrize("count", [-1, math.nan])
def test_a_count_that_counts_nothing_is_refused(count: float) -> None:
    with pytest.raises(InvalidParameterError, match="expected at least 0"):
        log_e_value([1, count], [0.5, 0.5])
