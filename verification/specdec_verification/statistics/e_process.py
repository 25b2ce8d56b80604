"""The e-process check: counts against a law, at as many looks as one likes.

The law is rejected once its e-value (`dirichlet_mixture`) reaches ``1 / false_fail_rate``.  However
often one looks, a right subject is then rejected with that probability at most, and nothing about
it is a limit: it holds at every number of draws and with expectations as small as they come, so
nothing is pooled.

What the check can see rests on an approximation.  With ``x`` Pearson's statistic, ``dof`` one less
than the cells and ``w = draws / (draws + k)``, the likelihood ratio of the prior of weight ``k`` is
close to ``exp(w * x / 2) * (1 - w) ** (dof / 2)``; the mixture therefore rejects where ``x`` passes
a threshold, and what lies past it is noncentral chi-square, as in `power`.  Looks before the last
are left out, and can only add.

The approximation needs draws in every cell.  Outcomes that expect few are taken together: a
Dirichlet prior on outcomes is one on groups of them, times one inside each group, and what the
latter costs is no more than its share of ``dof``.  So the claim is about the groups, at the
threshold of all outcomes, and the probability inside is added to it (`detectable_tv`).

Simulated at its own bound, a law is missed as often as stated with dozens of cells, and up to four
times as often with a thousand that expect 50 draws each, if all of them grow at the cost of one.

Not here: the fixed-sample test that sees a little more at the planned draws (see `fit`).

References
----------
.. [1] Vovk, Wang, "E-values: calibration, combination and applications", Annals of Statistics 49,
   2021.
"""

import math
from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp

from specdec_core.distributions import Prob
from specdec_verification.results import CheckResult, Labels
from specdec_verification.statistics.dirichlet_mixture import SCALES, Floats, log_e_value
from specdec_verification.statistics.pooling import MIN_EXPECTED_COUNT
from specdec_verification.statistics.power import (
    least_draws,
    noncentrality_past,
    require_cells,
    require_count,
    require_rates,
    tv_at,
)
from specdec_verification.statistics.sampled import Demand, Finding, Outcome, Tally, conclude


def check_e_process(
    counts: Mapping[Outcome, int],
    expected_law: Mapping[Outcome, Prob],
    *,
    demand: Demand,
    labels: Labels,
) -> CheckResult:
    """Check counts against a law by their e-value; call it again whenever there are more.

    Parameters
    ----------
    counts : mapping of outcome to int
        How often each outcome was drawn so far, at least zero: of all draws, not of the last ones.
    expected_law : mapping of outcome to Fraction or float
        Probability of each outcome; sums to one, exactly if the entries are fractions.
    demand : Demand
        Both error rates, and the total variation that a pass must rule out.  The false-fail rate
        is of all looks together.
    labels : Labels
        What the result is called.

    Returns
    -------
    CheckResult
        ``FAILED`` if the e-value is at least ``1 / demand.false_fail_rate``, as it is once an
        outcome was drawn that the law rules out; else ``INCONCLUSIVE`` if the detectable total
        variation is larger than ``demand.max_tv``; else ``PASSED``.

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
    >>> check_e_process({0: 625, 1: 375}, {0: 0.5, 1: 0.5}, demand=demand, labels=labels).detail
    'log10 of the e-value 11.7, rejected from 6 on'
    """
    return conclude("e_process", e_value_test, Tally(counts, expected_law), demand, labels)


def e_value_test(tally: Tally[Outcome], demand: Demand) -> Finding:
    """Return what the e-value makes of a tally: a test as `sampled.conclude` takes it."""
    log_e = log_e_of(tally)
    rejects_from = -math.log(demand.false_fail_rate)
    _, probs = cells_of(tally)
    return Finding(
        rejected=log_e >= rejects_from,
        min_detectable_tv=detectable_tv(probs, tally.draws, demand),
        detail=f"log10 of the e-value {log_e / math.log(10):.3g}, "
        f"rejected from {rejects_from / math.log(10):.3g} on",
    )


def log_e_of(tally: Tally[Outcome]) -> float:
    """Return the natural logarithm of a tally's e-value, infinite for an unlawful outcome."""
    if tally.unlawful:
        return math.inf
    counts, probs = cells_of(tally)
    return float(log_e_value(counts, probs))


def cells_of(tally: Tally[Outcome]) -> tuple[Floats, Floats]:
    """Return the counts and the probabilities of a tally's lawful outcomes, in the law's order."""
    lawful = [(tally.counts.get(outcome, 0), prob) for outcome, prob in tally.law.items() if prob]
    counts, probs = np.array(lawful, dtype=np.float64).T
    return counts, probs


def detectable_tv(probs: Floats, draws: int, demand: Demand) -> float:
    """Return the smallest total variation from a law that the check cannot miss.

    Parameters
    ----------
    probs : (K,) ndarray of float
        The law's outcomes of nonzero probability, at least one; sums to one.
    draws : int
        Outcomes drawn, at least zero.
    demand : Demand
        The error rates.

    Returns
    -------
    float
        In ``(0, 1]``: what `min_detectable_tv` says if every outcome expects
        `pooling.MIN_EXPECTED_COUNT` draws.  Those that do not are one cell, and their probability
        is added.
    """
    return detectable_tv_of(probs, draws, demand, cells=len(probs))


def detectable_tv_of(probs: Floats, draws: int, demand: Demand, *, cells: int) -> float:
    """Return `detectable_tv` where only some of the outcomes are listed.

    Parameters
    ----------
    probs : (K,) ndarray of float
        Some outcomes of nonzero probability.
    draws : int
        Outcomes drawn, at least zero.
    demand : Demand
        The error rates.
    cells : int
        How many outcomes of nonzero probability there are at most; at least one.
    """
    require_count(cells, "cells", least=1)
    common = probs[draws * probs >= MIN_EXPECTED_COUNT]
    if not draws or cells == 1:
        return tv_at(0.0, draws, demand.false_pass_rate)
    dof = len(common) - (len(common) == cells)
    if not dof:
        return 1.0
    threshold = _threshold(int(draws), cells - 1, demand.false_fail_rate)
    needed = noncentrality_past(threshold, dof, demand.false_pass_rate)
    hidden = 0.0 if len(common) == cells else 1.0 - float(common.sum())
    return min(1.0, tv_at(needed, draws, demand.false_pass_rate) + max(0.0, hidden))


def min_detectable_tv(
    draws: int, cells: int, *, false_fail_rate: float, false_pass_rate: float
) -> float:
    """Return the smallest total variation that the check cannot miss, none of the cells being rare.

    Parameters
    ----------
    draws : int
        Outcomes drawn, at least zero.
    cells : int
        Outcomes of nonzero probability, at least one.
    false_fail_rate, false_pass_rate : float
        Each in ``(0, 1)``, with a sum below one.

    Returns
    -------
    float
        In ``(0, 1]``.

    Raises
    ------
    InvalidParameterError
        If an argument is out of range.

    Examples
    --------
    >>> rates = {"false_fail_rate": 1e-9, "false_pass_rate": 0.01}
    >>> round(min_detectable_tv(270_000, 8, **rates), 4)
    0.0101
    """
    draws, dof = require_count(draws, "draws", least=0), require_cells(cells) - 1
    require_rates(false_fail_rate, false_pass_rate)
    if not draws or not dof:
        return tv_at(0.0, draws, false_pass_rate)
    threshold = _threshold(draws, dof, float(false_fail_rate))
    return tv_at(noncentrality_past(threshold, dof, false_pass_rate), draws, false_pass_rate)


def draws_needed(tv: float, cells: int, *, false_fail_rate: float, false_pass_rate: float) -> int:
    """Return how many draws make ``tv`` detectable: the inverse of `min_detectable_tv`.

    Parameters
    ----------
    tv : float
        In ``(0, 1)``.
    cells : int
        Outcomes of nonzero probability, at least one.
    false_fail_rate, false_pass_rate : float
        Each in ``(0, 1)``, with a sum below one.

    Raises
    ------
    InvalidParameterError
        If an argument is out of range.

    Examples
    --------
    >>> draws_needed(0.125, 8, false_fail_rate=1e-9, false_pass_rate=0.01)
    1721
    """
    rates = {"false_fail_rate": false_fail_rate, "false_pass_rate": false_pass_rate}
    return least_draws(lambda draws: min_detectable_tv(draws, cells, **rates), tv)


@lru_cache(maxsize=1 << 10)
def _threshold(draws: int, dof: int, false_fail_rate: float) -> float:
    """Return the value of Pearson's statistic from which the mixture rejects."""
    scales = np.array(SCALES)
    weights, log_shrunk = draws / (draws + scales), -np.log1p(draws / scales) * dof / 2
    rejects_from = math.log(len(SCALES) / false_fail_rate)

    def excess(statistic: float) -> float:
        return float(logsumexp(weights * statistic / 2 + log_shrunk)) - rejects_from

    upper = 1.0
    while excess(upper) < 0:
        upper *= 2
    return float(brentq(excess, 0.0, upper))
