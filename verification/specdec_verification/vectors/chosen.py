"""Which uniforms a replay in another language is given, and what it must emit.

One vector for every path of a rule's exact law, its uniforms in the middle of the path's box: the
weights of the paths are the law itself, so a replay that gets every vector right has the law.  The
middles lie far from every threshold (the *margin*), so that a replay in doubles, or in floats of 24
bits, decides as the exact fractions do.

Beside them *boundary* vectors: a uniform just below a threshold, on it, or just above it, in
doubles, one unit in the last place away.  They are made only where the instance's arithmetic is
exact in floats (`specdec_verification.dyadic_instances`), the threshold is a multiple of a power
of two, and the rule itself, replayed in doubles, decides every one of the instance's as the
fractions do: a rule that divides by three on the way has none.  Then ``u * q < p``, ``u < p / q``
and running sums in any order must all agree with them.
The ends 0, ``1 - 2^-24`` and ``1 - 2^-53`` are tried on every instance
of not too many paths.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

from specdec_core.draws import ReplayedDraws
from specdec_core.instances import Instance
from specdec_core.rules import Rule, Verification
from specdec_grids.generated import FloatingInstances, RandomInstances
from specdec_grids.paths import paths
from specdec_grids.programs import Program, round_program
from specdec_verification.boundaries import (
    FloatFormat,
    Point,
    Side,
    boundary_points,
    path_points,
)
from specdec_verification.dyadic_instances import computes_exactly, dyadic_instance

DOUBLES = FloatFormat("float64")

MAX_PATHS = 1000
"""Of one instance: one with more has no vectors, and another takes its place."""

MAX_PATHS_WITH_BOUNDARIES = 150
"""Past it, an instance has no boundary vectors: each path has some dozens."""

MAX_THRESHOLD_DENOMINATOR = 1 << 12
"""Of a threshold that is put to the test in doubles."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of one instance.

    Attributes
    ----------
    instance : Instance
    middles : tuple of Point
        One for each path, in the order in which splitting finds them.
    boundaries : tuple of Point
        At the thresholds, and at the ends.
    """

    instance: Instance
    middles: tuple[Point[Verification], ...]
    boundaries: tuple[Point[Verification], ...]

    @property
    def margin(self) -> Fraction:
        """How far every uniform keeps from its thresholds, but for those put at one."""
        return min(point.margin for point in (*self.middles, *self.boundaries))


def chosen_vectors(rule: Rule[Any], size: int) -> Iterator[Vectors]:
    """Yield the vectors of ``size`` instances: dyadic ones and random ones in turn.

    Parameters
    ----------
    rule : Rule
    size : int
        How many instances, at least 1.

    Examples
    --------
    >>> from specdec_core.rules import rule_named
    >>> first, second = chosen_vectors(rule_named("token_rejection"), 2)
    >>> sum(point.weight for point in first.middles)
    Fraction(1, 1)
    """
    return islice((vectors_of(rule, instance) for instance in _instances(rule)), size)


def vectors_of(rule: Rule[Any], instance: Instance) -> Vectors:
    """Return the vectors of one instance, whose rows are fractions."""
    program = round_program(rule, instance)
    middles = tuple(path_points(program, DOUBLES))
    if len(middles) > MAX_PATHS_WITH_BOUNDARIES:
        return Vectors(instance, middles, ())
    points = tuple(boundary_points(program, DOUBLES, _wanted))
    in_doubles = round_program(rule, FloatingInstances([instance])[0])
    if not computes_exactly(instance) or not all(_decides(in_doubles, point) for point in points):
        points = tuple(point for point in points if _at_an_end(point))
    return Vectors(instance, middles, points)


def _wanted(side: Side, threshold: Fraction) -> bool:
    over = threshold.denominator
    return side is Side.END or (over & (over - 1) == 0 and over <= MAX_THRESHOLD_DENOMINATOR)


def _decides(in_doubles: Program[Verification], point: Point[Verification]) -> bool:
    """Return whether a program on floating rows comes to a point's outcome."""
    return in_doubles(ReplayedDraws([float(draw) for draw in point.draws])) == point.outcome


def _at_an_end(point: Point[Verification]) -> bool:
    return point.place is not None and point.place.side is Side.END


def _instances(rule: Rule[Any]) -> Iterator[Instance]:
    """Yield instances without end, those of too many paths left out."""
    number = 0
    while True:
        for instance in (
            dyadic_instance(rule, number),
            RandomInstances(rule, number + 1)[number],
        ):
            if _paths_up_to(rule, instance, MAX_PATHS + 1) <= MAX_PATHS:
                yield instance
        number += 1


def _paths_up_to(rule: Rule[Any], instance: Instance, most: int) -> int:
    return sum(1 for _ in islice(paths(round_program(rule, instance)), most))
