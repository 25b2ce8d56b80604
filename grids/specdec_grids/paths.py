"""The exact law of a program over draws, by following every path.

A program is a function of `Draws` that returns a hashable outcome.  While it runs, its draws are
symbols (`specdec_grids.symbols`); where an answer is uncertain both sides are followed, each with
its exact probability.  A path is then a box in the cube of draws: any numbers inside it, played
back, lead to the same outcome.  The boxes fill the cube, so the probabilities sum to exactly one,
or the mass that was not followed is stated.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Generic, TypeAlias

from specdec_core.errors import InvalidParameterError
from specdec_core.laws import Law, ratio_sum
from specdec_grids.affine import refusal
from specdec_grids.programs import Outcome, Program
from specdec_grids.resolutions import Continuous, Interval, Ratio, Resolution
from specdec_grids.symbols import Uniform
from specdec_grids.trails import Trail, require_none_abandoned
from specdec_grids.walking import walk

ResolutionOf: TypeAlias = Callable[[int], Resolution]
"""From which draw of a run it is, counted from zero, to what it can be."""

CONTINUOUS = Continuous()


def continuous(index: int) -> Resolution:
    """Return the continuous resolution, for every draw."""
    return CONTINUOUS


class SymbolicDraws:
    """Draws of one run after another, each a symbol; the trail counts them."""

    __reduce_ex__ = refusal("copying the source of draws")

    def __init__(self, trail: Trail[Interval], resolution_of: ResolutionOf) -> None:
        self._trail = trail
        self._resolution_of = resolution_of
        self._draws: list[Uniform] = []

    def uniform(self) -> Uniform:
        """Return the next draw, about which nothing is known yet."""
        index = self._trail.taken
        self._trail.taken = index + 1
        if index == len(self._draws):
            self._draws.append(Uniform(self._trail, index, self._resolution_of(index)))
        return self._draws[index]

    def of_this_run(self) -> list[Uniform]:
        """Return the draws that this run has taken."""
        return self._draws[: self._trail.taken]


@dataclass(frozen=True, slots=True)
class Path(Generic[Outcome]):
    """One path of a program.

    Attributes
    ----------
    outcome : Outcome
        What the program returned.
    weight : Fraction
        Its probability, times the start weight.
    box : tuple of Interval
        Where each draw lies on this path, in its resolution's measure.
    draws : tuple of Fraction
        One number from the middle of each interval: replayed, they lead to the same outcome.
    """

    outcome: Outcome
    weight: Fraction
    box: tuple[Interval, ...]
    draws: tuple[Fraction, ...]


def paths(
    program: Program[Outcome], resolution_of: ResolutionOf = continuous
) -> Iterator[Path[Outcome]]:
    """Yield every path of a program, depth first.

    Parameters
    ----------
    program : callable
        Takes one `Draws`, and returns a hashable outcome.
    resolution_of : callable
        From the number of a draw to its resolution; continuous unless told otherwise.

    Raises
    ------
    OpaqueDrawError
        If the program does with a draw what cannot be followed on both sides.
    NondeterminismError
        If the program asks other questions after the same answers.
    """
    trail: Trail[Interval] = Trail()
    draws = SymbolicDraws(trail, resolution_of)
    for outcome, weight in walk(program, trail, draws):
        yield Path(
            outcome,
            Fraction(*weight),
            tuple(draw.interval for draw in draws.of_this_run()),
            tuple(draw.representative for draw in draws.of_this_run()),
        )
    require_none_abandoned(trail.abandoned)


@dataclass(frozen=True, slots=True)
class Exploration(Generic[Outcome]):
    """What following paths found.

    Attributes
    ----------
    law : Law
        Of the outcomes; whole unless a budget ended the walk.
    paths : int
        How many were followed.
    missing : Fraction
        Probability of the paths that were not followed, in ``[0, 1]``.
    """

    law: Law[Outcome]
    paths: int
    missing: Fraction


def exact_law(
    program: Program[Outcome],
    *,
    resolution_of: ResolutionOf = continuous,
    max_paths: int | None = None,
) -> Exploration[Outcome]:
    """Return the exact law of a program's outcome.

    Equivalent to summing ``path.weight`` over ``paths(program)`` by ``path.outcome``.

    Parameters
    ----------
    program : callable
        Takes one `Draws`, and returns a hashable outcome.
    resolution_of : callable
        From the number of a draw to its resolution.
    max_paths : int or None
        Stop after that many paths, and state the missing mass.

    Examples
    --------
    >>> from specdec_core.sampling import accepts
    >>> exact_law(lambda draws: accepts(draws.uniform(), 1, 4)).law.probs
    mappingproxy({True: Fraction(1, 4), False: Fraction(3, 4)})
    """
    if max_paths is not None and max_paths < 1:
        raise InvalidParameterError(f"max_paths is {max_paths}, expected at least 1")
    trail: Trail[Interval] = Trail()
    walked = walk(program, trail, SymbolicDraws(trail, resolution_of))
    found = explored(islice(walked, max_paths))
    cut = found.paths == max_paths or trail.abandoned
    assert found.missing == 0 or cut, "the boxes of all paths fill the cube"
    return found


def explored(walked: Iterable[tuple[Outcome, Ratio]]) -> Exploration[Outcome]:
    """Add up paths, each an outcome and its weight; what the weights leave of one is missing."""
    sums: defaultdict[Outcome, defaultdict[int, int]] = defaultdict(lambda: defaultdict(int))
    followed = 0
    for outcome, (part, denominator) in walked:
        sums[outcome][denominator] += part
        followed += 1
    law = Law(
        {
            outcome: ratio_sum([(part, over) for over, part in parts.items()])
            for outcome, parts in sums.items()
        }
    )
    return Exploration(law, followed, 1 - law.mass)
