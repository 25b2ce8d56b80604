"""Subtrees: what is followed and what is left open are the whole tree, however it is parted."""

import random
from collections import deque
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.draws import Draws
from specdec_core.errors import NondeterminismError
from specdec_grids.paths import continuous, exact_law
from specdec_grids.programs import Program
from specdec_grids.subtrees import WHOLE, Branch, Budget, Followed, Tree
from specdec_grids.sums import Sum, merge_sums, totals
from specdec_grids.trails import MAX_ABANDONED, MAX_QUESTIONS
from tests.specdec_grids.conftest import TreeProgram, tree_programs

NO_LIMIT = 1e9


def tree_of(program: Program[Any]) -> Tree[Any]:
    return Tree(program, continuous, (1, 1))


def coins(number: int) -> Program[str]:
    return lambda draws: "".join("ht"[draws.uniform() < Fraction(1, 2)] for _ in range(number))


@given(program=tree_programs(), paths=st.integers(1, 5), rng=st.randoms(use_true_random=False))
def test_a_tree_parted_at_random_is_the_whole_tree(
    program: TreeProgram, paths: int, rng: random.Random
) -> None:
    """In steps and in one, each group of branches on a budget of its own."""
    expected = exact_law(program)
    for form in (program, program.in_steps):
        sums: dict[Any, Sum] = {}
        followed, open_ = 0, [WHOLE]
        while open_:
            rng.shuffle(open_)
            some = [open_.pop() for _ in range(rng.randint(1, len(open_)))]
            found = tree_of(form).follow(some, Budget(paths, NO_LIMIT))
            assert found.paths <= paths
            merge_sums(sums, found.sums)
            followed += found.paths
            open_.extend(found.left)
        assert list(totals(sums).items()) == list(expected.law.probs.items())
        assert followed == expected.paths


def test_what_is_left_open_is_a_branch_for_each_answer_along_one_path() -> None:
    found = tree_of(coins(3)).follow([WHOLE], Budget(1, NO_LIMIT))
    assert [branch.numbers for branch in found.left] == [(0, 0, 1), (0, 1), (1,)]
    assert [*found.sums] == ["ttt"]


def test_a_budget_of_time_that_is_used_up_gives_one_path() -> None:
    found = tree_of(coins(3)).follow([WHOLE], Budget(100, 0.0))
    assert (found.paths, len(found.left)) == (1, 3)
    again = tree_of(coins(3)).follow(found.left, Budget(100, 0.0))
    assert (again.paths, len(again.left)) == (1, 2)


def left_of(program: Program[Any]) -> tuple[Branch, ...]:
    found: Followed[Any] = tree_of(program).follow([WHOLE], Budget(1, NO_LIMIT))
    return found.left


@pytest.mark.parametrize(
    "other",
    [
        lambda draws: draws.uniform() < Fraction(1, 3),
        lambda draws: "it asks nothing",
        lambda draws: (draws.uniform(), draws.uniform() < Fraction(1, 2))[1],
        lambda draws: draws.uniform() < 2,
    ],
    ids=["another threshold", "nothing", "another draw", "a certain answer"],
)
def test_a_program_that_asks_other_questions_elsewhere_is_found_out(other: Program[Any]) -> None:
    for branch in left_of(coins(3)):
        with pytest.raises(NondeterminismError, match="not the same in every process"):
            tree_of(other).follow([branch], Budget(9, NO_LIMIT))


def test_paths_that_never_end_are_counted_and_do_not_go_on_for_ever() -> None:
    def endless(draws: Draws) -> str:
        if draws.uniform() < Fraction(1, 2):
            return "ends"
        while draws.uniform() < 1:
            pass
        raise AssertionError(f"more than {MAX_QUESTIONS} questions")

    found = tree_of(endless).follow([WHOLE], Budget(9, NO_LIMIT))
    assert (found.paths, found.abandoned, found.left) == (1, 1, ())

    def hopeless(draws: Draws) -> str:
        while draws.uniform() < Fraction(1, 2):
            pass
        while draws.uniform() < 1:
            pass
        raise AssertionError(f"more than {MAX_QUESTIONS} questions")

    some = deque(left_of(lambda draws: draws.uniform() < Fraction(1, 2)))
    stopped = tree_of(hopeless).follow([WHOLE, *some], Budget(9, NO_LIMIT))
    assert (stopped.paths, stopped.abandoned, stopped.left) == (0, MAX_ABANDONED, tuple(some))
