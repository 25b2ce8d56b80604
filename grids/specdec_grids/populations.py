"""Many points at once through one program.

Each point of a population has a number for every draw.  A question is put to all points that are
still together; where they answer differently they part, and the program goes on once for each
group.  So every point is compared with every threshold that it meets, by its own number, but the
program's text runs once a path, not once a point.

On exact rows a point's number is the fraction that it is, and comparisons are exact.  On floating
rows they are made in floats, as a replay of the point makes them.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Generic, TypeAlias

import numpy as np
from numpy.typing import NDArray

from specdec_core.distributions import Row
from specdec_core.draws import SymbolicDraw
from specdec_core.errors import InvalidParameterError
from specdec_core.laws import Law
from specdec_grids.affine import RELATIONS, Scaled, refusal, solve
from specdec_grids.programs import Outcome, Program
from specdec_grids.resolutions import count_below
from specdec_grids.trails import Asked, Choice, Trail, require_none_abandoned
from specdec_grids.walking import walk

Points: TypeAlias = NDArray[np.int64]
"""Indices of the points that are still together."""

BATCH = 1 << 16
"""Points that go through a program together: few enough for their columns to stay in cache."""

RESOLUTION = 1 << 53
"""Of a sampled draw: the doubles that numpy's generators draw are multiples of its inverse.

No column is finer, so that its numbers are exact as floats too.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One draw's numbers: an integer below the denominator for each point."""

    numerators: NDArray[np.int64]
    denominator: int


ColumnOf: TypeAlias = Callable[[int], Column]
"""From the number of a draw to its column."""


@dataclass(frozen=True, slots=True)
class Counts(Generic[Outcome]):
    """How many points led to each outcome.

    Attributes
    ----------
    counts : mapping of outcome to int
        Positive.
    points : int
        Their sum.
    """

    counts: Mapping[Outcome, int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", MappingProxyType(dict(self.counts)))

    @property
    def points(self) -> int:
        """How many points were counted."""
        return sum(self.counts.values())

    def __getitem__(self, outcome: Outcome) -> int:
        return self.counts.get(outcome, 0)

    @property
    def law(self) -> Law[Outcome]:
        """The share of each outcome, as a law."""
        points = self.points
        return Law({outcome: Fraction(count, points) for outcome, count in self.counts.items()})


def merge_counts(parts: Iterable[Mapping[Outcome, int]]) -> Counts[Outcome]:
    """Add up counts of disjoint parts, in whatever order they come.

    >>> merge_counts([{"a": 1}, {"b": 2, "a": 3}]).counts
    mappingproxy({'a': 4, 'b': 2})
    """
    total: dict[Outcome, int] = {}
    for part in parts:
        for outcome, count in part.items():
            total[outcome] = total.get(outcome, 0) + count
    return Counts(total)


def outcome_counts(program: Program[Outcome], size: int, column_of: ColumnOf) -> dict[Outcome, int]:
    """Return how many of a population's points lead to each outcome.

    Parameters
    ----------
    program : callable
        Takes one `Draws`, and returns a hashable outcome.
    size : int
        Points in every column.
    column_of : callable
        From the number of a draw to its column; asked once for each draw.
    """
    trail: Trail[Points] = Trail((size, 1))
    counts: dict[Outcome, int] = {}
    for outcome, (part, whole) in walk(program, trail, PopulationDraws(trail, size, column_of)):
        counts[outcome] = counts.get(outcome, 0) + part // whole  # a whole number of points
    require_none_abandoned(trail.abandoned)
    return counts


def sample_counts(
    program: Program[Outcome], size: int, rng: np.random.Generator
) -> Counts[Outcome]:
    """Draw ``size`` outcomes of a program, and count them.

    Parameters
    ----------
    program : callable
        Takes one `Draws`, and returns a hashable outcome.
    size : int
        Outcomes to draw, at least 1.
    rng : numpy.random.Generator
        Gives every draw of every outcome, at a resolution of 53 bits.
    """
    if size < 1:
        raise InvalidParameterError(f"size is {size}, expected at least 1")

    def batch(points: int) -> dict[Outcome, int]:
        return outcome_counts(
            program, points, lambda _: Column(rng.integers(RESOLUTION, size=points), RESOLUTION)
        )

    return merge_counts(batch(min(BATCH, size - done)) for done in range(0, size, BATCH))


class PopulationDraws:
    """Draws of a whole population, one run after another; the trail counts them."""

    __reduce_ex__ = refusal("copying the source of draws")

    def __init__(self, trail: Trail[Points], size: int, column_of: ColumnOf) -> None:
        self._trail = trail
        self._all = np.arange(size)
        self._column_of = column_of
        self._draws: list[ColumnDraw] = []

    def uniform(self) -> "ColumnDraw":
        """Return the next draw of all points."""
        index = self._trail.taken
        self._trail.taken = index + 1
        if index == len(self._draws):
            draw = ColumnDraw(self._trail, index, self._column_of(index), self._all)
            self._draws.append(draw)
        return self._draws[index]


class ColumnDraw(Scaled, SymbolicDraw):
    """One draw of every point; those that answer differently part."""

    __slots__ = ("column", "everyone", "index", "trail")

    def __init__(self, trail: Trail[Points], index: int, column: Column, everyone: Points) -> None:
        super().__init__(self, 1, 0)
        self.trail = trail
        self.index = index
        self.column = column
        self.everyone = everyone

    def __mul__(self, other: Any) -> Scaled:  # noqa: ANN401  (a number of any kind)
        return Scaled(self, other, 0)

    __rmul__ = __mul__

    def scaled_below(self, scale: Any, threshold: Any) -> bool:  # noqa: ANN401
        """Return whether ``scale * self < threshold``."""
        return self.ask("<", scale, 0, threshold)

    def choose(self, row: Row) -> int:
        """Return the token that one group of points chooses; the others come later."""
        asked = (self.index, row)
        return self._answer(asked, lambda numerators: self._tokens(row, numerators))

    def ask(self, relation: str, scale: Any, shift: Any, threshold: Any) -> bool:  # noqa: ANN401
        """Return whether ``scale * self + shift`` has the relation to the threshold."""
        asked = (self.index, relation, scale, shift, threshold)
        return self._answer(asked, lambda numerators: self._truths(*asked[1:], numerators)) == 1

    def _answer(self, asked: Asked, answers_of: Callable[[Points], NDArray[Any]]) -> int:
        choice = self.trail.again(asked)
        if choice is None:
            together = self._together()
            numerators = self.column.numerators
            if together is not self.everyone:
                numerators = numerators[together]
            choice = self.trail.fork(asked, _part(together, answers_of(numerators)))
        return choice.answer

    def _together(self) -> Points:
        questions = self.trail.questions
        return questions[-1].choice.state if questions else self.everyone

    def _tokens(self, row: Row, numerators: Points) -> NDArray[np.int64]:
        if not row.exact:
            sums_of_floats = np.array(row.cumulative, dtype=np.float64)
            tokens = np.searchsorted(sums_of_floats, self._floats(numerators), side="right")
            return np.minimum(tokens, row.support[-1], dtype=np.int64)
        sums, denominator = row.cumulative_counts
        over = self.column.denominator
        ends = [count_below(part * over, denominator, False, over) for part in sums]
        return np.searchsorted(ends, numerators, side="right")

    def _truths(
        self,
        relation: str,
        scale: Any,  # noqa: ANN401
        shift: Any,  # noqa: ANN401
        threshold: Any,  # noqa: ANN401
        numerators: Points,
    ) -> NDArray[np.bool_]:
        cut = solve(relation, scale, shift, threshold)
        if any(isinstance(number, float | np.floating) for number in (scale, shift, threshold)):
            values = self._floats(numerators) * float(scale) + float(shift)
            truths: NDArray[np.bool_] = RELATIONS[relation](values, threshold)
            return truths
        over = self.column.denominator
        end = count_below(cut.numerator * over, cut.denominator, cut.inclusive, over)
        below: NDArray[np.bool_] = numerators < end
        return below if cut.answer_below else ~below

    def _floats(self, numerators: Points) -> NDArray[np.float64]:
        return numerators / self.column.denominator


def _part(together: Points, answers: NDArray[Any]) -> list[Choice[Points]]:
    """Return the groups of points that answer alike."""
    first = answers[0]
    alike = answers == first
    if alike.all():
        return [Choice(int(first), together, (1, 1))]
    groups = [(int(answer), together[answers == answer]) for answer in np.unique(answers)]
    return [Choice(answer, points, (len(points), len(together))) for answer, points in groups]
