"""Goodness of fit: Pearson's chi-square and the likelihood-ratio statistic ``G``.

Both compare the counts got in each cell with the counts expected, ``sum((got - expected)**2 /
expected)`` [1]_ and ``2 * sum(got * ln(got / expected))`` [2]_, and both follow the chi-square law
with one degree of freedom less than there are cells if the law claimed is right.  They share one
skeleton and differ in what a cell contributes.

Prefer ``G`` at small rates.  The chi-square law is a limit, and ``false_fail_rate`` is that of the
limit.  The exact one, a binomial sum over two cells and 10 000 draws, is at the worst expectation
of `MIN_EXPECTED_COUNT` or more for ``G`` 1.5 times the rate 1e-6 and 1.7 times 1e-9, for Pearson's
statistic 4.7 and 28 times.  With a rest that expects less, it is 8 and 26 times 1e-9 at worst.

Not here: looking more than once.  The number of draws is planned, and the rate is spent by the
first look.

References
----------
.. [1] Pearson, "On the criterion that a given system of deviations from the probable ... can be
   reasonably supposed to have arisen from random sampling", Philosophical Magazine 50, 1900.
.. [2] Wilks, "The large-sample distribution of the likelihood ratio for testing composite
   hypotheses", Annals of Mathematical Statistics 9, 1938.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, kl_div

from specdec_core.distributions import Prob
from specdec_verification.results import CheckResult, Labels
from specdec_verification.statistics.pooling import MIN_EXPECTED_COUNT, Cell, detectable_tv, pool
from specdec_verification.statistics.sampled import Demand, Finding, Outcome, Tally, conclude

Floats: TypeAlias = NDArray[np.float64]
Terms: TypeAlias = Callable[[Floats, Floats], Floats]
"""From counts got and counts expected to what each cell adds to the statistic."""


def check_chi_square(
    counts: Mapping[Outcome, int],
    expected_law: Mapping[Outcome, Prob],
    *,
    demand: Demand,
    labels: Labels,
) -> CheckResult:
    """Check counts against a law with Pearson's chi-square statistic.

    Parameters
    ----------
    counts : mapping of outcome to int
        How often each outcome was drawn, at least zero.
    expected_law : mapping of outcome to Fraction or float
        Probability of each outcome; sums to one, exactly if the entries are fractions.
    demand : Demand
        Both error rates, and the total variation that a pass must rule out.
    labels : Labels
        What the result is called.

    Returns
    -------
    CheckResult
        ``FAILED`` if an outcome was drawn that the law rules out, or the p-value is at most
        ``demand.false_fail_rate``; else ``INCONCLUSIVE`` if the detectable total variation is
        larger than ``demand.max_tv``, as it is without draws; else ``PASSED``.

    Raises
    ------
    InvalidParameterError
        If a count is no integer, or negative.
    InvalidDistributionError
        If ``expected_law`` is no distribution.

    Examples
    --------
    >>> demand = Demand(false_fail_rate=1e-6, false_pass_rate=0.01, max_tv=0.25)
    >>> labels = Labels("my sampler", "lossless", "coin", "V=2", "pytest -k coin")
    >>> result = check_chi_square({0: 520, 1: 480}, {0: 0.5, 1: 0.5}, demand=demand, labels=labels)
    >>> result.verdict.value, result.detail.split(";")[0]
    ('PASSED', 'statistic 1.6, degrees of freedom 1, p-value 0.206')
    """
    return conclude(
        "chi_square", partial(_fit, pearson_terms), Tally(counts, expected_law), demand, labels
    )


def check_g_test(
    counts: Mapping[Outcome, int],
    expected_law: Mapping[Outcome, Prob],
    *,
    demand: Demand,
    labels: Labels,
) -> CheckResult:
    """Check counts against a law with the likelihood-ratio statistic ``G``.

    Parameters, result and errors are those of `check_chi_square`.

    Examples
    --------
    >>> demand = Demand(false_fail_rate=1e-6, false_pass_rate=0.01, max_tv=0.25)
    >>> labels = Labels("my sampler", "lossless", "coin", "V=2", "pytest -k coin")
    >>> result = check_g_test({0: 625, 1: 375}, {0: 0.5, 1: 0.5}, demand=demand, labels=labels)
    >>> result.verdict.value, result.total_variation
    ('FAILED', 0.125)
    """
    return conclude("g_test", g_finding, Tally(counts, expected_law), demand, labels)


def g_finding(tally: Tally[Outcome], demand: Demand) -> Finding:
    """Return what ``G`` makes of a tally: a test as `sampled.conclude` takes it."""
    return _fit(g_terms, tally, demand)


def pearson_terms(got: Floats, expected: Floats) -> Floats:
    """Return what each cell adds to Pearson's statistic.

    Parameters
    ----------
    got, expected : (..., K) ndarray of float
        Counts in each cell, at least zero.

    Returns
    -------
    (..., K) ndarray of float
        ``(got - expected)**2 / expected``, with `MIN_EXPECTED_COUNT` for the denominator where
        less is expected.

    Notes
    -----
    Less is expected in the rest alone.  Without the floor, one draw where 0.001 was expected adds
    1000 to the statistic, and a rest that expects one draw of 1e6 fails 10 000 times as often as
    the rate 1e-9 allows (binomial sum).  With it the statistic is smaller, never larger; what
    that costs in power, `pooling.detectable_tv` counts.

    Examples
    --------
    >>> pearson_terms(np.array([220.0, 180.0]), np.array([200.0, 200.0]))
    array([2., 2.])
    """
    return np.square(got - expected) / np.maximum(expected, MIN_EXPECTED_COUNT)


def g_terms(got: Floats, expected: Floats) -> Floats:
    """Return what each cell adds to ``G``, none of it negative.

    Parameters
    ----------
    got, expected : (..., K) ndarray of float
        Counts in each cell, at least zero.

    Returns
    -------
    (..., K) ndarray of float
        ``2 * (got * ln(got / expected) - got + expected)`` with ``0 * ln(0) = 0``.  The last two
        cancel over all cells; with them each term is a distance, and nothing large cancels.

    Examples
    --------
    >>> g_terms(np.array([100.0, 0.0]), np.array([100.0, 50.0]))
    array([  0., 100.])
    """
    return 2 * np.asarray(kl_div(got, expected), dtype=np.float64)


def _fit(terms: Terms, tally: Tally[Outcome], demand: Demand) -> Finding:
    cells = pool(tally)
    by_cell = terms(
        np.array([cell.got for cell in cells], dtype=np.float64),
        np.array([cell.expected for cell in cells]),
    )
    statistic, dof = float(by_cell.sum()), len(cells) - 1
    p_value = float(chdtrc(dof, statistic)) if dof else 1.0
    farthest = cells[int(by_cell.argmax())]
    return Finding(
        rejected=p_value <= demand.false_fail_rate,
        min_detectable_tv=detectable_tv(cells, tally.draws, demand),
        detail=f"statistic {statistic:.4g}, degrees of freedom {dof}, p-value {p_value:.3g}; "
        f"farthest off is {farthest}: got {farthest.got}, expected {farthest.expected:.6g}"
        f"{_pooling_detail(cells)}",
    )


def _pooling_detail(cells: Sequence[Cell[Outcome]]) -> str:
    pooled = [cell for cell in cells if cell.pooled]
    if not pooled:
        return ""
    outcomes = sum(len(cell.outcomes) for cell in pooled)
    prob = sum(cell.prob for cell in pooled)
    return (
        f"; {outcomes} rare outcomes, of probability {prob:.3g} in all, were pooled into"
        f" {len(pooled)} cells, and inside a cell nothing is seen"
    )
