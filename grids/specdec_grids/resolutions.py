"""What a uniform draw can be: any number in ``[0, 1)``, or one point of a lattice.

A resolution measures the draws below a threshold.  The whole of ``[0, 1)`` has measure 1 if the
draw is continuous, and ``n`` if it is one of ``n`` points.  Whether the threshold itself belongs
to the set matters only where a lattice point lies on it, which midpoints avoid and left endpoints
do on purpose.

A threshold comes, and a measure goes, as two integers: numerator and denominator (positive, not
reduced).  The engine makes millions of them, and reducing each would be most of its work.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from specdec_core.errors import InvalidParameterError

Index = TypeVar("Index", int, NDArray[np.int64])
"""The number of a point, or an array of them."""

Ratio: TypeAlias = tuple[int, int]
"""Numerator and positive denominator, not reduced."""


class Interval(NamedTuple):
    """A set of draws by its measure: from ``low`` up to, not including, ``high``.

    Both are integers over one denominator, not reduced.

    >>> Interval(0, 1, 1).cut(1, 3)
    (Interval(low=0, high=1, denominator=3), Interval(low=1, high=3, denominator=3))
    """

    low: int
    high: int
    denominator: int

    def cut(self, numerator: int, denominator: int) -> tuple["Interval", "Interval"]:
        """Return the parts below and above a ratio; either can be empty."""
        low, high, over = self
        if denominator != over:
            common = math.lcm(denominator, over)  # a product would grow with every cut
            low, high = low * (common // over), high * (common // over)
            numerator, denominator = numerator * (common // denominator), common
        at = min(max(numerator, low), high)
        return Interval(low, at, denominator), Interval(at, high, denominator)

    @property
    def middle(self) -> Fraction:
        """The middle of the interval."""
        return Fraction(self.low + self.high, 2 * self.denominator)


class Resolution(Protocol):
    """A measure on ``[0, 1)``: a value, equal to another that measures alike."""

    def __hash__(self) -> int:
        """Return equal numbers for equal measures."""
        ...

    @property
    def whole(self) -> Interval:
        """All of ``[0, 1)``."""
        ...

    def below(self, numerator: int, denominator: int, inclusive: bool) -> Ratio:
        """Return the measure of the draws below a threshold, or at it too if ``inclusive``."""
        ...

    def representative(self, interval: Interval) -> Fraction:
        """Return a draw from the middle of a nonempty interval."""
        ...


_UNIT = Interval(0, 1, 1)


@dataclass(frozen=True, slots=True)
class Continuous:
    """Every number in ``[0, 1)``; a threshold itself has no mass.

    >>> Continuous().below(1, 3, inclusive=False), Continuous().below(4, 3, inclusive=False)
    ((1, 3), (1, 1))
    """

    @property
    def whole(self) -> Interval:
        """Of measure one."""
        return _UNIT

    def below(self, numerator: int, denominator: int, inclusive: bool) -> Ratio:
        """Return the threshold, brought into ``[0, 1]``."""
        if numerator <= 0:
            return 0, 1
        return (numerator, denominator) if numerator < denominator else (1, 1)

    def representative(self, interval: Interval) -> Fraction:
        """Return the middle of the interval."""
        return interval.middle


@dataclass(frozen=True, slots=True)
class Midpoints:
    """The ``n`` points ``(2 i + 1) / (2 n)``.

    If ``n`` times a threshold is an integer, the number of points below it is that integer, and
    no point lies on it.

    >>> Midpoints(4).below(1, 4, inclusive=False), Midpoints(4).below(1, 8, inclusive=True)
    ((1, 1), (1, 1))
    """

    n: int

    def __post_init__(self) -> None:
        require_points(self.n)

    @property
    def whole(self) -> Interval:
        """Of measure ``n``."""
        return Interval(0, self.n, 1)

    @property
    def denominator(self) -> int:
        """``2 n``: every point is an odd number over it."""
        return 2 * self.n

    def numerator(self, index: Index) -> Index:
        """Return point ``index``, or each of many, times the denominator."""
        return 2 * index + 1

    def below(self, numerator: int, denominator: int, inclusive: bool) -> Ratio:
        """Return the number of points below a threshold: those with ``i < n t - 1/2``."""
        halves = 2 * self.n * numerator - denominator
        return count_below(halves, 2 * denominator, inclusive, self.n), 1

    def representative(self, interval: Interval) -> Fraction:
        """Return the middle point of the interval."""
        return Fraction(self.numerator(int(interval.middle)), self.denominator)


@dataclass(frozen=True, slots=True)
class LeftEndpoints:
    """The ``n`` points ``i / n``: zero is one, and so is every multiple of ``1 / n``.

    They lie on thresholds on purpose, so that ``<=`` for ``<`` shows.

    >>> LeftEndpoints(4).below(1, 4, inclusive=False), LeftEndpoints(4).below(1, 4, inclusive=True)
    ((1, 1), (2, 1))
    """

    n: int

    def __post_init__(self) -> None:
        require_points(self.n)

    @property
    def whole(self) -> Interval:
        """Of measure ``n``."""
        return Interval(0, self.n, 1)

    @property
    def denominator(self) -> int:
        """``n``."""
        return self.n

    def numerator(self, index: Index) -> Index:
        """Return point ``index``, or each of many, times the denominator."""
        return index

    def below(self, numerator: int, denominator: int, inclusive: bool) -> Ratio:
        """Return the number of points below a threshold: those with ``i < n t``."""
        return count_below(self.n * numerator, denominator, inclusive, self.n), 1

    def representative(self, interval: Interval) -> Fraction:
        """Return the middle point of the interval."""
        return Fraction(self.numerator(int(interval.middle)), self.denominator)


LatticeAxis: TypeAlias = Midpoints | LeftEndpoints
"""A resolution of finitely many points."""


def require_points(n: object) -> None:
    """Raise `InvalidParameterError` unless ``n`` is a positive integer."""
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise InvalidParameterError(f"an axis of {n!r} points, expected a positive integer")


def count_below(numerator: int, denominator: int, inclusive: bool, n: int) -> int:
    """Return how many of ``0 .. n - 1`` lie below the ratio, or at it too if ``inclusive``."""
    count = numerator // denominator + 1 if inclusive else -(-numerator // denominator)
    return min(max(count, 0), n)
