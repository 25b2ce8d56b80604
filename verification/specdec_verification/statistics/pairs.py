"""Independence: the law of pairs of draws.

A sampler can have every marginal right and still be wrong: rows that share a seed repeat one
another, a generator that is set back with every call draws the same again.  So the law of *pairs*
is checked, an outcome with the one that came ``lag`` draws earlier.  If draws are independent, an
outcome follows the law claimed whatever the earlier one was, so each earlier outcome has an
e-value of its own (`dirichlet_mixture`), and their product at a common scale is an e-process.  No
pair is left out, though pairs overlap.

Not here: the law of the outcomes themselves (see `fit`), and draws that are more regular than
independent ones (see `regularity`).
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from specdec_core.errors import InvalidParameterError, ShapeError
from specdec_verification.results import CheckResult, Labels
from specdec_verification.statistics import e_process
from specdec_verification.statistics.dirichlet_mixture import Floats, Groups, log_mean
from specdec_verification.statistics.power import MAX_CELLS, require_cells, require_count
from specdec_verification.statistics.sampled import Demand, Drawn, Finding, concluded

MAX_GROUPS = 64
"""Outcomes are grouped into so many, by probability, before pairs are counted."""


def groups_of(probs: ArrayLike, most: int = MAX_GROUPS) -> NDArray[np.int64]:
    """Return the group of each outcome: itself, or one of ``most`` of about equal probability.

    Parameters
    ----------
    probs : (K,) array of float
        The law claimed.
    most : int
        Groups, at most; at least one.

    Returns
    -------
    (K,) ndarray of int
        Numbered from zero, each number used.

    Examples
    --------
    >>> groups_of([0.5, 0.25, 0.25], most=2).tolist()
    [0, 1, 1]
    """
    law, most = np.asarray(probs, dtype=np.float64), require_count(most, "most", least=1)
    if len(law) <= most:
        return np.arange(len(law))
    order = np.argsort(-law, kind="stable")
    middle = np.cumsum(law[order]) - law[order] / 2
    group = np.empty(len(law), dtype=np.int64)
    group[order] = np.minimum(most - 1, np.floor(middle / law.sum() * most))
    return np.unique(group, return_inverse=True)[1]


def pair_counts(groups: NDArray[np.integer], cells: int, lag: int = 1) -> NDArray[np.int64]:
    """Return how often each group followed each, ``lag`` draws later.

    Parameters
    ----------
    groups : (n,) array of int
        Of the draws, in order; in ``[0, cells)``.
    cells : int
        At least one.
    lag : int
        At least one.  One compares consecutive draws, and so the rows of one batch; the size of a
        batch compares a row with the same row of the batch before.

    Returns
    -------
    (cells, cells) ndarray of int
        Earlier outcome by later.  Counts of several stretches are added.

    Examples
    --------
    >>> pair_counts(np.array([0, 0, 1, 0]), 2).tolist()
    [[1, 1], [1, 0]]
    """
    cells, lag = require_count(cells, "cells", least=1), require_count(lag, "lag", least=1)
    groups = np.asarray(groups)
    if groups.size and groups.dtype.kind not in "iu":
        raise InvalidParameterError(f"groups are {groups.dtype}, expected integers")
    if groups.size and not 0 <= groups.min() <= groups.max() < cells:
        raise InvalidParameterError(
            f"groups go from {groups.min()} to {groups.max()}, expected 0 to {cells - 1}"
        )
    codes = groups[:-lag].astype(np.int64) * cells + groups[lag:]
    return np.bincount(codes, minlength=cells * cells).reshape(cells, cells)


def log_e_of_pairs(counts: NDArray[np.int64], probs: Floats) -> float:
    """Return the natural logarithm of the e-value of pairs against independence.

    Parameters
    ----------
    counts : (K, K) ndarray of int
        From `pair_counts`.
    probs : (K,) ndarray of float
        The law claimed of every draw; sums to one.

    Returns
    -------
    float
        Infinite where an outcome of probability zero was drawn.
    """
    if counts.shape != (len(probs), len(probs)):
        raise ShapeError(f"counts has shape {counts.shape}, expected {(len(probs),) * 2}")
    if counts.dtype.kind not in "iu" or (counts < 0).any():
        raise InvalidParameterError("counts has an entry that is no integer of at least 0")
    if not ((probs >= 0).all() and math.isclose(float(probs.sum()), 1.0, abs_tol=1e-6)):
        raise InvalidParameterError("probs is no distribution: an entry below 0, or another sum")
    if (counts[probs == 0] > 0).any() or (counts[:, probs == 0] > 0).any():
        return math.inf
    earlier, later = np.nonzero(counts)
    if not earlier.size:
        return 0.0
    seen, group = np.unique(earlier, return_inverse=True)
    pairs = Groups(counts[earlier, later].astype(np.float64), probs[later], group)
    # As if pairs were single outcomes: a prior's weight is shared out by the earlier one's law.
    return float(log_mean(pairs.log_ratios(probs[seen]).sum(axis=1)))


def check_pairs(
    counts: NDArray[np.int64], probs: Floats, *, demand: Demand, labels: Labels
) -> CheckResult:
    """Check that draws do not depend on earlier ones.

    Parameters
    ----------
    counts : (K, K) ndarray of int
        From `pair_counts`, of all draws so far.
    probs : (K,) ndarray of float
        The law claimed of every draw; sums to one.
    demand : Demand
        Both error rates, and the total variation of the law of pairs that a pass must rule out.
    labels : Labels
        What the result is called.

    Examples
    --------
    >>> demand = Demand(false_fail_rate=1e-6, false_pass_rate=0.01, max_tv=0.5)
    >>> labels = Labels("my sampler", "independent", "coin", "V=2", "pytest -k coin")
    >>> twice = np.array([0, 0, 1, 1] * 100)
    >>> counts = pair_counts(twice, 2)
    >>> check_pairs(counts, np.array([0.5, 0.5]), demand=demand, labels=labels).verdict.value
    'PASSED'
    >>> counts = pair_counts(np.array([0, 1] * 50), 2)
    >>> check_pairs(counts, np.array([0.5, 0.5]), demand=demand, labels=labels).verdict.value
    'FAILED'
    """
    log_e, draws = log_e_of_pairs(counts, probs), int(counts.sum())
    rejects_from = -math.log(demand.false_fail_rate)
    finding = Finding(
        rejected=log_e >= rejects_from,
        min_detectable_tv=detectable_tv(probs, draws, demand),
        detail=f"pairs: log10 of the e-value {log_e / math.log(10):.3g},"
        f" rejected from {rejects_from / math.log(10):.3g} on",
    )
    distance = (
        float(np.maximum(counts / draws - np.outer(probs, probs), 0).sum()) if draws else None
    )
    return concluded("pairs", finding, Drawn(draws, distance), demand, labels)


def detectable_tv(probs: Floats, draws: int, demand: Demand) -> float:
    """Return the smallest total variation of the law of pairs that `check_pairs` cannot miss.

    Parameters
    ----------
    probs : (K,) ndarray of float
        The law claimed of every draw; sums to one.
    draws : int
        Pairs, at least zero.
    demand : Demand
        The error rates.
    """
    law = probs[probs > 0]
    return e_process.detectable_tv(np.outer(law, law).ravel(), draws, demand)


def min_detectable_tv(
    draws: int, cells: int, *, false_fail_rate: float, false_pass_rate: float
) -> float:
    """Return the smallest total variation that the check cannot miss, no pair being rare.

    Parameters and errors are those of `e_process.min_detectable_tv`, with ``cells`` the outcomes of
    a single draw.
    """
    cells = require_cells(cells, most=math.isqrt(MAX_CELLS))
    return e_process.min_detectable_tv(
        draws,
        cells * cells,
        false_fail_rate=false_fail_rate,
        false_pass_rate=false_pass_rate,
    )


def draws_needed(tv: float, cells: int, *, false_fail_rate: float, false_pass_rate: float) -> int:
    """Return how many pairs make ``tv`` detectable: the inverse of `min_detectable_tv`."""
    cells = require_cells(cells, most=math.isqrt(MAX_CELLS))
    return e_process.draws_needed(
        tv,
        cells * cells,
        false_fail_rate=false_fail_rate,
        false_pass_rate=false_pass_rate,
    )
