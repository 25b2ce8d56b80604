import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from specdec_core.distributions import Row
from specdec_core.draws import Draw, Draws
from specdec_core.errors import GridTooLargeError, NondeterminismError
from specdec_core.sampling import accepts, sample
from specdec_grids.lattices import count, midpoint_lattice, visit
from specdec_grids.paths import SymbolicDraws, continuous, exact_law, paths
from specdec_grids.populations import sample_counts
from specdec_grids.programs import Steps
from specdec_grids.trails import MAX_QUESTIONS, Trail, weighing
from specdec_grids.walking import walk
from tests.specdec_grids.conftest import TreeProgram, tree_programs

ENGINES: dict[str, Callable[[Any], Any]] = {
    "paths": exact_law,
    "split": lambda program: count(program, midpoint_lattice([8] * 4)),
    "visit": lambda program: visit(program, midpoint_lattice([8] * 4)),
    "sample": lambda program: sample_counts(program, 1000, np.random.default_rng()),
}
every_engine = pytest.mark.parametrize("engine", ENGINES)


# Which paths, and how often a step runs.


def test_every_path_is_walked_once_with_its_weight() -> None:
    def program(draws: Draws) -> str:
        return "a" if draws.uniform() < 0.25 else "b" if draws.uniform() < 0.5 else "c"

    trail: Trail[Any] = Trail((16, 1))
    walked = list(walk(program, trail, SymbolicDraws(trail, continuous)))
    assert [(outcome, n / d) for outcome, (n, d) in walked] == [("a", 4), ("b", 6), ("c", 6)]


def test_a_program_that_asks_nothing_has_one_path() -> None:
    (path,) = paths(lambda draws: [draws.uniform() for _ in range(3)] and "x")
    assert (path.outcome, path.weight, len(path.box)) == ("x", 1, 3)


def test_a_step_runs_again_only_from_where_an_answer_changed() -> None:
    ran: list[str] = []

    def step(name: str, forks: int) -> Callable[[Any, Draws], Any]:
        def run(value: tuple[bool, ...] | None, draws: Draws) -> tuple[bool, ...]:
            ran.append(name)
            return (value or ()) + tuple(draws.uniform() < 0.5 for _ in range(forks))

        return run

    program = Steps((step("a", 1), step("b", 0), step("c", 2), step("d", 0)))
    assert len(list(paths(program))) == 8
    half = ["a", "b", "c", "d"] + ["c", "d"] * 3
    assert ran == half * 2


@given(tree_programs())
def test_steps_are_walked_as_one_function_is(program: TreeProgram) -> None:
    whole, split = list(paths(program)), list(paths(program.in_steps))
    assert split == whole
    lattice = midpoint_lattice([program.denominator] * 3)
    assert count(program.in_steps, lattice) == count(program, lattice)
    assert visit(program.in_steps, lattice) == visit(program, lattice)


def test_a_draw_taken_in_one_step_can_be_asked_about_in_the_next() -> None:
    program = Steps(
        (
            lambda _, draws: (draws.uniform(), draws.uniform()),
            lambda coins, draws: (*coins, coins[1] < 0.5, draws.uniform()),
            lambda coins, draws: (coins[2], coins[0] < 0.5, coins[1] < 0.25, coins[3] < 0.5),
        )
    )
    law = exact_law(program).law
    assert len(law) == 2 * 2 * 2 + 2 * 2
    assert law[(True, True, False, True)] == law[(False, True, False, True)] / 2


# Programs that are no function of their draws.


@every_engine
def test_randomness_of_its_own_is_an_error(engine: str) -> None:
    rng = random.Random()

    def program(draws: Draws) -> tuple[bool, bool]:
        u = draws.uniform()
        return u < rng.random(), u < 0.5

    with pytest.raises(NondeterminismError, match="question 1 of a run"):
        ENGINES[engine](program)


@every_engine
def test_state_carried_from_run_to_run_is_an_error(engine: str) -> None:
    runs: list[bool] = []

    def program(draws: Draws) -> bool:
        runs.append(draws.uniform() < (len(runs) % 7 + 1) / 8)
        return runs[-1]

    with pytest.raises(NondeterminismError, match="question 1 of a run"):
        ENGINES[engine](program)


@every_engine
def test_an_answer_remembered_from_an_earlier_run_is_an_error(engine: str) -> None:
    memory: dict[str, bool] = {}

    def program(draws: Draws) -> bool:
        if "answer" not in memory:
            memory["answer"] = draws.uniform() < 0.5
        return memory["answer"]

    with pytest.raises(NondeterminismError, match="a run ended after 0 questions, but 1"):
        ENGINES[engine](program)


def test_no_path_is_yielded_before_its_run_has_asked_everything() -> None:
    memory: dict[str, bool] = {}

    def program(draws: Draws) -> bool:
        if "answer" not in memory:
            memory["answer"] = draws.uniform() < 0.5
        return memory["answer"]

    with pytest.raises(NondeterminismError):
        exact_law(program, max_paths=2)


@every_engine
def test_a_draw_kept_from_an_earlier_run_is_an_error(engine: str) -> None:
    kept: list[Draw] = []

    def program(draws: Draws) -> bool:
        if not kept:
            kept.append(draws.uniform())
        return kept[0] < 0.5  # type: ignore[operator]

    with pytest.raises(NondeterminismError, match="after 0 draws"):
        ENGINES[engine](program)


@every_engine
def test_draws_taken_ahead_for_later_runs_are_an_error(engine: str) -> None:
    buffer: list[Draw] = []

    def program(draws: Draws) -> bool:
        if not buffer:
            buffer.extend(draws.uniform() for _ in range(4))
        return buffer.pop() < 0.5  # type: ignore[operator]

    with pytest.raises(NondeterminismError):
        ENGINES[engine](program)


@every_engine
@pytest.mark.parametrize(
    "first", [lambda program: exact_law(program, max_paths=1), lambda program: next(paths(program))]
)
def test_a_draw_kept_from_an_earlier_walk_is_an_error(
    first: Callable[[Any], Any], engine: str
) -> None:
    kept: list[Draw] = []

    def program(draws: Draws) -> bool:
        if not kept:
            kept.append(draws.uniform())
        return kept[0] < 0.5  # type: ignore[operator]

    first(program)
    with pytest.raises(NondeterminismError, match="keeps a draw from an earlier run"):
        ENGINES[engine](program)


def test_a_draw_kept_from_a_walk_that_failed_is_an_error() -> None:
    kept: list[Draw] = []

    def failing(draws: Draws) -> bool:
        kept.append(draws.uniform())
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        exact_law(failing)
    with pytest.raises(NondeterminismError, match="keeps a draw from an earlier run"):
        exact_law(lambda _: kept[0] < 0.5)  # type: ignore[operator]


@every_engine
def test_what_a_program_raises_comes_through(engine: str) -> None:
    def program(draws: Draws) -> bool:
        if draws.uniform() < 0.5:
            return True
        raise ArithmeticError("on this side")

    with pytest.raises(ArithmeticError, match="on this side"):
        ENGINES[engine](program)


def test_a_path_that_never_ends_is_abandoned_and_its_mass_is_missing() -> None:
    def endless(draws: Draws) -> int:
        rejected = 0
        while accepts(draws.uniform(), 1, 2):
            rejected += 1
        return rejected

    found = exact_law(endless)
    assert found.missing == Fraction(1, 2**MAX_QUESTIONS)
    assert found.law[3] == Fraction(1, 16)
    with pytest.raises(GridTooLargeError, match=f"1 paths ask more than {MAX_QUESTIONS} questions"):
        list(paths(endless))


def test_a_program_cannot_catch_that_it_was_abandoned() -> None:
    def stubborn(draws: Draws) -> int:
        try:
            while True:
                sample(Row([0.5, 0.5]), draws.uniform())
        except BaseException:
            return 0

    found = exact_law(stubborn, max_paths=1)
    assert (found.paths, found.missing) == (0, 1)


# Paths that may go on for ever, abandoned for their weight.


def tossed_until_heads(draws: Draws) -> int:
    tosses = 1
    while not draws.uniform() < 0.5:
        tosses += 1
    return tosses


def test_a_path_is_abandoned_once_it_weighs_too_little() -> None:
    trail: Trail[Any] = Trail(guide=weighing(Fraction(1, 8)))
    walked = list(walk(tossed_until_heads, trail, SymbolicDraws(trail, continuous)))
    # Three tails weigh an eighth, which is enough for one more toss; four do not.
    assert [(tosses, Fraction(*weight)) for tosses, weight in walked] == [
        (tosses, Fraction(1, 2**tosses)) for tosses in (1, 2, 3, 4)
    ]
    assert trail.abandoned == 1


def test_a_walk_by_weight_ends_where_no_run_does() -> None:
    def tossing(draws: Draws) -> None:
        while draws.uniform() < 0.5 or True:
            pass

    trail: Trail[Any] = Trail(guide=weighing(Fraction(1, 8)), max_abandoned=4)
    assert not list(walk(tossing, trail, SymbolicDraws(trail, continuous)))
    assert trail.abandoned == 4
