"""Two samplers, one law: an e-process for "the same", whatever the law is.

Speculation on against off, or one version against another, where nobody can say what the target's
law is.  Draws come in pairs, one from each arm.  From the pairs so far two smoothed laws are
estimated, one an arm, and their midpoint; each new pair is then bet on, the first of it to lean
from the midpoint towards the first arm's estimate and the second towards the second's, by a share
``w``.  If both arms have one law, the expected factors of a pair are ``1 + w c`` and ``1 - w c``
for some ``c``, whose product is at most one: so the product over all pairs, and its mean over
several ``w``, is an e-process [1]_.

The estimates may be as old as one likes.  Here they are those of the last look, so that a whole
batch costs as much as one pair; looks are taken each time that the pairs have grown by a tenth.

What it can see is approximate.  At total variation ``tv`` and ``x = pairs * tv**2``, the share
``w`` gains ``(2 w - w**2) x``, loses ``w**2 (cells - 1) / 2`` for each time that the pairs have
grown by a factor ``e`` while the laws are learnt, and varies by the root of twice both.  Simulated
with 2 to 256 cells, at the draws it asks for, it missed at most twice as often as it should.  With
cells that have few draws each it may miss more, and nothing about them is known beforehand.

Not here: one sampler against a law that is known, which takes a third of the draws.

References
----------
.. [1] Turner, Ly, Grünwald, "Generic E-variables for exact sequential k-sample tests that allow
   for optional stopping", 2021 (arXiv:2106.02693).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from specdec_core.errors import InvalidParameterError, ShapeError
from specdec_verification.results import CheckResult, Labels
from specdec_verification.statistics.dirichlet_mixture import Floats, log_mean
from specdec_verification.statistics.power import least_draws, require_count, require_rates
from specdec_verification.statistics.sampled import Demand, Drawn, Finding, concluded

SHARES = (0.1, 0.3, 0.6, 1.0)
"""How far the bets lean towards the estimates; their wealths are averaged."""

SMOOTHING = 0.5
"""Added to every count before a law is estimated."""

FIRST_LOOK = 64
LOOKS_GROW_BY = 1.1


@dataclass(frozen=True, slots=True, eq=False)
class TwoSampleProcess:
    """The wealth of all bets after some pairs, and what the next bets rest on.

    Attributes
    ----------
    first, second : (..., K) ndarray of int
        Counts of each arm so far.
    log_wealth : (W, ...) ndarray of float
        One for each of `SHARES`.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    log_wealth: Floats

    @property
    def pairs(self) -> int:
        """How many pairs were drawn."""
        return int(self.first.sum(axis=-1).flat[0])

    @property
    def log_e(self) -> Floats:
        """The natural logarithm of the e-value."""
        return log_mean(self.log_wealth)

    def after(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> "TwoSampleProcess":
        """Return the process after a batch of pairs: bet on it, then learn from it.

        Parameters
        ----------
        first, second : (..., K) ndarray of int
            Counts of each arm in this batch alone; equal sums.

        Raises
        ------
        ShapeError
            If the arms drew unequally often, or the cells are not those of the process.
        """
        if first.shape != self.first.shape or second.shape != self.second.shape:
            raise ShapeError(
                f"a batch of shapes {first.shape} and {second.shape}, expected {self.first.shape}"
            )
        if (first.sum(axis=-1) != second.sum(axis=-1)).any():
            raise ShapeError(
                f"the first arm drew {first.sum()} and the second {second.sum()}, expected pairs"
            )
        lean = self._lean()
        gained = [
            (first * _log1p_times(lean, share) + second * _log1p_times(-lean, share)).sum(axis=-1)
            for share in SHARES
        ]
        return TwoSampleProcess(
            self.first + first, self.second + second, self.log_wealth + np.array(gained)
        )

    def _lean(self) -> Floats:
        """Return how far the first arm's estimate lies from the midpoint, relative to it."""
        first, second = self.first + SMOOTHING, self.second + SMOOTHING
        return np.asarray((first - second) / (first + second))  # the arms have equal sums


def started(cells: int, runs: tuple[int, ...] = ()) -> TwoSampleProcess:
    """Return the process before any pair; its e-value is one.

    Parameters
    ----------
    cells : int
        Outcomes that either arm can have, at least one.
    runs : tuple of int
        Leading axes: several processes side by side.

    Examples
    --------
    >>> process = started(2).after(np.array([9, 1]), np.array([1, 9]))
    >>> process.pairs, float(process.log_e)
    (10, 0.0)
    """
    require_count(cells, "cells", least=1)
    nothing = np.zeros((*runs, cells), dtype=np.int64)
    return TwoSampleProcess(nothing, nothing, np.zeros((len(SHARES), *runs)))


def looks(pairs: int) -> Iterator[int]:
    """Yield the sizes of the batches in which so many pairs are bet on.

    >>> list(looks(80))
    [64, 6, 7, 3]
    """
    seen = 0
    while seen < pairs:
        batch = math.floor(seen * (LOOKS_GROW_BY - 1)) if seen else FIRST_LOOK
        batch = min(batch, pairs - seen)
        seen += batch
        yield batch


def check_two_samples(
    first: NDArray[np.integer],
    second: NDArray[np.integer],
    cells: int,
    *,
    demand: Demand,
    labels: Labels,
) -> CheckResult:
    """Check that two samplers have one law.

    Parameters
    ----------
    first, second : (n,) array of int
        What each drew, in the order in which it was drawn, as numbers in ``[0, cells)``.
    cells : int
        How many outcomes there are, stated beforehand.
    demand : Demand
        Both error rates, and the total variation of the two laws that a pass must rule out.
    labels : Labels
        What the result is called.

    Raises
    ------
    ShapeError
        If the arms are not of one length.
    InvalidParameterError
        If an outcome is out of range.

    Examples
    --------
    >>> demand = Demand(false_fail_rate=1e-6, false_pass_rate=0.01, max_tv=0.5)
    >>> labels = Labels("on and off", "one law", "coin", "V=2", "pytest -k coin")
    >>> tosses = np.arange(1000) % 2
    >>> check_two_samples(tosses, tosses, 2, demand=demand, labels=labels).verdict.value
    'PASSED'
    >>> check_two_samples(tosses, tosses * 0, 2, demand=demand, labels=labels).verdict.value
    'FAILED'
    """
    cells = require_count(cells, "cells", least=1)
    first, second = _outcomes(first, cells, "first"), _outcomes(second, cells, "second")
    if first.shape != second.shape:
        raise ShapeError(f"first has shape {first.shape} and second {second.shape}")
    process, at = started(cells), 0
    highest = 0.0
    for batch in looks(len(first)):
        part = slice(at, at + batch)
        process = process.after(
            np.bincount(first[part], minlength=cells), np.bincount(second[part], minlength=cells)
        )
        highest, at = max(highest, float(process.log_e)), at + batch
    return concluded("two_sample", *_found(process, highest, demand), demand, labels)


def _found(process: TwoSampleProcess, highest: float, demand: Demand) -> tuple[Finding, Drawn]:
    pairs, cells = process.pairs, process.first.shape[-1]
    rejects_from = -math.log(demand.false_fail_rate)
    finding = Finding(
        rejected=highest >= rejects_from,
        min_detectable_tv=min_detectable_tv(
            pairs,
            cells,
            **demand.rates,
        ),
        detail=f"log10 of the highest e-value {highest / math.log(10):.3g}, rejected from"
        f" {rejects_from / math.log(10):.3g} on" + ("" if pairs else "; no pair was drawn"),
    )
    distance = float(np.abs(process.first - process.second).sum()) / 2 / pairs if pairs else None
    return finding, Drawn(pairs, distance)


def min_detectable_tv(
    pairs: int, cells: int, *, false_fail_rate: float, false_pass_rate: float
) -> float:
    """Return the smallest total variation of two laws that the check cannot miss.

    Parameters
    ----------
    pairs : int
        Draws of each arm, at least zero.
    cells : int
        Outcomes that either arm can have, at least one.
    false_fail_rate, false_pass_rate : float
        Each in ``(0, 1)``, with a sum below one.

    Returns
    -------
    float
        In ``(0, 1]``.

    Examples
    --------
    >>> rates = {"false_fail_rate": 1e-9, "false_pass_rate": 0.01}
    >>> round(min_detectable_tv(700_000, 8, **rates), 3)
    0.01
    """
    pairs = require_count(pairs, "pairs", least=0)
    cells = require_count(cells, "cells", least=1)
    require_rates(false_fail_rate, false_pass_rate)
    if not pairs:
        return 1.0
    reaches = math.log(len(SHARES) / false_fail_rate)
    aged = (LOOKS_GROW_BY - 1) / math.log(LOOKS_GROW_BY)  # estimates are as old as the last look
    learnt = aged * (cells - 1) / 2 * max(1.0, math.log(2 * pairs / cells))
    quantile = max(0.0, -float(ndtri(false_pass_rate)))
    needed = min(_signal_needed(share, reaches, learnt, quantile) for share in SHARES)
    return min(1.0, math.sqrt(needed / pairs))


def draws_needed(tv: float, cells: int, *, false_fail_rate: float, false_pass_rate: float) -> int:
    """Return how many pairs make ``tv`` detectable: the inverse of `min_detectable_tv`.

    Parameters and errors are those of `power.draws_needed`; the draws are those of each arm.
    """
    rates = {"false_fail_rate": false_fail_rate, "false_pass_rate": false_pass_rate}
    return least_draws(lambda pairs: min_detectable_tv(pairs, cells, **rates), tv)


def _signal_needed(share: float, reaches: float, learnt: float, quantile: float) -> float:
    """Return ``pairs * tv**2`` at which the bets of one share reach what they must.

    Solves ``gain * x - loss - quantile * sqrt(2 * share**2 * x + 2 * loss) == reaches`` for ``x``.
    """
    gain, loss = share * (2 - share), share * share * learnt
    linear = 2 * gain * (reaches + loss) + 2 * (quantile * share) ** 2
    constant = (reaches + loss) ** 2 - 2 * quantile**2 * loss
    return (linear + math.sqrt(max(0.0, linear**2 - 4 * gain**2 * constant))) / (2 * gain**2)


def _log1p_times(lean: Floats, share: float) -> Floats:
    return np.asarray(np.log1p(share * lean))


def _outcomes(values: NDArray[np.integer], cells: int, name: str) -> NDArray[np.integer]:
    outcomes = np.asarray(values)
    if outcomes.size and outcomes.dtype.kind not in "iu":
        raise InvalidParameterError(f"{name} is {outcomes.dtype}, expected integers")
    if outcomes.ndim != 1:
        raise ShapeError(f"{name} has shape {outcomes.shape}, expected (n,)")
    if outcomes.size and not 0 <= outcomes.min() <= outcomes.max() < cells:
        raise InvalidParameterError(
            f"{name} goes from {outcomes.min()} to {outcomes.max()}, expected 0 to {cells - 1}"
        )
    return outcomes
