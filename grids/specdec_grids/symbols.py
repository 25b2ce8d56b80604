"""A uniform draw as a symbol: an interval that each question splits.

What a program may ask of it is in `specdec_grids.affine`; besides, `choose` serves
`specdec_core.sampling.sample`.  The draw itself holds nothing: where it lies on the path at hand
is what the trail's answers say.
"""

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

from specdec_core.distributions import Row, cached_on_rows
from specdec_core.draws import SymbolicDraw
from specdec_grids.affine import Cut, Scaled, solve
from specdec_grids.resolutions import Interval, Resolution
from specdec_grids.trails import Choice, Trail

Side: TypeAlias = tuple[int, Interval]
"""An answer, and where the draw lies if it is given."""

Choices: TypeAlias = tuple[Choice[Interval], ...]
"""The possible answers to one question, in the order in which they are followed."""


class Uniform(Scaled, SymbolicDraw):
    """A draw that lies somewhere in an interval, which each answer makes smaller.

    Parameters
    ----------
    trail : Trail
        Of the run that the draw belongs to.
    index : int
        Which draw of the run it is, from zero.
    resolution : Resolution
        Continuous, or the lattice that the draw is a point of.
    """

    __slots__ = ("index", "resolution", "trail")

    def __init__(self, trail: Trail[Interval], index: int, resolution: Resolution) -> None:
        super().__init__(self, 1, 0)
        self.trail = trail
        self.index = index
        self.resolution = resolution

    def __mul__(self, other: Any) -> Scaled:  # noqa: ANN401  (a number of any kind)
        return Scaled(self, other, 0)

    __rmul__ = __mul__

    @property
    def interval(self) -> Interval:
        """Where the draw lies on this path, as far as the answers so far tell."""
        trail, index = self.trail, self.index
        for question in reversed(trail.questions[: trail.position]):
            if question.asked[0] == index:
                return question.choice.state
            if question.taken <= index:
                break  # it was asked before this draw was taken
        return self.resolution.whole

    @property
    def representative(self) -> Fraction:
        """A number from the middle of where the draw lies."""
        return self.resolution.representative(self.interval)

    def scaled_below(self, scale: Any, threshold: Any) -> bool:  # noqa: ANN401
        """Return whether ``scale * self < threshold``."""
        return self.ask("<", scale, 0, threshold)

    def choose(self, row: Row) -> int:
        """Return a token of nonzero probability; the others are followed later."""
        asked = (self.index, row)
        choice = self.trail.again(asked)
        if choice is None:
            choice = self.trail.fork(asked, cells(row, self.interval, self.resolution))
        return choice.answer

    def ask(self, relation: str, scale: Any, shift: Any, threshold: Any) -> bool:  # noqa: ANN401
        """Return whether ``scale * self + shift`` has the relation to the threshold."""
        asked = (self.index, relation, scale, shift, threshold)
        choice = self.trail.again(asked)
        if choice is None:
            cut = solve(relation, scale, shift, threshold)
            choice = self.trail.fork(asked, halves(cut, self.interval, self.resolution))
        return choice.answer == 1


@lru_cache(maxsize=1 << 14)  # most paths cut the same intervals at the same places
def halves(cut: Cut, before: Interval, resolution: Resolution) -> Choices:
    """Return what a comparison can answer of a draw that lies in an interval."""
    measure = resolution.below(cut.numerator, cut.denominator, cut.inclusive)
    below, above = before.cut(*measure)
    return choices(before, [(int(cut.answer_below), below), (int(cut.answer_above), above)])


@cached_on_rows
def cells(row: Row, before: Interval, resolution: Resolution) -> Choices:
    """Return which tokens a draw that lies in an interval can choose, by the cumulative sums."""
    sums, denominator = row.cumulative_counts
    rest, found = before, []
    for token in row.support[:-1]:
        cell, rest = rest.cut(*resolution.below(sums[token], denominator, False))
        found.append((token, cell))
    # The last token takes what rounding leaves of a floating row.
    return choices(before, [*found, (row.support[-1], rest)])


def choices(before: Interval, sides: Iterable[Side]) -> Choices:
    """Return the possible answers, each with its share of the interval that they part."""
    over, whole = before.denominator, before.high - before.low
    return tuple(
        Choice(answer, side, ((side.high - side.low) * over, whole * side.denominator))
        for answer, side in sides
        if side.high > side.low
    )
