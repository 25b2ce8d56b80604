"""Rows that can be seen: what a step hands to its last categorical draw, compared number by number.

With a hundred thousand tokens no sample sees much, but the row that a rejected token is replaced
from is there to be looked at, and so are the row of the bonus token and the threshold of each
acceptance.  From the very floats that the step was given, in doubles, the right ones follow:
``min(1, p / q)``, ``norm(max(0, p - q))``, and the target's last row.  A row is set against the
right one by their total variation, once either is brought to unit sum.  A probability where the
right row has none is reported apart, however small it is.

Rounding moves an entry ``p - q`` by half an ``epsilon`` of itself, since both are given; a common
factor, as the mass is, moves nothing; and a division by it is half an ``epsilon`` more.  So the
total variation is below one ``epsilon``, and `ULPS` of them are allowed.  Where the rows are equal
to rounding nothing is recovered, and nothing is compared.

Not here: steps that draw by themselves (see `watched_rows`), or hide their rows (see
`unseen_rows`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from specdec_core.errors import ShapeError
from specdec_verification.emissions import Malfunction, attempted
from specdec_verification.real_rows import RealRound, Rows
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict


class SeenRows(NamedTuple):
    """What was seen of a step, for given draft tokens.

    Attributes
    ----------
    acceptance_probs : (gamma,) array
        Of each draft token, given that all before it were accepted.
    recovered_probs : (gamma, V) array, or gamma rows
        What a rejected token is replaced from; of any nonnegative sum.
    bonus_probs : (V,) array
        What follows when all are accepted; of any nonnegative sum.
    """

    acceptance_probs: ArrayLike
    recovered_probs: ArrayLike | Sequence[ArrayLike]
    bonus_probs: ArrayLike


RowStep: TypeAlias = Callable[[NDArray[np.int64], Rows, Rows], SeenRows]
"""From draft tokens, target rows and draft rows to acceptance probabilities and rows."""

ULPS = 4
"""Units in the last place of one that a number may be off."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How far one thing that was seen lies from the right one.

    Attributes
    ----------
    what : str
    distance : float
        Total variation of a row, absolute difference of an acceptance probability.
    detail : str
        Where it is worst.
    impossible : bool
        Whether a token has probability that must have none, or the row is no row.
    """

    what: str
    distance: float
    detail: str
    impossible: bool = False


def check_seen_rows(step: RowStep, round_: RealRound, labels: Labels) -> CheckResult:
    """Check the rows of a step on one round.

    Parameters
    ----------
    step : callable
        Called once, with the round's arrays.
    round_ : RealRound
    labels : Labels
        What the result is called.

    Returns
    -------
    CheckResult
        Its total variation is the largest of a row; its size the numbers that were compared.
    """
    # Copies: a step may write into its arrays, and the right rows are computed from the round's.
    tokens, target_probs, draft_probs = (
        round_.draft_tokens.copy(),
        round_.target_probs.copy(),
        round_.draft_probs.copy(),
    )
    seen = attempted(lambda: _shown(step(tokens, target_probs, draft_probs), len(tokens)))
    if isinstance(seen, Malfunction):
        return _result(labels, Verdict.FAILED, None, 0, seen.reason)
    differences = list(_differences(seen, round_))
    bound = ULPS * float(np.finfo(round_.target_probs.dtype).eps)
    wrong = [one for one in differences if one.impossible or not one.distance <= bound]
    rows = [one.distance for one in differences if "row" in one.what]
    largest = max((distance for distance in rows if distance == distance), default=0.0)
    size = len(rows) * round_.target_probs.shape[1] + len(differences) - len(rows)
    if not wrong:
        detail = (
            f"{len(rows)} rows and {len(differences) - len(rows)} thresholds within {bound:.3g}"
        )
        return _result(labels, Verdict.PASSED, largest, size, detail)
    first = wrong[0]
    detail = f"{len(wrong)} of {len(differences)} differ; {first.what}: {first.detail}"
    return _result(labels, Verdict.FAILED, largest, size, detail)


def _shown(seen: object, gamma: int) -> SeenRows:
    """Return what a step showed, if it is as much as there is to compare."""
    if not isinstance(seen, tuple) or len(seen) != len(SeenRows._fields):
        raise ShapeError(f"the step returned a {type(seen).__name__}, expected SeenRows")
    found = SeenRows(*seen)
    acceptance_probs = np.asarray(found.acceptance_probs)
    if acceptance_probs.dtype.kind not in "fiu":
        raise ShapeError(f"acceptance_probs are {acceptance_probs.dtype}, expected floats")
    rows = len(cast(Sequence[ArrayLike], found.recovered_probs))
    if acceptance_probs.shape != (gamma,) or rows != gamma:
        raise ShapeError(
            f"acceptance_probs of shape {acceptance_probs.shape} and {rows} recovered rows, "
            f"expected ({gamma},) and {gamma}"
        )
    return found


def _differences(seen: SeenRows, round_: RealRound) -> Iterator[Difference]:
    """Yield one difference for everything that was seen."""
    acceptance_probs = np.asarray(seen.acceptance_probs, dtype=np.float64)
    recovered_probs = cast(Sequence[ArrayLike], seen.recovered_probs)
    for i, token in enumerate(round_.draft_tokens):
        p, q = (rows[i].astype(np.float64) for rows in (round_.target_probs, round_.draft_probs))
        right = min(1.0, p[token] / q[token])
        got = float(acceptance_probs[i])
        told = f"accepted with probability {got:.9g}, expected {right:.9g}"
        yield Difference(f"draft token {i}", abs(got - right), told)
        excess = np.maximum(p - q, 0.0)
        if right < 1 and excess.any():
            yield _row_difference(f"recovered row, position {i}", recovered_probs[i], excess)
        if not right:
            return  # what comes after cannot be reached
    last = round_.target_probs[-1].astype(np.float64)
    yield _row_difference("bonus row", seen.bonus_probs, last)


def _row_difference(what: str, got: ArrayLike, right: NDArray[np.float64]) -> Difference:
    given = np.asarray(got)
    if given.shape != right.shape:
        told = f"shape {given.shape}, expected {right.shape}"
        return Difference(what, 1.0, told, impossible=True)
    if given.dtype.kind not in "fiu":
        return Difference(what, 1.0, f"{given.dtype}, expected floats", impossible=True)
    row = given.astype(np.float64)
    total = row.sum()
    if not (np.isfinite(row).all() and (row >= 0).all() and total > 0):
        return Difference(what, 1.0, "no row of probabilities", impossible=True)
    share, due = row / total, right / right.sum()
    beyond = np.flatnonzero((right == 0) & (row > 0))
    if len(beyond):
        token = int(beyond[0])
        told = f"token {token} has probability {share[token]:.3g}, expected none"
        return Difference(what, float(np.abs(share - due).sum() / 2), told, impossible=True)
    worst = int(np.abs(share - due).argmax())
    distance = float(np.abs(share - due).sum() / 2)
    told = (
        f"total variation {distance:.3g}, most at token {worst}: {share[worst]:.9g}, "
        f"expected {due[worst]:.9g}"
    )
    return Difference(what, distance, told)


def _result(
    labels: Labels, verdict: Verdict, distance: Fraction | float | None, size: int, detail: str
) -> CheckResult:
    return CheckResult("seen_rows", labels, verdict, Evidence.EXACT_LAW, distance, size, detail)
