"""Directed cells: a dozen cells of a huge vocabulary, placed where faults are.

With a vocabulary of 100 000 tokens no test of every token has power.  Most faults of a verifier
move mass between a few groups, though: tokens that were accepted or recovered, where the target is
above the draft or not, in the head of the target's row or in its tail, and in the last block of
the vocabulary, which a kernel that works in blocks may pad or cut.  At one position the law of
these groups is exact: a token is drafted and kept with probability ``min(p, q)``, and recovered
with ``max(0, p - q)``, with ``p`` the target and ``q`` the draft.

A token recovered where the target is not above the draft has probability zero, so one is enough.

Not here: faults inside a group, which no count of groups shows (see `split_events`).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from specdec_core.errors import InvalidDistributionError, InvalidParameterError, ShapeError
from specdec_verification.results import CheckResult, Labels
from specdec_verification.statistics.dirichlet_mixture import Floats
from specdec_verification.statistics.fit import check_fit
from specdec_verification.statistics.power import require_count
from specdec_verification.statistics.sampled import Demand

BLOCK = 1024
"""Tokens that a kernel works on at once, unless told otherwise."""

HEAD_MASS = 0.5
"""The head is the fewest tokens that together have this much of the target's mass."""

REGIONS = ("head", "tail", "last block")


class DirectedCell(NamedTuple):
    """One group of outcomes of one position."""

    accepted: bool
    target_above: bool
    region: str

    def __str__(self) -> str:
        how = "accepted" if self.accepted else "recovered"
        return f"{how}, target {'above' if self.target_above else 'not above'} draft, {self.region}"


CELLS = tuple(
    DirectedCell(accepted, above, region)
    for accepted in (True, False)
    for above in (True, False)
    for region in REGIONS
)


@dataclass(frozen=True, slots=True, eq=False)
class DirectedCells:
    """The cells of one pair of rows.

    Attributes
    ----------
    group : (V,) ndarray of int
        Of each token: which of the six groups it is in, target above or not by region.
    probs : (12,) ndarray of float
        Of `CELLS`, in their order; sums to one.
    """

    group: NDArray[np.int8]
    probs: Floats

    def counts(self, tokens: ArrayLike, accepted: ArrayLike) -> NDArray[np.int64]:
        """Return how many outcomes fell into each cell.

        Parameters
        ----------
        tokens : (n,) array of int
            What was emitted at the position, in ``[0, V)``.
        accepted : (n,) array of bool
            Whether it was the draft token.

        Raises
        ------
        ShapeError
            If the two differ in shape.
        InvalidParameterError
            If a token is no integer, or out of range.
        """
        emitted, kept = np.asarray(tokens), np.asarray(accepted, dtype=bool)
        if not emitted.size:
            emitted = emitted.astype(np.int64)  # an empty list is one of floats
        if emitted.shape != kept.shape or emitted.ndim != 1:
            raise ShapeError(
                f"tokens has shape {emitted.shape} and accepted {kept.shape}, expected (n,) twice"
            )
        if emitted.dtype.kind not in "iu":
            raise InvalidParameterError(f"tokens are {emitted.dtype}, expected integers")
        if emitted.size and not 0 <= emitted.min() <= emitted.max() < len(self.group):
            raise InvalidParameterError(
                f"tokens go from {emitted.min()} to {emitted.max()},"
                f" expected 0 to {len(self.group) - 1}"
            )
        offset = len(CELLS) // 2
        cell = self.group[emitted] + np.where(kept, 0, offset).astype(np.int8)
        return np.bincount(cell, minlength=len(CELLS))


def directed_cells(
    target_probs: ArrayLike, draft_probs: ArrayLike, block: int = BLOCK
) -> DirectedCells:
    """Return the cells of a target row and a draft row.

    Parameters
    ----------
    target_probs, draft_probs : (V,) array of float
        Distributions over the same vocabulary.  Each is divided by its sum, in doubles.
    block : int
        Tokens in a block; the last block is what is left of the vocabulary, at least one token.

    Raises
    ------
    ShapeError
        If the rows differ in length.
    InvalidParameterError
        If ``block`` is no positive integer.
    InvalidDistributionError
        If a row has no positive sum, or an entry that is negative or not finite.

    Examples
    --------
    >>> cells = directed_cells([0.5, 0.25, 0.25, 0.0], [0.25, 0.25, 0.25, 0.25], block=3)
    >>> {str(cell): float(prob) for cell, prob in zip(CELLS, cells.probs) if prob}
    ... # doctest: +NORMALIZE_WHITESPACE
    {'accepted, target above draft, head': 0.25,
     'accepted, target not above draft, tail': 0.5,
     'recovered, target above draft, head': 0.25}
    """
    block = require_count(block, "block", least=1)
    p, q = _row(target_probs, "target_probs"), _row(draft_probs, "draft_probs")
    if p.shape != q.shape:
        raise ShapeError(f"target_probs has {len(p)} tokens and draft_probs {len(q)}")
    group = np.where(p > q, 0, len(REGIONS)) + _regions(p, block)
    kept = np.bincount(group, weights=np.minimum(p, q), minlength=len(CELLS) // 2)
    recovered = np.bincount(group, weights=np.maximum(p - q, 0), minlength=len(CELLS) // 2)
    probs = np.concatenate([kept, recovered])
    return DirectedCells(group.astype(np.int8), probs / probs.sum())


def check_directed_cells(
    counts: NDArray[np.int64],
    cells: DirectedCells,
    *,
    demand: Demand,
    labels: Labels,
) -> CheckResult:
    """Check what was emitted at one position by its directed cells.

    Parameters
    ----------
    counts : (12,) ndarray of int
        From `DirectedCells.counts`, of all draws; planned, since ``G`` is asked too.
    cells : DirectedCells
        From `directed_cells`.
    demand : Demand
        Both error rates, and the total variation *between cells* that a pass must rule out.
    labels : Labels
        What the result is called.

    Returns
    -------
    CheckResult
        As `fit.check_fit` gives it.  What it can see, and the draws that it needs, are
        `fit.min_detectable_tv` and `fit.draws_needed` of at most twelve cells.
    """
    got_shape = np.shape(counts)
    if got_shape != (len(CELLS),):
        raise ShapeError(f"counts has shape {got_shape}, expected ({len(CELLS)},)")
    law = {str(cell): float(prob) for cell, prob in zip(CELLS, cells.probs, strict=True)}
    got = {str(cell): count for cell, count in zip(CELLS, counts, strict=True)}
    planned = max(1, int(sum(got.values())))
    return check_fit(got, law, planned_draws=planned, demand=demand, labels=labels)


def _row(probs: ArrayLike, name: str) -> Floats:
    row = np.asarray(probs, dtype=np.float64)
    total = float(row.sum())
    if row.ndim != 1:
        raise ShapeError(f"{name} has shape {row.shape}, expected (V,)")
    if not (np.isfinite(row).all() and (row >= 0).all() and total > 0):
        raise InvalidDistributionError(f"{name} has an entry that is no probability, or none")
    return row / total


def _regions(probs: Floats, block: int) -> NDArray[np.int64]:
    """Return the region of each token, as an index into `REGIONS`."""
    order = np.argsort(-probs, kind="stable")
    before = np.cumsum(probs[order]) - probs[order]
    region = np.empty(len(probs), dtype=np.int64)
    region[order] = np.where(before < HEAD_MASS, 0, 1)
    region[(len(probs) - 1) // block * block :] = 2
    return region
