"""What a chi-square check can see: from draws to a total variation, and back.

Under a law at total variation ``tv`` from the one claimed, both Pearson's statistic and ``G``
are close to noncentral chi-square, with noncentrality ``4 * draws * tv**2`` at least: for
Pearson's by Cauchy-Schwarz, for ``G`` by Pinsker's inequality.  Equality is reached, by half of
the probability growing and half shrinking in proportion.  So one number, the noncentrality that
a test needs, turns draws into a detectable total variation and back.

Not here: the tests themselves (see `chi_square`), nor what pooling hides (see `pooling`).
"""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.stats import chi2, ncx2

from specdec_core.errors import InvalidParameterError
from specdec_core.parameters import require_integer

MIN_TV = 1e-9
"""Nobody makes the draws that a smaller total variation needs."""

MIN_FALSE_FAIL_RATE, MIN_FALSE_PASS_RATE = 1e-300, 1e-30
"""Past them a quantile has no digits left, and would come out too small without a word."""

MAX_CELLS = 1 << 24
"""Past it quantiles of chi-square laws are not to be had."""


def noncentrality(cells: int, *, false_fail_rate: float, false_pass_rate: float) -> float:
    """Return the noncentrality that a chi-square test misses at ``false_pass_rate``.

    Solves ``ncx2.sf(chi2.isf(false_fail_rate, cells - 1), cells - 1, x) == 1 - false_pass_rate``
    for ``x``.

    Parameters
    ----------
    cells : int
        Cells of the test, at least one.
    false_fail_rate : float
        Probability, in ``(0, 1)``, that a right law fails.
    false_pass_rate : float
        Probability, in ``(0, 1)``, that a law at the noncentrality returned passes.

    Returns
    -------
    float
        Positive, and zero for one cell: nothing can differ inside it, so nothing is missed.

    Raises
    ------
    InvalidParameterError
        If an argument is out of range, or the two rates sum to one or more: a coin that looks
        at no draw does as well.

    Examples
    --------
    >>> round(noncentrality(8, false_fail_rate=1e-9, false_pass_rate=0.01), 1)
    89.2
    """
    dof = require_cells(cells) - 1
    require_rates(false_fail_rate, false_pass_rate)
    if not dof:
        return 0.0
    return noncentrality_past(float(chi2.isf(false_fail_rate, dof)), dof, float(false_pass_rate))


def min_detectable_tv(
    draws: int, cells: int, *, false_fail_rate: float, false_pass_rate: float
) -> float:
    """Return the smallest total variation that the check cannot miss.

    Equivalent to ``sqrt(noncentrality(cells, ...) / (4 * draws))``, kept inside two limits: from
    below by what a law outside the claimed support can hide, which is all there is for one cell,
    and from above by one.

    Parameters
    ----------
    draws : int
        Outcomes drawn, at least zero.
    cells : int
        Cells of the test, at least one, each of nonzero probability.
    false_fail_rate, false_pass_rate : float
        As `noncentrality` takes them.

    Returns
    -------
    float
        In ``(0, 1]``.  One where nothing but disjoint supports is sure to be seen, and where
        there is no draw at all.

    Raises
    ------
    InvalidParameterError
        As `noncentrality` does, or if ``draws`` is negative.

    Examples
    --------
    >>> round(min_detectable_tv(40_000, 3, false_fail_rate=1e-6, false_pass_rate=1e-3), 3)
    0.021
    """
    require_count(draws, "draws", least=0)
    needed = noncentrality(cells, false_fail_rate=false_fail_rate, false_pass_rate=false_pass_rate)
    return tv_at(needed, draws, false_pass_rate)


def draws_needed(tv: float, cells: int, *, false_fail_rate: float, false_pass_rate: float) -> int:
    """Return how many draws make ``tv`` detectable: the inverse of `min_detectable_tv`.

    Parameters
    ----------
    tv : float
        Total variation to be seen, in ``(0, 1)``.
    cells : int
        Cells of the test, at least one, each of nonzero probability.
    false_fail_rate, false_pass_rate : float
        As `noncentrality` takes them.

    Returns
    -------
    int
        At least one, and enough for the cells as given: where the rarest cell expects fewer than
        `pooling.MIN_EXPECTED_COUNT` of these draws, pooling asks for more.

    Raises
    ------
    InvalidParameterError
        As `noncentrality` does, or if ``tv`` is not in ``(0, 1)``.

    Examples
    --------
    >>> draws_needed(0.1, 8, false_fail_rate=1e-9, false_pass_rate=0.01)
    2230
    """
    require_tv(tv)
    needed = noncentrality(cells, false_fail_rate=false_fail_rate, false_pass_rate=false_pass_rate)
    return draws_at(needed, tv, false_pass_rate)


def require_rate(value: float, name: str) -> None:
    """Raise `InvalidParameterError` unless ``value`` is a number strictly between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.floating):
        raise InvalidParameterError(
            f"{name} is {value!r} ({type(value).__name__}), expected a float in (0, 1)"
        )
    if not 0 < value < 1:
        raise InvalidParameterError(f"{name} is {value}, expected a float in (0, 1)")


def require_tv(value: float) -> None:
    """Raise `InvalidParameterError` unless ``value`` is a total variation that can be planned."""
    require_rate(value, "tv")
    if value < MIN_TV:
        raise InvalidParameterError(f"tv is {value}, expected at least {MIN_TV}")


def require_count(value: int, name: str, *, least: int) -> int:
    """Return ``value`` as an int, or raise `InvalidParameterError` if it is below ``least``.

    A number of numpy's own types would wrap around where counts are multiplied.
    """
    return require_integer(value, name, minimum=least)


def require_cells(value: int, *, most: int = MAX_CELLS) -> int:
    """Return a number of cells as an int, or raise `InvalidParameterError`."""
    cells = require_count(value, "cells", least=1)
    if cells > most:
        raise InvalidParameterError(f"cells is {cells}, expected at most {most}")
    return cells


def require_rates(false_fail_rate: float, false_pass_rate: float) -> None:
    """Raise `InvalidParameterError` unless both are rates, with a sum below one.

    Neither may be so small that nothing can be said of it.
    """
    for name, value, least in (
        ("false_fail_rate", false_fail_rate, MIN_FALSE_FAIL_RATE),
        ("false_pass_rate", false_pass_rate, MIN_FALSE_PASS_RATE),
    ):
        require_rate(value, name)
        if value < least:
            raise InvalidParameterError(f"{name} is {value}, expected at least {least}")
    total = false_fail_rate + false_pass_rate
    if total >= 1:
        raise InvalidParameterError(
            f"false_fail_rate and false_pass_rate sum to {total:g}, expected less than one"
        )


@lru_cache(maxsize=1 << 10)  # a run asks for the same few thresholds again and again
def noncentrality_past(threshold: float, dof: int, false_pass_rate: float) -> float:
    """Return the noncentrality at which a statistic stays below a threshold at the rate given.

    Whatever test rejects where a chi-square statistic passes a threshold of its own, this is what
    it needs.

    Parameters
    ----------
    threshold : float
        Of the statistic, at least zero.
    dof : int
        Degrees of freedom, at least one.
    false_pass_rate : float
        In ``(0, 1)``.

    Returns
    -------
    float
        The root ``x`` of ``ncx2.cdf(threshold, dof, x) == false_pass_rate``; zero if the central
        law stays below the threshold less often than that.

    Examples
    --------
    >>> threshold = chi2.isf(1e-9, 7)
    >>> round(noncentrality_past(threshold, 7, 0.01), 1)
    89.2
    """

    def excess(x: float) -> float:
        # The lower tail, because 1 - false_pass_rate has no digits left for a tiny rate.
        return float(ncx2.cdf(threshold, dof, x)) - false_pass_rate

    if excess(0.0) <= 0:
        return 0.0
    upper = 1.0
    while excess(upper) > 0:
        upper *= 2
    return float(brentq(excess, 0.0, upper))


def tv_at(needed: float, draws: int, false_pass_rate: float) -> float:
    """Return the total variation that a test which needs a noncentrality cannot miss.

    That is ``sqrt(needed / (4 * draws))``, inside the two limits of `min_detectable_tv`.

    Parameters
    ----------
    needed : float
        The noncentrality, at least zero.
    draws : int
        At least zero.
    false_pass_rate : float
        In ``(0, 1)``.
    """
    if draws == 0:
        return 1.0
    inside = math.sqrt(needed / (4 * int(draws)))
    # Mass s outside the support stays unseen with probability (1 - s) ** draws.
    outside = -math.expm1(math.log(false_pass_rate) / int(draws))
    return min(1.0, max(inside, outside))


def draws_at(needed: float, tv: float, false_pass_rate: float) -> int:
    """Return the draws that make ``tv`` detectable at a noncentrality: `tv_at`, inverted."""
    inside = needed / (4 * tv * tv)
    outside = math.log(false_pass_rate) / math.log1p(-tv)
    return math.ceil(max(inside, outside))


def least_draws(detectable: Callable[[int], float], tv: float) -> int:
    """Return how few draws make ``tv`` detectable, where there is no formula for it.

    Parameters
    ----------
    detectable : callable
        From a number of draws to the total variation that they make detectable, which falls
        towards zero as draws are added.
    tv : float
        In ``(0, 1)``.

    Examples
    --------
    >>> least_draws(lambda draws: 1 / draws, 0.125)
    8
    """
    require_tv(tv)
    enough = 1
    while detectable(enough) > tv:
        enough *= 2
    short = enough // 2  # one draw may be enough; no draw never is
    while enough - short > 1:
        middle = (short + enough) // 2
        if detectable(middle) > tv:
            short = middle
        else:
            enough = middle
    return enough
