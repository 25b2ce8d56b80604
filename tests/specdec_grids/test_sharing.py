"""One program by many workers: equal to what one process finds, to the order of the outcomes."""

import os
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from functools import partial
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.draws import Draws
from specdec_core.errors import (
    GridTooLargeError,
    InvalidParameterError,
    NondeterminismError,
    OpaqueDrawError,
    WorkersLostError,
)
from specdec_core.rules import RULES, Rule
from specdec_core.rules.token_rejection import TokenRejection
from specdec_grids import sharing, turns
from specdec_grids.generated import RandomInstances
from specdec_grids.lattices import count, midpoint_lattice, visit
from specdec_grids.paths import exact_law
from specdec_grids.populations import merge_counts, sample_counts
from specdec_grids.programs import Program, completed_round
from specdec_grids.sharing import shared_count, shared_law, shared_samples, shared_visit
from specdec_grids.subtrees import Budget
from tests.specdec_grids.conftest import TreeProgram, tree_programs

LATTICE = midpoint_lattice([6, 5, 4])


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every program one that is shared out."""
    monkeypatch.setattr(turns, "FIRST", Budget(2, 1e9))
    monkeypatch.setattr(turns, "TURN", Budget(3, 1e9))
    monkeypatch.setattr(sharing, "SHARD", 7)


@pytest.fixture(scope="module")
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(3) as pool:
        yield pool


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, get_context("forkserver")) as pool:
        yield pool


def coins(number: int, draws: Draws) -> str:
    return "".join("ht"[draws.uniform() < Fraction(1, 2)] for _ in range(number))


@given(program=tree_programs())
def test_a_shared_law_is_the_exact_law(threads: Executor, program: TreeProgram) -> None:
    expected, found = exact_law(program), shared_law(program, threads, 3)
    assert found == expected
    assert list(found.law) == list(expected.law)


@given(program=tree_programs())
def test_shared_counts_are_those_of_one_process(threads: Executor, program: TreeProgram) -> None:
    split, visited = count(program, LATTICE), visit(program, LATTICE)
    for found in (
        shared_count(program, LATTICE, threads, 3),
        shared_visit(program, LATTICE, threads, 3),
    ):
        assert found == split == visited
    assert list(shared_count(program, LATTICE, threads, 3).counts) == list(split.counts)


@given(size=st.integers(1, 40), seed=st.integers(0, 2**32))
def test_shared_samples_do_not_depend_on_the_workers(
    threads: Executor, size: int, seed: int
) -> None:
    program = partial(coins, 2)
    one, *more = (
        shared_samples(program, size, np.random.default_rng(seed), threads, workers)
        for workers in (1, 2, 5)
    )
    shards = [7] * (size // 7) + [size % 7] * (size % 7 > 0)
    children = np.random.default_rng(seed).spawn(len(shards))
    parts = map(partial(sample_counts, program), shards, children)
    expected = merge_counts(part.counts for part in parts)
    for found in (one, *more):
        assert found == expected
        assert list(found.counts) == list(expected.counts)


@pytest.mark.parametrize("max_paths", [1, 2, 3, 20, 63, 64, 65])
def test_a_budget_is_kept_to_the_path(threads: Executor, max_paths: int) -> None:
    found = shared_law(partial(coins, 6), threads, 3, max_paths=max_paths)
    assert found.paths == min(max_paths, 64)
    assert found.missing == 1 - Fraction(found.paths, 64)
    assert set(found.law.probs.values()) == {Fraction(1, 64)}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_completed_round_of_each_rule_can_be_shared(threads: Executor, rule: Rule[Any]) -> None:
    program = completed_round(rule, RandomInstances(rule, 2)[1])
    sent: Program[Any] = pickle.loads(pickle.dumps(program))
    assert exact_law(sent) == exact_law(program) == shared_law(program, threads, 3)


def test_processes_find_what_one_finds(processes: Executor) -> None:
    program = completed_round(TokenRejection(), RandomInstances(TokenRejection(), 9)[8])
    assert shared_law(program, processes, 2) == exact_law(program)


def reads(draws: Draws) -> float:
    return float(draws.uniform()) if coins(5, draws) == "hhhhh" else 0.0


def raises(draws: Draws) -> str:
    if coins(5, draws) == "hhhhh":
        raise LookupError("this path is rotten")
    return "sound"


def dies(draws: Draws) -> str:
    if coins(5, draws) == "hhhhh":
        os._exit(1)
    return "lives"


def own_state(draws: Draws) -> bool:
    return draws.uniform() * os.getpid() < 1 and coins(5, draws) == "hhhhh"


@pytest.mark.parametrize(
    ("program", "error", "message"),
    [
        (reads, OpaqueDrawError, "float"),
        (raises, LookupError, "this path is rotten"),
        (own_state, NondeterminismError, "not the same in every process"),
    ],
)
def test_what_goes_wrong_elsewhere_is_said_here(
    processes: Executor, program: Program[Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        shared_law(program, processes, 2)


def test_a_worker_that_dies_is_said_to_be_lost() -> None:
    with (
        ProcessPoolExecutor(1, get_context("forkserver")) as pool,
        pytest.raises(WorkersLostError, match=r"the executor lost its work .*start a new one"),
    ):
        shared_law(dies, pool, 1)


@pytest.mark.parametrize(
    ("program", "shared"),
    [
        (lambda draws: 0, partial(shared_law)),
        (lambda draws: 0, lambda program, *pool: shared_visit(program, LATTICE, *pool)),
    ],
)
def test_a_program_that_cannot_be_sent_is_refused(
    threads: Executor, program: Program[int], shared: Callable[..., Any]
) -> None:
    with pytest.raises(InvalidParameterError, match="program cannot be sent to another process"):
        shared(program, threads, 1)


def never_ends(draws: Draws) -> str:
    if coins(3, draws) == "hhh":
        while draws.uniform() < 1:
            pass
    return "ends"


def test_paths_that_never_end_are_missing_from_a_law_and_refused_in_a_count(
    threads: Executor,
) -> None:
    assert shared_law(never_ends, threads, 3).missing == Fraction(1, 8)
    with pytest.raises(GridTooLargeError, match="1 paths ask more than 512 questions"):
        shared_count(never_ends, midpoint_lattice([2] * 600), threads, 3)


def test_a_lattice_too_large_to_visit_is_refused(threads: Executor) -> None:
    with pytest.raises(GridTooLargeError, match="120 points to visit, at most 100"):
        shared_visit(partial(coins, 3), LATTICE, threads, 1, max_points=100)


@pytest.mark.parametrize(("workers", "max_paths"), [(0, None), (1, 0), (1.5, None), (1, True)])
def test_numbers_are_positive_integers(
    threads: Executor, workers: int, max_paths: int | None
) -> None:
    with pytest.raises(InvalidParameterError, match=r"workers|max_paths"):
        shared_law(partial(coins, 1), threads, workers, max_paths=max_paths)
