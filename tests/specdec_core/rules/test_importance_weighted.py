from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.distributions import Row, acceptance_rate
from specdec_core.draws import ReplayedDraws
from specdec_core.instances import Instance
from specdec_core.laws import Law
from specdec_core.rules.importance_weighted import (
    IMPORTANCE_WEIGHTED,
    importance_weighted,
    law_of_pick,
    pick_row,
)
from specdec_core.rules.rule import Rule, Verification
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_core.siblings import Siblings
from specdec_grids.generated import RandomInstances

RULE = IMPORTANCE_WEIGHTED


def exact(*probs: str) -> Row:
    return Row(map(Fraction, probs))


def test_the_toy_model_with_two_equal_drafters(
    toy_with: Callable[..., Instance], accepted: Callable[..., Fraction]
) -> None:
    """Weights 1/2 and 2, so of unequal tokens 1 is picked with 4/5: the law is (8/15, 7/15)."""
    p, q = exact("1/3", "2/3"), exact("2/3", "1/3")
    assert law_of_pick(p, q, q) == exact("8/15", "7/15")
    assert accepted(RULE, toy_with({"drafters": 2, "depth": 1})) == Fraction(4, 5)


@pytest.mark.parametrize("number", range(24))
def test_acceptance_is_that_of_the_law_of_the_pick(
    number: int, accepted: Callable[..., Fraction], shaped: Callable[..., Rule[Any]]
) -> None:
    instance = RandomInstances(shaped(RULE, {"drafters": 3, "depth": 1}), 24)[number]
    p, rows = instance.target(()), [draft(()) for draft in instance.drafts]
    assert accepted(RULE, instance) == acceptance_rate(p, law_of_pick(p, *rows))


@pytest.mark.parametrize("number", range(12))
def test_with_one_drafter_it_is_token_rejection(
    number: int, block_law: Callable[..., Law[Verification]], shaped: Callable[..., Rule[Any]]
) -> None:
    one = shaped(RULE, {"drafters": 1, "depth": 2, "gamma": 2})
    instance = RandomInstances(one, 12)[number]
    assert block_law(RULE, instance) == block_law(TokenRejectionBonus(), instance)


def test_a_sibling_is_picked_by_its_weight() -> None:
    """Weights (1/4) / (1/2) and (3/4) / (1/4)."""
    rows = (exact("1/2", "1/2"), exact("3/4", "1/4"))
    assert pick_row(exact("1/4", "3/4"), (0, 1), *rows) == exact("1/7", "6/7")


def test_where_no_sibling_has_weight_all_are_replaced() -> None:
    draft = Row([0.0, 1.0])
    siblings = Siblings((1, 1), (draft, draft))
    assert pick_row(Row([1.0, 0.0]), (1, 1), draft, draft) == Row([1.0, 0.0])
    outcome = importance_weighted(siblings, Row([1.0, 0.0]), (0.0, 0.0), ReplayedDraws([0.0, 0.5]))
    assert outcome == Verification((), 0)


def test_weights_do_not_overflow_where_a_draft_is_as_good_as_zero() -> None:
    """Divided, each weight would be infinite, and a share of them no number."""
    row = Row([1.0, 1e-310])
    assert pick_row(Row([0.5, 0.5]), (1, 1), row, row) == Row([0.5, 0.5])
