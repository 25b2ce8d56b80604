from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import pytest

from specdec_core.draws import ReplayedDraws
from specdec_core.instances import Instance, Parameter
from specdec_core.laws import Law
from specdec_core.rules import Rule
from specdec_core.rules.block_verification import BlockVerification
from specdec_core.rules.hierarchical import Hierarchical
from specdec_core.rules.rule import Verification
from specdec_grids.generated import RandomInstances

Distance: TypeAlias = Callable[[Rule[Any], Instance], Fraction]
Toy: TypeAlias = Callable[[Mapping[str, Parameter]], Instance]

RULE = Hierarchical()


BlockLaw: TypeAlias = Callable[[Rule[Any], Instance], Law[Verification]]
Accepted: TypeAlias = Callable[[Rule[Any], Instance], Fraction]


def test_the_toy_model_accepts_11_of_9_on_average(accepted: Accepted, toy_with: Toy) -> None:
    """As block verification does: Sun et al. 2024 (arXiv:2403.10444), Section 2."""
    assert accepted(RULE, toy_with({"gamma": 2})) == Fraction(11, 9)
    assert accepted(RULE, toy_with({"gamma": 4})) == Fraction(166, 81)


@pytest.mark.parametrize("number", range(60))
def test_its_block_law_is_that_of_block_verification(number: int, block_law: BlockLaw) -> None:
    instance = RandomInstances(RULE, 60)[number]
    assert block_law(RULE, instance) == block_law(BlockVerification(), instance)


def test_the_same_draws_lead_to_the_same_outcome_as_in_block_verification(toy_with: Toy) -> None:
    instance = toy_with({"gamma": 2})
    proposal = RULE.propose(instance, ReplayedDraws([0.9, 0.0]))
    draws = ReplayedDraws([0.0, 0.5, 0.0])
    assert RULE.verify(proposal, instance.target, draws) == Verification((1,), 1)
    draws.require_all_used()


def test_without_draft_tokens_a_round_is_one_token(claim_distance: Distance, toy_with: Toy) -> None:
    instance = toy_with({"gamma": 0})
    assert RULE.horizon(instance) == 1
    assert claim_distance(RULE, instance) == 0
