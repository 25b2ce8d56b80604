from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest

from specdec_core.distributions import Row, acceptance_rate
from specdec_core.draws import ReplayedDraws
from specdec_core.instances import Instance
from specdec_core.rules.recursive_rejection import RECURSIVE_REJECTION
from specdec_core.rules.rule import Rule
from specdec_core.rules.specinfer import SPECINFER, in_random_order
from specdec_core.rules.token_rejection import recovery_row
from specdec_core.siblings import Siblings
from specdec_grids.generated import RandomInstances
from specdec_grids.paths import exact_law

RULE = SPECINFER


@pytest.mark.parametrize("drafters", [1, 2, 3])
def test_with_equal_drafters_it_is_recursive_rejection(
    drafters: int, toy_with: Callable[..., Instance], toy_law: Callable[..., dict[str, str]]
) -> None:
    several = toy_law(RULE, {"drafters": drafters, "depth": 1})
    assert several == toy_law(RECURSIVE_REJECTION, {"k": drafters, "depth": 1})


@pytest.mark.parametrize("number", range(24))
def test_acceptance_is_the_mean_over_orders(
    number: int, accepted: Callable[..., Fraction], shaped: Callable[..., Rule[Any]]
) -> None:
    """``1 - prod_j (1 - a_j)``, ``a_j`` on the residual that the drafters before ``j`` left."""
    instance = RandomInstances(shaped(RULE, {"drafters": 3, "depth": 1}), 24)[number]
    rows = [draft(()) for draft in instance.drafts]
    chains = [acceptance_along(instance.target(()), order) for order in permutations(rows)]
    assert accepted(RULE, instance) == Fraction(sum(chains), len(chains))


def acceptance_along(target_probs: Row, rows: tuple[Row, ...]) -> Fraction:
    refused = Fraction(1)
    for row in rows:
        refused *= 1 - Fraction(acceptance_rate(target_probs, row))
        target_probs = recovery_row(target_probs, row)
    return 1 - refused


def test_every_order_is_equally_likely() -> None:
    rows = (Row([1, 0, 0]), Row([0, 1, 0]), Row([0, 0, 1]))
    siblings = Siblings((0, 1, 2), rows)
    law = exact_law(lambda draws: in_random_order(siblings, draws).tokens).law
    assert law.probs == dict.fromkeys(permutations(range(3)), Fraction(1, 6))


def test_a_sibling_keeps_its_row() -> None:
    rows = (Row([1, 0]), Row([0, 1]))
    shuffled = in_random_order(Siblings((0, 1), rows), ReplayedDraws([0.5]))
    assert shuffled == Siblings((1, 0), (rows[1], rows[0]))


def test_the_drafters_are_the_instances(toy_with: Callable[..., Instance]) -> None:
    two = toy_with({"drafters": 2, "depth": 1})
    tree = RULE.propose(Instance(two.target, two.drafts, two.parameters), ReplayedDraws([0.0, 0.9]))
    assert tree.children(()).tokens == (0, 1)
