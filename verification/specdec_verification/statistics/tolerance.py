"""A tolerant check: whether a law is within a stated total variation of the one claimed.

Quantised or half-precision kernels are off by design, and a check of the exact law fails them
sooner or later.  Here the law claimed is a ball: every law on its support within ``tolerance`` of
it.  The probability of the counts under the Dirichlet mixture (`dirichlet_mixture`) is divided by
the largest likelihood that any law of the ball gives them [1]_.  Against each law of the ball that
is at most an e-process, so the false-fail rate holds for all of them, at as many looks as one
likes.

The largest likelihood is found by filling: outcomes whose count over probability exceeds one level
are raised to it, those below another are lowered to it, until the mass moved is the tolerance.

A tolerance weakens the claim, so it is printed in the verdict.  It does not soften the support: an
outcome that the law rules out still fails at once.

What it can see, on top of the tolerance, is what `e_process` can see, at the threshold of the scale
that suits a law so far away; what rare outcomes can hide is added, as there.

References
----------
.. [1] Wasserman, Ramdas, Balakrishnan, "Universal inference", PNAS 117, 2020.
"""

import math
from collections.abc import Mapping

import numpy as np
from scipy.optimize import brentq
from scipy.special import xlogy

from specdec_core.distributions import Prob
from specdec_core.errors import InvalidParameterError
from specdec_verification.results import CheckResult, Labels
from specdec_verification.statistics.dirichlet_mixture import SCALES, Floats, log_e_value
from specdec_verification.statistics.e_process import cells_of
from specdec_verification.statistics.pooling import MIN_EXPECTED_COUNT
from specdec_verification.statistics.power import (
    least_draws,
    noncentrality_past,
    require_cells,
    require_count,
    require_rate,
    require_tv,
    tv_at,
)
from specdec_verification.statistics.sampled import Demand, Finding, Outcome, Tally, conclude

_LEAST_PROB = 1e-250
"""Counts over less would be infinite, and no level lies past them."""


def check_within(
    counts: Mapping[Outcome, int],
    expected_law: Mapping[Outcome, Prob],
    *,
    tolerance: float,
    demand: Demand,
    labels: Labels,
) -> CheckResult:
    """Check that counts come from a law within a total variation of the one claimed.

    Parameters
    ----------
    counts : mapping of outcome to int
        How often each outcome was drawn so far, at least zero.
    expected_law : mapping of outcome to Fraction or float
        Probability of each outcome; sums to one, exactly if the entries are fractions.
    tolerance : float
        Total variation that is forgiven, in ``(0, 1)``.
    demand : Demand
        Both error rates, and the total variation, larger than the tolerance, that a pass must
        rule out.
    labels : Labels
        What the result is called.

    Raises
    ------
    InvalidParameterError
        If the tolerance is out of range, or a count is no integer, or negative.
    InvalidDistributionError
        If ``expected_law`` is no distribution.

    Examples
    --------
    >>> demand = Demand(false_fail_rate=1e-6, false_pass_rate=0.01, max_tv=0.5)
    >>> labels = Labels("my kernel", "lossless", "coin", "V=2", "pytest -k coin")
    >>> coin = {0: 0.5, 1: 0.5}
    >>> check_within({0: 625, 1: 375}, coin, tolerance=0.125, demand=demand, labels=labels).detail
    'within the tolerance 0.125: log10 of the e-value -2, rejected from 6 on'
    """
    require_rate(tolerance, "tolerance")

    def test(tally: Tally[Outcome], demand: Demand) -> Finding:
        return _within_test(tally, demand, tolerance)

    return conclude("within", test, Tally(counts, expected_law), demand, labels)


def log_e_within(counts: Floats, probs: Floats, tolerance: float) -> float:
    """Return the natural logarithm of the e-value of counts against a ball of laws.

    Parameters
    ----------
    counts : (K,) ndarray of float
        At least zero, and some of them positive.
    probs : (K,) ndarray of float
        The centre: positive; sums to one.
    tolerance : float
        The radius, in ``[0, 1)``.

    Examples
    --------
    >>> log_e_within(np.array([3.0, 1.0]), np.array([0.5, 0.5]), 0.25) < 0
    True
    """
    probs = np.maximum(probs, _LEAST_PROB)
    nearest = likeliest_within(counts, probs, tolerance)
    forgiven = xlogy(counts, nearest / probs).sum()
    return float(log_e_value(counts, probs)) - float(forgiven)


def likeliest_within(counts: Floats, probs: Floats, tolerance: float) -> Floats:
    """Return the law of a ball under which the counts are the likeliest.

    Parameters are those of `log_e_within`.

    Examples
    --------
    >>> likeliest_within(np.array([4.0, 0.0]), np.array([0.5, 0.5]), 0.25)
    array([0.75, 0.25])
    """
    frequencies = counts / counts.sum()
    if np.abs(frequencies - probs).sum() / 2 <= tolerance:
        return np.asarray(frequencies)
    ratios = counts / probs
    high, low = _upper_level(counts, probs, tolerance), _lower_level(counts, probs, tolerance)
    nearest = np.where(ratios > high, counts / high, probs)
    if low > 0:
        return np.where(ratios < low, counts / low, nearest)
    # Outcomes that were not drawn give up the whole mass, in any shares.
    undrawn = probs[counts == 0].sum()
    return np.where(counts == 0, probs * (1 - tolerance / undrawn), nearest)


def _upper_level(counts: Floats, probs: Floats, tolerance: float) -> float:
    """Return the level to which the highest ratios are raised: it moves the tolerance to them."""
    order = np.argsort(-counts / probs, kind="stable")
    levels = np.cumsum(counts[order]) / (np.cumsum(probs[order]) + tolerance)
    following = np.append((counts / probs)[order][1:], 0.0)
    return float(levels[np.argmax(levels >= following)])


def _lower_level(counts: Floats, probs: Floats, tolerance: float) -> float:
    """Return the level to which the lowest ratios are lowered: it takes the tolerance from them."""
    order = np.argsort(counts / probs, kind="stable")
    left = np.cumsum(probs[order]) - tolerance
    levels = np.cumsum(counts[order]) / np.where(left > 0, left, np.inf)
    following = np.append((counts / probs)[order][1:], np.inf)
    return float(levels[np.argmax((left > 0) & (levels <= following))])


def min_detectable_tv(draws: int, cells: int, *, tolerance: float, demand: Demand) -> float:
    """Return the smallest total variation, tolerance included, that the check cannot miss.

    Parameters
    ----------
    draws : int
        Outcomes drawn, at least zero.
    cells : int
        Outcomes of nonzero probability, at least one.
    tolerance : float
        In ``(0, 1)``.
    demand : Demand
        The error rates.

    Returns
    -------
    float
        In ``(tolerance, 1]``.

    Examples
    --------
    >>> demand = Demand(false_fail_rate=1e-9, false_pass_rate=0.01, max_tv=0.05)
    >>> round(min_detectable_tv(1_000_000, 8, tolerance=0.01, demand=demand), 3)
    0.016
    """
    draws, cells = require_count(draws, "draws", least=0), require_cells(cells)
    require_rate(tolerance, "tolerance")
    false_pass_rate = demand.false_pass_rate
    if not draws or cells == 1:
        return min(1.0, tolerance + tv_at(0.0, draws, false_pass_rate))

    def unseen(beyond: float) -> float:
        """Return how much farther than ``beyond`` a law must lie to be seen."""
        threshold = _threshold(draws, cells - 1, tolerance + beyond, demand.false_fail_rate)
        return tv_at(noncentrality_past(threshold, 1, false_pass_rate), draws, false_pass_rate)

    if unseen(1 - tolerance) >= 1 - tolerance:
        return 1.0
    beyond = brentq(lambda beyond: unseen(beyond) - beyond, 0.0, 1 - tolerance)
    return min(1.0, tolerance + float(beyond))


def draws_needed(tv: float, cells: int, *, tolerance: float, demand: Demand) -> int:
    """Return how many draws make ``tv``, larger than the tolerance, detectable.

    Parameters are those of `min_detectable_tv`.

    Raises
    ------
    InvalidParameterError
        If ``tv`` is not larger than the tolerance.
    """
    require_tv(tv)
    require_rate(tolerance, "tolerance")
    if not tolerance < tv:
        raise InvalidParameterError(f"tv is {tv}, expected more than the tolerance {tolerance}")
    return least_draws(
        lambda draws: min_detectable_tv(draws, cells, tolerance=tolerance, demand=demand), tv
    )


def _threshold(draws: int, dof: int, distance: float, false_fail_rate: float) -> float:
    """Return what twice the log-likelihood ratio against the ball must be to reject.

    A prior of weight ``k`` around the centre costs ``dof / 2 * ln(1 + draws / k)`` for its width,
    and ``k`` times half the chi-square distance, here ``4 * distance**2``, for its place.
    """
    scales = np.array(SCALES)
    width = dof / 2 * np.log1p(draws / scales)
    place = 2 * distance**2 * draws * scales / (draws + scales)
    return 2 * (math.log(len(SCALES) / false_fail_rate) + float((width + place).min()))


def _within_test(tally: Tally[Outcome], demand: Demand, tolerance: float) -> Finding:
    counts, probs = cells_of(tally)
    log_e = log_e_within(counts, probs, tolerance) if counts.any() else math.inf
    rejects_from = -math.log(demand.false_fail_rate)
    rare = probs[tally.draws * probs < MIN_EXPECTED_COUNT]
    seen = min_detectable_tv(tally.draws, len(counts), tolerance=tolerance, demand=demand)
    return Finding(
        rejected=log_e >= rejects_from,
        min_detectable_tv=min(1.0, seen + float(rare.sum())),
        detail=f"within the tolerance {tolerance:g}: log10 of the e-value"
        f" {log_e / math.log(10):.3g}, rejected from {rejects_from / math.log(10):.3g} on",
    )
