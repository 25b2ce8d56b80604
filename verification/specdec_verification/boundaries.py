"""The points at which a program over draws changes its mind, one by one.

Between two thresholds a decision does not change, so a program is known everywhere once it is known
in the middle of every path's box and on both sides of every face of it.  `path_points` yields the
middles, `boundary_points` the faces: for every threshold that a draw meets on any path, that draw
just below it, on it and just above it, and at the two ends of ``[0, 1)``, with every other draw in
the middle of where it can be.  Thresholds are the ends of the boxes that path splitting finds
(`specdec_grids.paths`); nothing here computes one.

"Just below" is the number before it in the float format at hand, so that one unit in the last place
shows, if the threshold is a number of that format and the arithmetic that leads to it is exact
(`specdec_verification.dyadic_instances`).  Else rounding may move the threshold by a *slack*, and
the points keep that far away from it.

Not here: who is asked (see `specdec_verification.subjects.uniforms` and
`specdec_verification.vectors`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, Generic, TypeAlias

import numpy as np

from specdec_core.draws import Draw, Draws
from specdec_core.errors import InvalidParameterError
from specdec_grids.paths import paths
from specdec_grids.programs import Outcome, Program
from specdec_grids.resolutions import Interval

Numbers: TypeAlias = tuple[Fraction, ...]
"""Draws, each a number of the format."""


class Side(StrEnum):
    """Where a draw lies."""

    BELOW = "just below"
    AT = "at"
    ABOVE = "just above"
    END = "at the end"


@dataclass(frozen=True, slots=True)
class Place:
    """Which draw was put where.

    >>> str(Place(2, Fraction(1, 4), Side.BELOW))
    'draw 3 just below 1/4'
    """

    draw: int
    threshold: Fraction
    side: Side

    def __str__(self) -> str:
        return f"draw {self.draw + 1} {self.side} {self.threshold}"


@dataclass(frozen=True, slots=True)
class Point(Generic[Outcome]):
    """Draws, and the outcome that they lead to.

    Attributes
    ----------
    draws : tuple of Fraction
        In ``[0, 1)``, numbers of the float format: as many as the program takes there.
    outcome : Outcome
        What the program returns.
    place : Place or None
        Which draw lies at a threshold; ``None`` in the middle of a path's box.
    weight : Fraction
        In the middle of a box, the probability of the path; else 0.
    margin : Fraction
        Every draw but the one at the threshold keeps at least this far from each of its own.
    """

    draws: Numbers
    outcome: Outcome
    place: Place | None
    weight: Fraction
    margin: Fraction


@dataclass(frozen=True, slots=True)
class FloatFormat:
    """The numbers in ``[0, 1)`` that a draw can be, and how far rounding moves a threshold.

    Parameters
    ----------
    name : str
        ``"float32"`` or ``"float64"``.
    slack : Fraction
        How far rounding can move a threshold, at least 0; with 0, thresholds of the format itself
        are taken as exact, and those that are not keep ``4`` units in the last place of one.

    Raises
    ------
    InvalidParameterError
        If the name is another one, or the slack negative or 1/4 and more.

    Examples
    --------
    >>> float32 = FloatFormat("float32")
    >>> [str(side) for side, _ in float32.around(Fraction(1, 4))]
    ['just below', 'at', 'just above']
    >>> float32.around(Fraction(1, 4))[0][1] == Fraction(1, 4) - Fraction(1, 2**26)
    True
    >>> [str(side) for side, _ in float32.around(Fraction(1, 3))]
    ['just below', 'just above']
    """

    name: str
    slack: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if self.name not in ("float32", "float64"):
            raise InvalidParameterError(f"name is {self.name!r}, expected 'float32' or 'float64'")
        if not 0 <= self.slack < Fraction(1, 4):
            raise InvalidParameterError(f"slack is {self.slack}, expected at least 0, below 1/4")

    @property
    def epsilon(self) -> Fraction:
        """The distance from one to the next number."""
        return Fraction(float(np.finfo(self.name).eps))

    @property
    def ends(self) -> Numbers:
        """Zero, and of ``1 - 2^-24`` and ``1 - 2^-53`` those that the format has."""
        largest = [1 - Fraction(1, 1 << bits) for bits in (24, 53)]
        return (Fraction(0), *(end for end in largest if self.nearest(end) == end))

    def nearest(self, number: Fraction) -> Fraction:
        """Return the number of the format that is nearest."""
        return Fraction(float(np.dtype(self.name).type(float(number))))

    def around(self, threshold: Fraction) -> list[tuple[Side, Fraction]]:
        """Return the numbers to try at a threshold: below it, on it if that can be, above it."""
        exact = not self.slack and self.nearest(threshold) == threshold
        slack = Fraction(0) if exact else max(self.slack, 4 * self.epsilon)
        sides = [
            (Side.BELOW, self._next(threshold - slack, -1)),
            *([(Side.AT, threshold)] if exact else []),
            (Side.ABOVE, self._next(threshold + slack, 1)),
        ]
        return [(side, number) for side, number in sides if 0 <= number < 1]

    def _next(self, number: Fraction, direction: int) -> Fraction:
        """Return the number of the format next to another, strictly on one side of it."""
        kind = np.dtype(self.name).type
        found = kind(float(number))
        while (Fraction(float(found)) - number) * direction <= 0:
            found = np.nextafter(found, kind(2 * direction))
        return Fraction(float(found))


def path_points(program: Program[Outcome], numbers: FloatFormat) -> Iterator[Point[Outcome]]:
    """Yield the middle of every path's box; the weights sum to one.

    Raises
    ------
    InvalidParameterError
        If a path's box is so narrow that the format has no number well inside.
    """
    for path in paths(program):
        margin = min((_width(interval) for interval in path.box), default=Fraction(1)) / 2
        margin -= numbers.epsilon  # the middle is rounded to the format
        if margin <= numbers.slack:
            raise InvalidParameterError(
                f"a path of weight {path.weight} is narrower than {numbers.name} can resolve"
            )
        draws = tuple(map(numbers.nearest, path.draws))
        yield Point(draws, path.outcome, None, path.weight, margin)


def boundary_points(
    program: Program[Outcome],
    numbers: FloatFormat,
    keeps: Callable[[Side, Fraction], bool] = lambda side, threshold: True,
) -> Iterator[Point[Outcome]]:
    """Yield both sides of every threshold of every path, each point once.

    After the draw that lies at a threshold the program goes on as if nothing were decided yet, so
    every decision that can follow is met too.

    Parameters
    ----------
    program : callable
        Takes one `Draws`, and returns a hashable outcome; of at most some thousand paths.
    numbers : FloatFormat
        What a draw can be.
    keeps : callable
        From a side and its threshold to whether such a point is wanted.

    Examples
    --------
    >>> from specdec_core.sampling import accepts
    >>> coin = lambda draws: accepts(draws.uniform(), 1, 4)
    >>> for point in boundary_points(coin, FloatFormat("float32")):
    ...     print(point.place, point.outcome)
    draw 1 at the end 0 True
    draw 1 at the end 16777215/16777216 False
    draw 1 just below 1/4 True
    draw 1 at 1/4 False
    draw 1 just above 1/4 False
    """
    tried: set[Numbers] = set()
    for path in paths(program):
        for index, interval in enumerate(path.box):
            before = tuple(map(numbers.nearest, path.draws[:index]))
            for place, number in _places(index, interval, numbers):
                start = (*before, number)
                if start not in tried and keeps(place.side, place.threshold):
                    tried.add(start)
                    yield from _continued(program, start, place, numbers)


class BegunDraws:
    """Draws that begin with given numbers, and go on as another source's."""

    def __init__(self, start: Numbers, rest: Draws) -> None:
        self._start = iter(start)
        self._rest = rest

    def uniform(self) -> Draw:
        """Return the next given number, or the other source's next draw."""
        number = next(self._start, None)
        return self._rest.uniform() if number is None else number


def _places(
    index: int, interval: Interval, numbers: FloatFormat
) -> Iterator[tuple[Place, Fraction]]:
    """Yield where one draw is put: at the ends of all draws, and at those of its interval."""
    for end in numbers.ends:
        yield Place(index, end, Side.END), end
    for part in (interval.low, interval.high):
        threshold = Fraction(part, interval.denominator)
        if 0 < threshold < 1:
            for side, number in numbers.around(threshold):
                yield Place(index, threshold, side), number


def _continued(
    program: Program[Any], start: Numbers, place: Place, numbers: FloatFormat
) -> Iterator[Point[Any]]:
    """Yield a point for every way in which a program can go on after its first draws."""
    for point in path_points(lambda draws: program(BegunDraws(start, draws)), numbers):
        yield Point((*start, *point.draws), point.outcome, place, Fraction(0), point.margin)


def _width(interval: Interval) -> Fraction:
    return Fraction(interval.high - interval.low, interval.denominator)
