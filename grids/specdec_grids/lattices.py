"""Cartesian lattices of draws, and exact counts over them.

A lattice has an axis for each draw of a program.  `visit` takes every point through the program;
`count` splits the lattice at each comparison and never visits a point, so that its cost is the
number of paths, and 10^40 points are no harder than a thousand.  On exact rows the two must give
identical integers; on floating rows `visit` rounds as a replay of each point does, and `count`
does not.

On axes whose size is a common multiple of the denominators of every threshold that their draw can
meet (`least_lattice` finds the smallest), each count is the number of points times the law.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from specdec_core.errors import GridTooLargeError, ShapeError
from specdec_grids.paths import SymbolicDraws, paths
from specdec_grids.populations import (
    BATCH,
    RESOLUTION,
    Column,
    Counts,
    merge_counts,
    outcome_counts,
)
from specdec_grids.programs import Outcome, Program
from specdec_grids.resolutions import Interval, LatticeAxis, Midpoints
from specdec_grids.trails import Trail, require_none_abandoned
from specdec_grids.walking import walk

MAX_VISITED = 10**9
"""Points that `visit` takes on at most: minutes, not days."""


@dataclass(frozen=True, slots=True)
class Lattice:
    """A Cartesian lattice: one axis of points for each draw, the last one fastest.

    Examples
    --------
    >>> lattice = Lattice((Midpoints(2), Midpoints(1)))
    >>> len(lattice.axes), lattice.size, lattice.point(1)
    (2, 2, (Fraction(3, 4), Fraction(1, 2)))
    """

    axes: tuple[LatticeAxis, ...]

    @property
    def size(self) -> int:
        """The number of points: the product of the axes' sizes."""
        return math.prod(axis.n for axis in self.axes)

    def axis(self, index: int) -> LatticeAxis:
        """Return the axis of draw ``index``.

        Raises
        ------
        ShapeError
            If the program asks for more draws than there are axes.
        """
        if index >= len(self.axes):
            raise ShapeError(
                f"the program asks for draw {index + 1}, but the lattice has {len(self.axes)} axes"
            )
        return self.axes[index]

    def point(self, number: int) -> tuple[Fraction, ...]:
        """Return the draws of one point, by its number in ``range(size)``."""
        if not 0 <= number < self.size:
            raise IndexError(f"point {number}, expected 0 to {self.size - 1}")
        draws = []
        for axis in reversed(self.axes):
            number, index = divmod(number, axis.n)
            draws.append(Fraction(axis.numerator(index), axis.denominator))
        return tuple(reversed(draws))

    def column(self, index: int, start: int, stop: int) -> Column:
        """Return the numbers that the points ``start .. stop - 1`` have for draw ``index``.

        Raises
        ------
        GridTooLargeError
            If the axis has more points than a double can tell apart.
        """
        axis = self.axis(index)
        if axis.denominator > RESOLUTION:
            raise GridTooLargeError(
                f"the axis of draw {index + 1} has {axis.n} points, which floats cannot tell "
                "apart; `count` splits the lattice instead, and visits none"
            )
        stride = math.prod(later.n for later in self.axes[index + 1 :])
        # A stride beyond the last point is as good as one at it, and fits an integer of numpy.
        indices: NDArray[np.int64] = np.arange(start, stop) // min(stride, stop) % axis.n
        return Column(axis.numerator(indices), axis.denominator)


def midpoint_lattice(sizes: Sequence[int]) -> Lattice:
    """Return the lattice of midpoints with so many points on each axis."""
    return Lattice(tuple(map(Midpoints, sizes)))


def count(program: Program[Outcome], lattice: Lattice) -> Counts[Outcome]:
    """Count the lattice's points by outcome, by splitting it: no point is visited.

    Equivalent to ``visit(program, lattice)`` on exact rows.

    Examples
    --------
    >>> from specdec_core.sampling import accepts
    >>> count(lambda draws: accepts(draws.uniform(), 1, 4), midpoint_lattice([100, 100])).counts
    mappingproxy({True: 2500, False: 7500})
    """
    trail: Trail[Interval] = Trail((lattice.size, 1))
    draws = SymbolicDraws(trail, lattice.axis)
    parts: dict[Outcome, int] = {}
    for outcome, (numerator, denominator) in walk(program, trail, draws):
        points, rest = divmod(numerator, denominator)
        assert rest == 0, "a box of lattice points holds a whole number of them"
        parts[outcome] = parts.get(outcome, 0) + points
    require_none_abandoned(trail.abandoned)
    return Counts(parts)


def visit(
    program: Program[Outcome],
    lattice: Lattice,
    *,
    start: int = 0,
    stop: int | None = None,
    max_points: int = MAX_VISITED,
) -> Counts[Outcome]:
    """Count the lattice's points by outcome, by taking each of them through the program.

    Parameters
    ----------
    program : callable
        Takes one `Draws`, and returns a hashable outcome.
    lattice : Lattice
        With an axis for every draw that the program can ask for.
    start, stop : int
        The points to visit: all, unless told otherwise.  Counts of adjoining ranges add up.
    max_points : int
        How many are too many.

    Raises
    ------
    GridTooLargeError
        If there are more points to visit than ``max_points``, or more on one axis than floats
        can tell apart.
    ShapeError
        If the program asks for more draws than the lattice has axes.
    """
    stop = lattice.size if stop is None else stop
    if not 0 <= start <= stop <= lattice.size:
        raise ShapeError(f"points {start} to {stop}, expected a range inside 0 to {lattice.size}")
    require_visitable(start, stop, max_points)

    def batch(first: int) -> dict[Outcome, int]:
        last = min(first + BATCH, stop)
        return outcome_counts(
            program, last - first, lambda index: lattice.column(index, first, last)
        )

    return merge_counts(batch(first) for first in range(start, stop, BATCH))


def require_visitable(start: int, stop: int, max_points: int) -> None:
    """Raise `GridTooLargeError` if a range has too many points to visit."""
    if stop - start > max_points or stop > np.iinfo(np.int64).max:
        raise GridTooLargeError(
            f"{stop - start} points to visit, at most {max_points}; `count` splits the lattice "
            "instead, and visits none"
        )


def least_lattice(program: Program[Outcome]) -> Lattice:
    """Return the smallest midpoint lattice on which every path has its share of the points.

    An axis has as many points as the least common multiple of the denominators of every
    threshold that its draw meets on some path; then every count is the law times the points.

    Examples
    --------
    >>> from specdec_core.sampling import accepts
    >>> least_lattice(lambda draws: accepts(draws.uniform(), 1, 6)).axes
    (Midpoints(n=6),)
    """
    sizes: list[int] = []
    for path in paths(program):
        sizes.extend(1 for _ in path.box[len(sizes) :])
        for index, (low, high, over) in enumerate(path.box):
            ends = (Fraction(low, over), Fraction(high, over))
            sizes[index] = math.lcm(sizes[index], *(end.denominator for end in ends))
    return midpoint_lattice(sizes)
