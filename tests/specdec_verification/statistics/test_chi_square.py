"""Goodness of fit: exact and simulated error rates, the verdicts, and slips that must show.

With two cells the error rates are sums over a binomial law, not simulations.  Where outcomes are
drawn, the generator is fresh on every run, and the number of wrong verdicts is held against a
binomial bound that is broken once in 1e9 runs.
"""

import secrets
from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binom, chi2, power_divergence

from specdec_verification.results import CheckResult, Labels, Verdict
from specdec_verification.statistics.chi_square import (
    Terms,
    check_chi_square,
    check_g_test,
    g_terms,
    pearson_terms,
)
from specdec_verification.statistics.power import min_detectable_tv
from specdec_verification.statistics.sampled import Demand

LABELS = Labels("subject", "lossless", "instance", "V=2", "run it")
COIN = {0: 0.5, 1: 0.5}

Check = Callable[..., CheckResult]
BOTH = pytest.mark.parametrize("check", [check_chi_square, check_g_test])


def demand(false_fail_rate: float = 1e-9, max_tv: float = 0.1) -> Demand:
    return Demand(false_fail_rate=false_fail_rate, false_pass_rate=0.01, max_tv=max_tv)


def failed_prob(check: Check, claimed: float, true: float, false_fail_rate: float) -> float:
    """Return the exact probability that 1000 draws of two outcomes fail the check."""
    draws = 1000
    law = {0: claimed, 1: 1 - claimed}
    verdicts = [
        check({0: k, 1: draws - k}, law, demand=demand(false_fail_rate), labels=LABELS).verdict
        for k in range(draws + 1)
    ]
    failed = [verdict is Verdict.FAILED for verdict in verdicts]
    return float(binom.pmf(np.arange(draws + 1), draws, true) @ failed)


@pytest.fixture
def seed() -> int:
    """Return a fresh seed, which pytest shows beside a failure."""
    return secrets.randbits(64)


# Worked examples.


@pytest.mark.parametrize(
    ("false_fail_rate", "verdict"), [(1e-6, Verdict.FAILED), (1e-9, Verdict.PASSED)]
)
def test_weldons_dice(false_fail_rate: float, verdict: Verdict) -> None:
    """Weldon's 315 672 dice (Pearson 1900) showed 106 602 fives and sixes, a third claimed."""
    result = check_chi_square(
        {"five or six": 106_602, "less": 209_070},
        {"five or six": Fraction(1, 3), "less": Fraction(2, 3)},
        demand=demand(false_fail_rate),
        labels=LABELS,
    )
    statistic = Fraction(1378**2, 105_224) + Fraction(1378**2, 210_448)
    assert result.detail == (
        f"statistic {float(statistic):.4g}, degrees of freedom 1, p-value 1.96e-07; "
        "farthest off is 'five or six': got 106602, expected 105224"
    )
    assert result.verdict is verdict


@given(got=st.lists(st.integers(0, 10**6), min_size=2, max_size=8).filter(any))
def test_both_statistics_agree_with_scipy(got: list[int]) -> None:
    # The floor of Pearson's denominator is for the rest alone: here every cell expects more.
    observed = np.array(got, dtype=np.float64) + 50
    expected = np.full(len(got), observed.mean())
    pearson, _ = power_divergence(observed, expected, lambda_="pearson")
    g, _ = power_divergence(observed, expected, lambda_="log-likelihood")
    assert pearson_terms(observed, expected).sum() == pytest.approx(pearson)
    # scipy sums the terms without the two that cancel, so that large ones of either sign meet.
    assert g_terms(observed, expected).sum() == pytest.approx(g, abs=1e-6)


# Edges.


@BOTH
def test_exact_and_floating_laws_give_one_result(check: Check) -> None:
    counts = {0: 520, 1: 480}
    exact = check(counts, {0: Fraction(1, 2), 1: Fraction(1, 2)}, demand=demand(), labels=LABELS)
    assert exact == check(counts, COIN, demand=demand(), labels=LABELS)


@BOTH
@pytest.mark.parametrize("draws", [1, 10, 10**9])
def test_one_outcome_can_only_be_right_or_unlawful(check: Check, draws: int) -> None:
    result = check({0: draws}, {0: 1.0}, demand=demand(), labels=LABELS)
    assert result.detail.startswith("statistic 0, degrees of freedom 0, p-value 1;")
    assert result.verdict is (Verdict.PASSED if draws == 10**9 else Verdict.INCONCLUSIVE)


@BOTH
def test_an_outcome_that_never_came_is_a_term_not_an_error(check: Check) -> None:
    result = check({0: 1000}, COIN, demand=demand(), labels=LABELS)
    assert result.verdict is Verdict.FAILED
    assert result.total_variation == 0.5


@BOTH
def test_one_unlawful_draw_in_a_million_fails(check: Check) -> None:
    result = check({0: 500_000, 1: 500_000, 2: 1}, COIN, demand=demand(), labels=LABELS)
    assert result.verdict is Verdict.FAILED
    assert result.detail == "got 2 1 times, and the law rules it out"


@BOTH
def test_no_draws_are_inconclusive(check: Check) -> None:
    assert check({}, COIN, demand=demand(), labels=LABELS).verdict is Verdict.INCONCLUSIVE


@BOTH
def test_a_perfect_fit_is_inconclusive_until_the_draws_could_have_failed(check: Check) -> None:
    """At 1e-9 and 0.01 a coin needs 71.2 / (4 * 0.1**2) = 1780 draws to show 0.1."""
    few = check({0: 889, 1: 889}, COIN, demand=demand(), labels=LABELS)
    enough = check({0: 890, 1: 890}, COIN, demand=demand(), labels=LABELS)
    assert (few.verdict, enough.verdict) == (Verdict.INCONCLUSIVE, Verdict.PASSED)
    assert "0.1 was asked for" in few.detail


@BOTH
def test_what_pooling_hides_is_said_and_never_passes(check: Check) -> None:
    """One outcome of each pooled cell gets all of its draws: every cell fits, at a TV of 0.098.

    The 21 cells as wholes would show 0.052, and what is inside the pooled ones adds 0.1.
    """
    law = dict.fromkeys(range(1000), Fraction(1, 10_000)) | {1000: Fraction(9, 10)}
    counts = dict.fromkeys(range(0, 1000, 50), 50) | {1000: 9000}
    result = check(counts, law, demand=demand(max_tv=0.06), labels=LABELS)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.detail.startswith("statistic 0, degrees of freedom 20, p-value 1;")
    assert "1000 rare outcomes, of probability 0.1 in all, were pooled into 20" in result.detail
    assert "only a total variation of 0.1525 is sure to be seen" in result.detail


@BOTH
def test_a_fault_in_the_rest_alone_is_found(check: Check) -> None:
    """The rest expects 30 of a million draws and gets 200; the other cells are in order."""
    law = {"a": 0.5, "b": 0.49997, "rest": 0.00003}
    counts = {"a": 499_915, "b": 499_885, "rest": 200}
    result = check(counts, law, demand=demand(), labels=LABELS)
    assert result.verdict is Verdict.FAILED
    assert "farthest off is 'rest': got 200, expected 30" in result.detail


# Error rates, exact: two cells and a binomial sum.


@pytest.mark.parametrize(
    ("check", "claimed", "false_fail_rate", "times"),
    [
        (check_g_test, 0.5, 1e-2, 1.5),
        (check_g_test, 0.5, 1e-6, 1.5),
        (check_g_test, 0.5, 1e-9, 1.7),
        (check_g_test, 0.05, 1e-6, 1.5),
        (check_g_test, 0.05, 1e-9, 1.7),
        (check_g_test, 0.012, 1e-6, 8),
        (check_g_test, 0.001, 1e-9, 8),
        (check_chi_square, 0.5, 1e-2, 1.5),
        (check_chi_square, 0.5, 1e-6, 1.5),
        (check_chi_square, 0.5, 1e-9, 1.5),
        (check_chi_square, 0.05, 1e-6, 4.7),
        (check_chi_square, 0.05, 1e-9, 28),
        (check_chi_square, 0.012, 1e-6, 1),
        (check_chi_square, 0.001, 1e-9, 1),
    ],
)
def test_a_right_law_fails_no_more_often_than_documented(
    check: Check, claimed: float, false_fail_rate: float, times: float
) -> None:
    """The factors are those that the module states; 50, 12 and 1 draws are expected of 1000."""
    assert failed_prob(check, claimed, claimed, false_fail_rate) <= times * false_fail_rate


@BOTH
@pytest.mark.parametrize("false_fail_rate", [1e-2, 1e-6, 1e-9])
def test_a_coin_at_the_detectable_tv_is_missed_no_more_often_than_stated(
    check: Check, false_fail_rate: float
) -> None:
    tv = min_detectable_tv(1000, 2, false_fail_rate=false_fail_rate, false_pass_rate=0.01)
    assert 1 - failed_prob(check, 0.5, 0.5 + tv, false_fail_rate) <= 0.01


# Error rates, simulated.

REPEATS = 4000
MOST_WRONG = binom.isf(1e-9, REPEATS, 0.01)
"""Wrong verdicts of rate 0.01 that are exceeded once in 1e9 runs: twice their mean, 40."""

LAWS = {
    "uniform": dict.fromkeys(range(8), 0.125),
    "skewed": dict(enumerate([0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.0078125])),
    "pooled": dict(enumerate([0.75, 0.21875, *[0.001953125] * 16])),
}


def failures(
    check: Check, claimed: Mapping[int, float], true: list[float], seed: int, asked: Demand
) -> int:
    """Return how many of the repeats fail, of 8000 draws each."""
    samples = np.random.default_rng(seed).multinomial(8000, true, size=REPEATS)
    verdicts = (
        check(dict(enumerate(counts.tolist())), claimed, demand=asked, labels=LABELS).verdict
        for counts in samples
    )
    return sum(verdict is Verdict.FAILED for verdict in verdicts)


@BOTH
@pytest.mark.parametrize("name", LAWS)
def test_a_right_law_fails_at_the_stated_rate(check: Check, name: str, seed: int) -> None:
    law = LAWS[name]
    failed = failures(check, law, list(law.values()), seed, demand(1e-2))
    assert binom.ppf(1e-9, REPEATS, 0.01) <= failed <= MOST_WRONG


@BOTH
@pytest.mark.parametrize("false_fail_rate", [1e-2, 1e-9])
def test_a_wrong_law_at_the_detectable_tv_is_missed_at_the_stated_rate(
    check: Check, false_fail_rate: float, seed: int
) -> None:
    """The worst direction: half of the probability grows and half shrinks, in proportion."""
    tv = min_detectable_tv(8000, 8, false_fail_rate=false_fail_rate, false_pass_rate=0.01)
    true = [0.125 * (1 + 2 * tv if i < 4 else 1 - 2 * tv) for i in range(8)]
    failed = failures(check, LAWS["uniform"], true, seed, demand(false_fail_rate))
    assert REPEATS - failed <= MOST_WRONG


# Planted slips: a statistic is calibrated, or one of the two exact rates shows that it is not.


def calibrated(terms: Terms) -> bool:
    """Return whether 300 tosses of a fair coin keep both error rates, by a binomial sum."""
    draws, false_fail_rate, false_pass_rate = 300, 1e-6, 0.01
    heads = np.arange(1, draws, dtype=np.float64)
    got = np.stack([heads, draws - heads], axis=-1)
    failed = chi2.sf(terms(got, np.full(2, draws / 2)).sum(axis=-1), 1) <= false_fail_rate
    tv = min_detectable_tv(
        draws, 2, false_fail_rate=false_fail_rate, false_pass_rate=false_pass_rate
    )
    wrongly_failed = binom.pmf(heads, draws, 0.5) @ failed
    missed = binom.pmf(heads, draws, 0.5 + tv) @ ~failed
    return bool(wrongly_failed <= false_fail_rate and missed <= false_pass_rate)


Floats = NDArray[np.float64]


def denominator_got(got: Floats, expected: Floats) -> Floats:
    return np.square(got - expected) / got


def denominator_binomial(got: Floats, expected: Floats) -> Floats:
    variance: Floats = expected * (1 - expected / expected.sum())
    return np.square(got - expected) / variance


def denominator_forgotten(got: Floats, expected: Floats) -> Floats:
    return np.square(got - expected)


def square_forgotten(got: Floats, expected: Floats) -> Floats:
    return np.abs(got - expected) / expected


def last_cell_dropped(got: Floats, expected: Floats) -> Floats:
    return pearson_terms(got, expected)[..., :-1]


def factor_two_forgotten(got: Floats, expected: Floats) -> Floats:
    return g_terms(got, expected) / 2


def logarithm_in_bits(got: Floats, expected: Floats) -> Floats:
    return 2 * got * np.log2(got / expected)


def arguments_swapped(got: Floats, expected: Floats) -> Floats:
    return g_terms(expected, got)


@pytest.mark.parametrize("terms", [pearson_terms, g_terms])
def test_our_statistics_are_calibrated(terms: Terms) -> None:
    assert calibrated(terms)


@pytest.mark.parametrize(
    "slip",
    [
        denominator_got,
        denominator_binomial,
        denominator_forgotten,
        square_forgotten,
        last_cell_dropped,
        factor_two_forgotten,
        logarithm_in_bits,
        arguments_swapped,
    ],
)
def test_a_slip_in_the_statistic_is_noticed(slip: Terms) -> None:
    assert not calibrated(slip)


def test_a_rest_without_the_floor_would_fail_right_laws() -> None:
    """One draw of 1000 expected in the rest: six are too many for the plain statistic."""
    heads = np.arange(1001, dtype=np.float64)
    plain = np.square(heads - 1) / 1 + np.square(heads - 1) / 999
    wrongly_failed = binom.pmf(heads, 1000, 0.001) @ (chi2.sf(plain, 1) <= 1e-6)
    assert wrongly_failed > 500 * 1e-6
