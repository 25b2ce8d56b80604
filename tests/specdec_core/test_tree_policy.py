import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.errors import InvalidParameterError
from specdec_core.tree_builders import AdaptiveTreeBuilder
from specdec_core.tree_policy import AdaptiveTreePolicy

POLICY = AdaptiveTreePolicy(min_width=1, max_width=4, min_depth=2, max_depth=6, depth=4)


@pytest.mark.parametrize(
    ("accepted", "proposed", "depth"),
    [(4, 4, 5), (3, 4, 5), (2, 4, 4), (1, 4, 3), (0, 4, 3), (0, 1, 3), (1, 1, 5), (2, 3, 4)],
)
def test_the_depth_moves_by_one_at_three_quarters_and_at_one_quarter(
    accepted: int, proposed: int, depth: int
) -> None:
    assert POLICY.after(accepted=accepted, proposed=proposed) == replace(POLICY, depth=depth)


def test_the_depth_stays_within_its_bounds() -> None:
    assert replace(POLICY, depth=6).after(accepted=6, proposed=6).depth == 6
    assert replace(POLICY, depth=2).after(accepted=0, proposed=2).depth == 2


def test_the_thresholds_are_the_policys_own_and_met_exactly() -> None:
    strict = replace(POLICY, deepen_at=Fraction(1), shorten_at=Fraction(0))
    depths = [strict.after(accepted=accepted, proposed=3).depth for accepted in range(4)]
    assert depths == [3, 4, 4, 5]
    thirds = replace(POLICY, deepen_at=Fraction(2, 3), shorten_at=Fraction(1, 3))
    depths = [thirds.after(accepted=accepted, proposed=3).depth for accepted in range(4)]
    assert depths == [3, 3, 5, 5]


def test_a_policy_someone_kept_is_independent_of_what_happens_later() -> None:
    kept = POLICY
    later = kept
    for _ in range(3):
        later = later.after(accepted=1, proposed=1)
    assert (kept.depth, later.depth) == (4, 6)
    assert kept.after(accepted=0, proposed=1).depth == 3


@given(st.lists(st.tuples(st.integers(1, 8), st.integers(0, 8)), max_size=20))
def test_no_history_leaves_the_bounds(rounds: list[tuple[int, int]]) -> None:
    policy = POLICY
    for proposed, accepted in rounds:
        before = policy
        policy = policy.after(accepted=min(accepted, proposed), proposed=proposed)
        assert policy.min_depth <= policy.depth <= policy.max_depth
        assert abs(policy.depth - before.depth) <= 1


@pytest.mark.parametrize(("budget", "depth"), [(1, 1), (3, 3), (4, 4), (9, 4)])
def test_the_builder_is_capped_to_the_budget_even_below_the_smallest_depth(
    budget: int, depth: int
) -> None:
    assert POLICY.builder(budget) == AdaptiveTreeBuilder(min_width=1, max_width=4, depth=depth)


@pytest.mark.parametrize("budget", [0, 1.5])
def test_a_builder_needs_a_budget(budget: int) -> None:
    with pytest.raises(InvalidParameterError, match=f"budget is {budget}"):
        POLICY.builder(budget)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"min_width": 0}, "min_width is 0, expected at least 1"),
        ({"max_width": 0}, "max_width is 0, expected at least 1"),
        ({"min_depth": 0}, "min_depth is 0, expected at least 1"),
        ({"max_depth": 1}, "max_depth is 1, expected at least 2"),
        ({"depth": 1}, "depth is 1, expected at least 2"),
        ({"depth": 7}, "depth is 7, expected at most 6"),
        ({"depth": 4.0}, "depth is 4.0 (float), expected an integer"),
        ({"deepen_at": 1.5}, "deepen_at is 1.5, expected a number in [0, 1]"),
        ({"deepen_at": float("nan")}, "deepen_at is nan, expected a number in [0, 1]"),
        ({"deepen_at": "1"}, "deepen_at is '1', expected a number in [0, 1]"),
        ({"deepen_at": True}, "deepen_at is True, expected a number in [0, 1]"),
        ({"shorten_at": -0.5}, "shorten_at is -0.5, expected a number in [0, 1]"),
        ({"shorten_at": 0.75}, "shorten_at is 0.75, expected less than deepen_at, 3/4"),
    ],
)
def test_a_parameter_out_of_range_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(message)}$"):
        replace(POLICY, **change)


@pytest.mark.parametrize(
    ("accepted", "proposed", "message"),
    [
        (0, 0, "proposed is 0, expected at least 1"),
        (-1, 1, "accepted is -1, expected at least 0"),
        (3, 2, "accepted is 3, expected at most 2"),
        (0.5, 2, "accepted is 0.5 (float), expected an integer"),
    ],
)
def test_a_round_that_cannot_have_been_is_refused(
    accepted: int, proposed: int, message: str
) -> None:
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(message)}$"):
        POLICY.after(accepted=accepted, proposed=proposed)
