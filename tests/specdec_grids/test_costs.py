"""Planned costs: exact of what is small, and estimated of what is large."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from specdec_core.draws import Draws
from specdec_core.errors import GridTooLargeError
from specdec_grids.costs import planned_cost
from specdec_grids.programs import Program

HALF = Fraction(1, 2)


def coins(number: int) -> Program[int]:
    return lambda draws: sum(draws.uniform() < HALF for _ in range(number))


def test_a_small_tree_is_counted() -> None:
    cost = planned_cost(coins(6), np.random.default_rng(), seconds=40)
    assert (cost.paths, cost.error, cost.outcomes, cost.exact) == (64, 0, 7, True)
    assert 0 < cost.seconds < 10
    assert 0 < cost.bytes < 2**20
    assert cost.core_hours == cost.seconds / 3600


def test_a_large_tree_is_estimated_in_the_time_that_was_given() -> None:
    """Every dive says the same of coins, so that the number of paths is exact after all."""
    cost = planned_cost(coins(40), np.random.default_rng(), seconds=0.2)
    assert (cost.paths, cost.error, cost.exact) == (2**40, 0, False)
    assert cost.dives >= 16
    assert cost.seconds == pytest.approx(cost.paths / cost.paths_per_second)
    assert cost.outcomes <= 82  # 41 there are


@pytest.mark.parametrize("first", [lambda draw: draw < HALF, lambda draw: draw < 2])
def test_a_path_without_end_is_refused(first: Callable[[object], bool]) -> None:
    def endless(draws: Draws) -> bool:
        while first(draws.uniform()):
            pass
        return True

    with pytest.raises(GridTooLargeError, match="ask more than 512 questions"):
        planned_cost(endless, np.random.default_rng(), seconds=0.2)
