"""``G`` with a bound that holds at every number of draws, instead of the chi-square limit.

``G`` is twice the draws times the relative entropy of the frequencies from the law claimed.  With
``x = G / 2`` and ``dof`` one less than the cells, ``exp(-x) * (e * x / dof) ** dof`` bounds the
chance of so much or more wherever ``x > dof`` [1]_, whatever the expectations are.  So the
false-fail rate of this check is no limit, unlike that of `chi_square.check_g_test`; the price is
two fifths more draws at 8 cells and the rate 1e-9.  Validity needs no pooling; it is pooled all the
same, since what it can see is found by the noncentral chi-square law, as in `power`.

Not here: looking more than once (see `e_process`).

References
----------
.. [1] Agrawal, "Finite-sample concentration of the multinomial in relative entropy", IEEE
   Transactions on Information Theory 66, 2020 (arXiv:1904.02291).
"""

import math
from collections.abc import Mapping

import numpy as np
from scipy.optimize import brentq

from specdec_core.distributions import Prob
from specdec_verification.results import CheckResult, Labels
from specdec_verification.statistics.chi_square import g_terms
from specdec_verification.statistics.pooling import pool
from specdec_verification.statistics.power import (
    draws_at,
    noncentrality_past,
    require_cells,
    require_count,
    require_rates,
    require_tv,
    tv_at,
)
from specdec_verification.statistics.sampled import Demand, Finding, Outcome, Tally, conclude


def check_relative_entropy(
    counts: Mapping[Outcome, int],
    expected_law: Mapping[Outcome, Prob],
    *,
    demand: Demand,
    labels: Labels,
) -> CheckResult:
    """Check counts against a law with ``G``, at a false-fail rate that is no limit.

    Parameters, result and errors are those of `chi_square.check_chi_square`.

    Examples
    --------
    >>> demand = Demand(false_fail_rate=1e-6, false_pass_rate=0.01, max_tv=0.25)
    >>> labels = Labels("my sampler", "lossless", "coin", "V=2", "pytest -k coin")
    >>> coin = {0: 0.5, 1: 0.5}
    >>> check_relative_entropy({0: 625, 1: 375}, coin, demand=demand, labels=labels).detail
    'relative entropy 0.0316 over 2 cells, p-value at most 1.65e-12'
    """
    return conclude("relative_entropy", _test, Tally(counts, expected_law), demand, labels)


def p_value_bound(statistic: float, dof: int) -> float:
    """Return a bound on the chance that ``G`` is as large as this, or larger, under the law.

    Parameters
    ----------
    statistic : float
        The value of ``G``, at least zero.
    dof : int
        Cells less one, at least zero.

    Returns
    -------
    float
        In ``[0, 1]``; one below twice the degrees of freedom, where the bound says nothing.

    Examples
    --------
    >>> p_value_bound(4.0, dof=2), p_value_bound(0.0, dof=0)
    (1.0, 1.0)
    """
    half = statistic / 2
    if half <= dof or not dof:
        return 1.0
    return math.exp(-half + dof + dof * math.log(half / dof))


def min_detectable_tv(
    draws: int, cells: int, *, false_fail_rate: float, false_pass_rate: float
) -> float:
    """Return the smallest total variation that the check cannot miss.

    Parameters and errors are those of `power.min_detectable_tv`.
    """
    require_count(draws, "draws", least=0)
    needed = noncentrality(cells, false_fail_rate=false_fail_rate, false_pass_rate=false_pass_rate)
    return tv_at(needed, draws, false_pass_rate)


def draws_needed(tv: float, cells: int, *, false_fail_rate: float, false_pass_rate: float) -> int:
    """Return how many draws make ``tv`` detectable: the inverse of `min_detectable_tv`.

    Parameters and errors are those of `power.draws_needed`.

    Examples
    --------
    >>> draws_needed(0.1, 8, false_fail_rate=1e-9, false_pass_rate=0.01)
    3002
    """
    require_tv(tv)
    needed = noncentrality(cells, false_fail_rate=false_fail_rate, false_pass_rate=false_pass_rate)
    return draws_at(needed, tv, false_pass_rate)


def noncentrality(cells: int, *, false_fail_rate: float, false_pass_rate: float) -> float:
    """Return the noncentrality that the check misses at ``false_pass_rate``.

    Parameters and errors are those of `power.noncentrality`.
    """
    dof = require_cells(cells) - 1
    require_rates(false_fail_rate, false_pass_rate)
    if not dof:
        return 0.0
    return noncentrality_past(_threshold(dof, false_fail_rate), dof, false_pass_rate)


def _threshold(dof: int, false_fail_rate: float) -> float:
    """Return the value of ``G`` from which the bound is below the rate."""
    upper = 2.0 * dof + 1.0
    while p_value_bound(upper, dof) > false_fail_rate:
        upper *= 2
    lower = 2.0 * dof * (1 + 1e-12)
    return float(brentq(lambda g: p_value_bound(g, dof) - false_fail_rate, lower, upper))


def _test(tally: Tally[Outcome], demand: Demand) -> Finding:
    cells = pool(tally)
    got = np.array([cell.got for cell in cells], dtype=np.float64)
    statistic = float(g_terms(got, np.array([cell.expected for cell in cells])).sum())
    p_value = p_value_bound(statistic, len(cells) - 1)
    seen = min_detectable_tv(
        tally.draws,
        len(cells),
        **demand.rates,
    )
    hidden = math.fsum(cell.prob for cell in cells if cell.pooled)
    return Finding(
        rejected=p_value <= demand.false_fail_rate,
        min_detectable_tv=min(1.0, seen + hidden),
        detail=f"relative entropy {statistic / 2 / tally.draws:.3g} over {len(cells)} cells,"
        f" p-value at most {p_value:.3g}",
    )
