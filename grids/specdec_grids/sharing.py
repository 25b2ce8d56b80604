"""One big program by many workers: its law, its counts and its samples, by any executor.

A program's law, and its counts on a lattice, are found by sharing out its choice tree
(`specdec_grids.turns`).  A lattice is visited, and samples are drawn, in shards of a fixed size.

Whatever the executor, the number of its workers and the order in which they finish, what is found
is equal to what one process finds, and its outcomes come in the same order.  Only where the number
of paths is limited, or where so many are abandoned that the walk ends, do the workers decide which
ones are followed.

Any `concurrent.futures.Executor` will do: a process pool, ``get_executor()`` of a Dask client,
``MPIPoolExecutor`` of mpi4py.  Threads do too, but share one interpreter and gain nothing.
"""

from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from specdec_core.laws import Law
from specdec_core.parameters import require_integer
from specdec_grids.executors import Calls, pickled, unpickled
from specdec_grids.lattices import MAX_VISITED, Lattice, require_visitable, visit
from specdec_grids.paths import Exploration, ResolutionOf, continuous
from specdec_grids.populations import BATCH, Counts, sample_counts
from specdec_grids.programs import Outcome, Program
from specdec_grids.subtrees import Tree
from specdec_grids.sums import Sum, collection_paused, merge_sums, totals
from specdec_grids.trails import require_none_abandoned
from specdec_grids.turns import follow_shared

SHARD = 16 * BATCH
"""Points that are visited, or samples that are drawn, in one go."""


def shared_law(
    program: Program[Outcome],
    executor: Executor,
    workers: int,
    *,
    resolution_of: ResolutionOf = continuous,
    max_paths: int | None = None,
) -> Exploration[Outcome]:
    """Return the exact law of a program's outcome.

    Equivalent to ``exact_law(program, resolution_of=resolution_of, max_paths=max_paths)``, but
    that the workers decide which paths are followed if there are more than ``max_paths``, or if
    `specdec_grids.trails.MAX_ABANDONED` of them are abandoned.

    Parameters
    ----------
    program : callable
        Takes one `Draws`, and returns a hashable outcome; it can be pickled.
    executor : Executor
        Any; it is not shut down.
    workers : int
        How many calls the executor makes at once, at least 1.
    resolution_of : callable
        From the number of a draw to its resolution.
    max_paths : int or None
        Stop after that many paths, and state the missing mass.

    Raises
    ------
    InvalidParameterError
        If the program cannot be pickled, or a number is no integer or less than 1.
    NondeterminismError
        If the program asks other questions after the same answers, here or elsewhere.
    OpaqueDrawError
        If the program does with a draw what cannot be followed on both sides.
    WorkersLostError
        If the executor is broken.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from specdec_core.distributions import Row
    >>> from specdec_core.instances import Instance
    >>> from specdec_core.models import ConstantModel
    >>> from specdec_core.rules.token_rejection import TokenRejection
    >>> from specdec_grids.programs import completed_round
    >>> target, draft = ConstantModel(Row([0.25, 0.75])), ConstantModel(Row([0.5, 0.5]))
    >>> program = completed_round(TokenRejection(), Instance(target, (draft,), {"gamma": 1}))
    >>> with ThreadPoolExecutor(2) as threads:
    ...     shared_law(program, threads, workers=2).law.probs
    mappingproxy({(0,): Fraction(1, 4), (1,): Fraction(3, 4)})
    """
    if max_paths is not None:
        require_integer(max_paths, "max_paths", minimum=1)
    tree = Tree(program, resolution_of, (1, 1))
    found = follow_shared(tree, executor, workers, max_paths)
    with collection_paused():
        law = Law(totals(found.sums))
        missing = 1 - law.mass
    assert missing == 0 or found.left or found.abandoned, "the branches are the whole tree"
    return Exploration(law, found.paths, missing)


def shared_count(
    program: Program[Outcome], lattice: Lattice, executor: Executor, workers: int
) -> Counts[Outcome]:
    """Count a lattice's points by outcome, by splitting it: no point is visited.

    Equivalent to ``count(program, lattice)``.  The other parameters, and the errors, are those of
    `shared_law`.
    """
    tree = Tree(program, lattice.axis, (lattice.size, 1))
    found = follow_shared(tree, executor, workers, None)
    require_none_abandoned(found.abandoned)
    counts = _counts(found.sums)
    assert counts.points == lattice.size, "the branches are the whole lattice"
    return counts


def shared_visit(
    program: Program[Outcome],
    lattice: Lattice,
    executor: Executor,
    workers: int,
    *,
    max_points: int = MAX_VISITED,
) -> Counts[Outcome]:
    """Count a lattice's points by outcome, by taking each of them through the program.

    Equivalent to ``visit(program, lattice, max_points=max_points)``.  The other parameters, and the
    errors, are those of `shared_law` and of `visit`.
    """
    require_visitable(0, lattice.size, max_points)
    work = pickled(partial(_visit, program, lattice), "the program")
    ranges = ((start, min(start + SHARD, lattice.size)) for start in range(0, lattice.size, SHARD))
    shards = (_Shard(work, number, ends) for number, ends in enumerate(ranges))
    return _added(Calls(_run, executor, workers).all_of(shards))


def shared_samples(
    program: Program[Outcome],
    size: int,
    rng: np.random.Generator,
    executor: Executor,
    workers: int,
) -> Counts[Outcome]:
    """Draw ``size`` outcomes of a program, and count them.

    Equivalent to adding up ``sample_counts(program, points, child)`` over shards of `SHARD` points,
    the last one smaller, each with the next child that ``rng`` spawns: the counts do not depend on
    the workers.  The other parameters, and the errors, are those of `shared_law`.
    """
    require_integer(size, "size", minimum=1)
    work = pickled(partial(sample_counts, program), "the program")
    parts = ((min(SHARD, size - start), *rng.spawn(1)) for start in range(0, size, SHARD))
    shards = (_Shard(work, number, part) for number, part in enumerate(parts))
    return _added(Calls(_run, executor, workers).all_of(shards))


@dataclass(frozen=True, slots=True)
class _Shard:
    """A part of the points or samples: ``work``, unpickled, counts it, given the arguments."""

    work: bytes
    number: int
    arguments: tuple[Any, ...]


def _run(shard: _Shard) -> dict[Any, Sum]:
    counts = unpickled(shard.work)(*shard.arguments).counts
    sums = {outcome: Sum((shard.number, place)) for place, outcome in enumerate(counts)}
    for outcome, counted in counts.items():
        sums[outcome].add(counted, 1)
    return sums


def _visit(program: Program[Outcome], lattice: Lattice, start: int, stop: int) -> Counts[Outcome]:
    return visit(program, lattice, start=start, stop=stop)


def _added(found: Iterable[tuple[_Shard, dict[Outcome, Sum]]]) -> Counts[Outcome]:
    sums: dict[Outcome, Sum] = {}
    for _, others in found:
        merge_sums(sums, others)
    return _counts(sums)


def _counts(sums: Mapping[Outcome, Sum]) -> Counts[Outcome]:
    found = totals(sums)
    assert all(total.denominator == 1 for total in found.values()), "points are whole"
    return Counts({outcome: total.numerator for outcome, total in found.items()})
