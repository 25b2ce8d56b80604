"""Dives: an estimate without bias, and guesses within a factor of two."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import pytest

from specdec_core.distributions import Row
from specdec_core.draws import Draws
from specdec_core.errors import GridTooLargeError
from specdec_core.sampling import sample
from specdec_grids.dives import dive, estimated_outcomes, estimated_paths
from specdec_grids.paths import exact_law
from specdec_grids.programs import Program
from specdec_grids.subtrees import Budget
from tests.specdec_grids.test_subtrees import tree_of

DIE = Row([Fraction(1, 6)] * 6)
LOADED = Row([0, Fraction(1), 0])


def die(draws: Draws) -> tuple[int, ...]:
    """Thrown again after a six, with throws of a loaded one between: eleven paths."""
    sample(LOADED, draws.uniform())
    first = sample(DIE, draws.uniform())
    sample(LOADED, draws.uniform())
    return (first, sample(DIE, draws.uniform())) if first == 5 else (first,)


def test_one_over_what_each_path_counts_for_adds_up_to_one() -> None:
    """So the mean is the number of paths.  Some path is not met with a chance below 1e-11."""
    rng = np.random.default_rng()
    met = {found.outcome: found.paths for found in (dive(tree_of(die), rng) for _ in range(1000))}
    assert len(met) == exact_law(die).paths == 11
    assert sum(Fraction(1, paths) for paths in met.values()) == 1
    assert sorted(met.values()) == [6] * 5 + [36] * 6


def test_halfway_is_a_branch_that_can_be_followed() -> None:
    rng = np.random.default_rng(1)
    for found in (dive(tree_of(die), rng) for _ in range(20)):
        below = tree_of(die).follow([found.halfway], Budget(99, 1e9))
        assert found.outcome in below.sums
        assert len(below.sums) == (6 if len(found.outcome) == 2 else 11)


def test_dives_that_are_all_alike_leave_no_error() -> None:
    rng = np.random.default_rng()
    coins = tree_of(lambda draws: [draws.uniform() < Fraction(1, 2) for _ in range(70)] and 0)
    assert estimated_paths([dive(coins, rng) for _ in range(3)]) == (2.0**70, 0.0)


def test_a_path_without_end_is_refused() -> None:
    def endless(draws: Draws) -> None:
        while draws.uniform() < 1:
            pass

    with pytest.raises(GridTooLargeError, match="1 paths ask more than"):
        dive(tree_of(endless), np.random.default_rng())


Image: TypeAlias = Callable[[Iterable[bool]], Hashable]


def tosses(number: int, image: Image) -> Program[Hashable]:
    return lambda draws: image(draws.uniform() < Fraction(1, 2) for _ in range(number))


@pytest.mark.parametrize(
    ("image", "outcomes"),
    [
        (sum, 15),
        (tuple, 2**14),
        (lambda sides: tuple(sides)[:11], 2**11),
        (lambda sides: tuple(sides)[3:], 2**11),
        (lambda sides: tuple(sides)[5:], 2**9),
    ],
    ids=["few", "all different", "neighbours alike", "strangers alike", "all met"],
)
def test_outcomes_are_guessed_within_a_factor_of_two(image: Image, outcomes: int) -> None:
    """Of 2**14 paths, 600 are dived and 16 times 100 are followed."""
    tree, rng = tree_of(tosses(14, image)), np.random.default_rng(5)
    dives = [dive(tree, rng) for _ in range(600)]
    pieces = []
    for one in dives[:16]:
        ways: Counter[Hashable] = Counter()
        counted = tree_of(lambda draws, ways=ways: ways.update([out := tree.program(draws)]) or out)
        counted.follow([one.halfway], Budget(100, 1e9))
        pieces.append(ways)
    assert 1 / 2 <= estimated_outcomes(dives, pieces) / outcomes <= 2


def test_outcomes_that_nearly_all_were_met_are_not_as_many_as_the_paths() -> None:
    """The last nine of forty tosses: the 600 dives met some of the 512 just once."""
    tree, rng = tree_of(tosses(40, lambda sides: tuple(sides)[31:])), np.random.default_rng(5)
    dives = [dive(tree, rng) for _ in range(600)]
    piece = Counter({one.outcome: 1 for one in dives[::2]})
    assert 256 <= estimated_outcomes(dives, [piece] * 3) <= 1024
