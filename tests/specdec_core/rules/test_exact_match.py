from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import pytest

from specdec_core.draws import ReplayedDraws
from specdec_core.efficiency import acceptance_at
from specdec_core.instances import Instance, Parameter
from specdec_core.laws import Law
from specdec_core.rules import Rule
from specdec_core.rules.exact_match import ExactMatch
from specdec_core.rules.rule import Verification
from specdec_grids.generated import RandomInstances

Distance: TypeAlias = Callable[[Rule[Any], Instance], Fraction]
Toy: TypeAlias = Callable[[Mapping[str, Parameter]], Instance]
ToyLaw: TypeAlias = Callable[[Rule[Any], Mapping[str, Parameter]], dict[str, str]]

RULE = ExactMatch()


BlockLaw: TypeAlias = Callable[[Rule[Any], Instance], Law[Verification]]
Accepted: TypeAlias = Callable[[Rule[Any], Instance], Fraction]


def test_the_toy_models_round(toy_law: ToyLaw) -> None:
    """Sun et al. 2024 (arXiv:2403.10444), Section 2: p = (1/3, 2/3), q = (2/3, 1/3)."""
    assert toy_law(RULE, {"gamma": 2}) == {
        "0|0": "1/9", "0,0|1": "2/81", "0,0,0|2": "4/243", "0,0,1|2": "8/243",
        "0,1|1": "8/81", "0,1,0|2": "4/243", "0,1,1|2": "8/243",
        "1|0": "4/9", "1,0|1": "2/81", "1,0,0|2": "4/243", "1,0,1|2": "8/243",
        "1,1|1": "8/81", "1,1,0|2": "4/243", "1,1,1|2": "8/243",
    }  # fmt: skip


def test_the_toy_model_accepts_52_of_81_on_average(accepted: Accepted, toy_with: Toy) -> None:
    assert accepted(RULE, toy_with({"gamma": 2})) == Fraction(52, 81)


@pytest.mark.parametrize("number", range(20))
def test_a_token_is_kept_with_probability_sum_p_q(number: int, block_law: BlockLaw) -> None:
    instance = RandomInstances(RULE, 60)[number]
    pairs = zip(instance.target(()), instance.draft(()), strict=True)
    assert acceptance_at(block_law(RULE, instance), 1) == sum(p * q for p, q in pairs)


def test_a_token_is_drawn_for_each_position_and_for_the_bonus(toy_with: Toy) -> None:
    instance = toy_with({"gamma": 2})
    proposal = RULE.propose(instance, ReplayedDraws([0.0, 0.9]))
    draws = ReplayedDraws([0.0, 0.5, 0.25])
    assert RULE.verify(proposal, instance.target, draws) == Verification((0, 1), 0)
    draws.require_all_used()


def test_without_draft_tokens_a_round_is_one_token(claim_distance: Distance, toy_with: Toy) -> None:
    instance = toy_with({"gamma": 0})
    assert RULE.horizon(instance) == 1
    assert claim_distance(RULE, instance) == 0
