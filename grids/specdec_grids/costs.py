"""What the exact law of a program costs, before it is found: paths, time and memory.

The tree is followed for a moment; a small one is then known.  Of a large one, random dives
estimate the number of paths, and what was followed shows how long a path takes on this machine and
what an outcome occupies.  Nothing is taken from a table of other machines.

Not here: the cost of a loop with equal states merged (`specdec_grids.merging`), and what it takes
to read an instance or to print a law.
"""

import sys
import tracemalloc
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np

from specdec_core.draws import Draws
from specdec_grids.dives import Dive, dive, estimated_outcomes, estimated_paths
from specdec_grids.paths import ResolutionOf, continuous
from specdec_grids.programs import Outcome, Program, Steps, steps_of
from specdec_grids.subtrees import WHOLE, Branch, Budget, Tree
from specdec_grids.sums import Sum, merge_sums, totals
from specdec_grids.trails import require_none_abandoned

DIVES = 16
"""At least, however long they take."""

PIECES = 16
"""Of the tree, followed to see how many paths share an outcome."""

TURNS = 5
"""Of the trial."""

WEIGHED = 50_000
"""Paths at most that are followed to see how much memory an outcome takes."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What following every path of a program costs.

    Attributes
    ----------
    paths : float
    error : float
        The standard error of their number; zero if it is exact.
    dives : int
        From which it was estimated; zero if it is exact.
    outcomes : float
        Different ones, about.
    seconds : float
        Of one core of this machine.
    bytes : float
        Of memory, beside what a process takes that follows nothing.
    """

    paths: float
    error: float
    dives: int
    outcomes: float
    seconds: float
    bytes: float

    @property
    def exact(self) -> bool:
        """Whether the paths and the outcomes were counted."""
        return self.dives == 0

    @property
    def core_hours(self) -> float:
        """What is booked on a cluster."""
        return self.seconds / 3600

    @property
    def paths_per_second(self) -> float:
        """Of one core of this machine."""
        return self.paths / self.seconds


def planned_cost(
    program: Program[Outcome],
    rng: np.random.Generator,
    *,
    seconds: float = 2.0,
    resolution_of: ResolutionOf = continuous,
) -> Cost:
    """Return what the exact law of a program costs, after a moment's trial.

    Parameters
    ----------
    program : callable
        Takes one `Draws`, and returns a hashable outcome.
    rng : numpy.random.Generator
        Gives the answers of the dives.
    seconds : float
        To spend, about: more of them make the estimate more precise.
    resolution_of : callable
        From the number of a draw to its resolution.

    Raises
    ------
    GridTooLargeError
        If a path asks so many questions that it cannot be followed to its end.
    OpaqueDrawError, NondeterminismError
        As `specdec_grids.paths.exact_law`.

    Examples
    --------
    >>> def coins(draws):
    ...     return sum(draws.uniform() < 0.5 for _ in range(4))
    >>> cost = planned_cost(coins, np.random.default_rng())
    >>> cost.paths, cost.outcomes, cost.exact
    (16, 5, True)
    """
    tree, quarter = Tree(program, resolution_of, (1, 1)), seconds / 4
    trial = _trial(tree, quarter)
    bytes_each = _bytes_each(tree, quarter)
    if trial.whole:
        occupied = bytes_each * len(trial.sums)
        return Cost(trial.paths, 0.0, 0, len(trial.sums), trial.seconds, occupied)
    dives = _dives(tree, rng, quarter)
    number, error = estimated_paths(dives)
    pieces = _pieces(tree, [one.halfway for one in dives[:PIECES]], quarter)
    outcomes = min(estimated_outcomes(dives, pieces), number)
    return Cost(
        *(number, error, len(dives), outcomes), number * trial.seconds_each, bytes_each * outcomes
    )


class _Trial(NamedTuple):
    """What came of following a tree for a moment, in so many turns of equal length."""

    sums: Mapping[Any, Sum]
    turns: list[tuple[int, float]]
    whole: bool

    @property
    def paths(self) -> int:
        return sum(paths for paths, _ in self.turns)

    @property
    def seconds(self) -> float:
        return sum(seconds for _, seconds in self.turns)

    @property
    def seconds_each(self) -> float:
        """Of a path: the median of the turns, one of which may have had the machine's hiccups."""
        return median(seconds / paths for paths, seconds in self.turns)


def _trial(tree: Tree[Any], seconds: float) -> _Trial:
    sums: dict[Any, Sum] = {}
    turns: list[tuple[int, float]] = []
    left: tuple[Branch, ...] = (WHOLE,)
    while left and len(turns) < TURNS:
        begun = process_time()
        found = tree.follow(left, Budget(sys.maxsize, seconds / TURNS))
        totals(found.sums)
        turns.append((found.paths, process_time() - begun))
        require_none_abandoned(found.abandoned)
        merge_sums(sums, found.sums)
        left = found.left
    return _Trial(sums, turns, not left)


def _dives(tree: Tree[Outcome], rng: np.random.Generator, seconds: float) -> list[Dive[Outcome]]:
    end = perf_counter() + seconds
    dives = [dive(tree, rng) for _ in range(DIVES)]
    while perf_counter() < end:
        dives.append(dive(tree, rng))
    return dives


def _pieces(
    tree: Tree[Outcome], branches: Sequence[Branch], seconds: float
) -> list[Counter[Outcome]]:
    """Return how many paths lead to each outcome, in the first part of each branch."""
    budget = Budget(sys.maxsize, seconds / len(branches))
    return [_ways(tree, branch, budget) for branch in branches]


def _ways(tree: Tree[Outcome], branch: Branch, budget: Budget) -> Counter[Outcome]:
    ways: Counter[Outcome] = Counter()

    def counted(outcome: Outcome, draws: Draws) -> Outcome:
        ways[outcome] += 1
        return outcome

    counting: Steps[Outcome] = Steps((*steps_of(tree.program), counted))
    Tree(counting, tree.resolution_of, tree.start).follow([branch], budget)
    return ways


def _bytes_each(tree: Tree[Any], seconds: float) -> float:
    """Return what an outcome of the first paths takes, with all that is kept for it."""
    traced = tracemalloc.is_tracing()
    if not traced:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        found = tree.follow([WHOLE], Budget(WEIGHED, seconds))
        totals(found.sums)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        if not traced:
            tracemalloc.stop()
    return (peak - before) / len(found.sums)
