"""Slips in what a uniform draw is: too coarse, rounded up to one, or not drawn at all.

A draw ``u`` of ``[0, 1)`` that is kept to ``n`` steps becomes ``floor(n u + s) / n``: cut off with
``s = 0``, rounded to the nearest with ``s = 1/2``, which yields 1 with probability ``1 / (2 n)``.
It lies below a threshold ``t`` exactly if ``u < (ceil(n t) - s) / n``, so a coarse draw is a fine
one asked about other thresholds, and its law is exact wherever the fine one's is.

Not here: draws that are used twice (see `specdec_verification.faults.composed`).
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

from specdec_core.distributions import Row, cached_on_rows
from specdec_core.draws import Draw, Draws, SymbolicDraw
from specdec_core.proposals import DraftPath
from specdec_core.sampling import accepts, sample
from specdec_verification.faults.path_slips import Position

HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Steps:
    """What a draw is kept to.

    Attributes
    ----------
    count : int
        ``n``.
    shift : Fraction
        ``s``: 0 to cut off, 1/2 to round.
    """

    count: int
    shift: Fraction = Fraction(0)

    def fine(self, threshold: Fraction) -> Fraction:
        """Return the threshold that a fine draw is below exactly if the coarse one is."""
        return min(
            max((ceil(self.count * threshold) - self.shift) / self.count, 0 * HALF), 2 * HALF
        )

    def fine_inclusive(self, threshold: Fraction) -> Fraction:
        """Return the same of a coarse draw that is below the threshold or equal to it."""
        return (floor(self.count * threshold) + 1 - self.shift) / self.count


HALF_PRECISION = Steps(1 << 11)
"""Numbers of 11 bits, as a half-precision model's own type holds them."""

SINGLE_PRECISION = Steps(1 << 24)
"""Numbers of 24 bits."""

ROUNDED = Steps(1 << 24, HALF)
"""A longer number rounded to 24 bits: 1 is among them."""


@dataclass(frozen=True, slots=True)
class CoarseDraw(SymbolicDraw):
    """A draw kept to steps; the fine one answers for it."""

    fine: Draw
    steps: Steps

    def scaled_below(self, scale: Any, threshold: Any) -> bool:  # noqa: ANN401
        """Return whether ``draw * scale < threshold``."""
        if not scale:
            return bool(threshold > 0)
        below = self.steps.fine(Fraction(threshold) / Fraction(scale))
        return accepts(self.fine, below, Fraction(1))

    def scaled_at_most(self, scale: Any, threshold: Any) -> bool:  # noqa: ANN401
        """Return whether ``draw * scale <= threshold``."""
        below = self.steps.fine_inclusive(Fraction(threshold) / Fraction(scale))
        return accepts(self.fine, below, Fraction(1))

    def choose(self, row: Row) -> int:
        """Return the first token whose running sum exceeds the draw, or the last of all."""
        return sample(coarse_row(row, self.steps), self.fine)


@cached_on_rows
def coarse_row(row: Row, steps: Steps) -> Row:
    """Return the law of the token that a coarse draw chooses from a row.

    >>> coarse_row(Row([Fraction(1, 3), Fraction(2, 3), Fraction(0)]), Steps(4, HALF))
    Row(3/8, 1/2, 1/8)
    """
    sums = [steps.fine(Fraction(total)) for total in row.cumulative[:-1]]
    ends = [*sums, Fraction(1)]
    return Row(end - start for start, end in zip([Fraction(0), *sums], ends, strict=True))


@dataclass(frozen=True, slots=True)
class CoarseDraws:
    """A source of draws, each kept to steps."""

    inner: Draws
    steps: Steps

    def uniform(self) -> CoarseDraw:
        """Return the next draw, made coarse."""
        return CoarseDraw(self.inner.uniform(), self.steps)


def take_coarse_coins(proposal: DraftPath, draws: Draws) -> list[Draw]:
    """Take one draw of half precision for each position."""
    coarse = CoarseDraws(draws, HALF_PRECISION)
    return [coarse.uniform() for _ in proposal.tokens]


def accept_coarse_inclusive(draw: Any, position: Position) -> bool:  # noqa: ANN401
    """Accept at equality too, where a draw of 0 is not rare."""
    token = position.token
    return bool(draw.scaled_at_most(position.q[token], position.p[token]))


def take_zero_coins(proposal: DraftPath, draws: Draws) -> list[Draw]:
    """Take no draw: every coin is 0."""
    return [Fraction(0) for _ in proposal.tokens]
