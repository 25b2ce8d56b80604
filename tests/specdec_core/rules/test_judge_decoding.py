from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import pytest

from specdec_core.draws import ReplayedDraws
from specdec_core.instances import Instance, Parameter
from specdec_core.laws import Law
from specdec_core.models import Context
from specdec_core.rules import Rule
from specdec_core.rules.judge_decoding import Judge, JudgeDecoding, even_sum
from specdec_core.rules.rule import Verification
from specdec_grids.generated import RandomInstances

Distance: TypeAlias = Callable[[Rule[Any], Instance], Fraction]
Toy: TypeAlias = Callable[[Mapping[str, Parameter]], Instance]
ToyLaw: TypeAlias = Callable[[Rule[Any], Mapping[str, Parameter]], dict[str, str]]

RULE = JudgeDecoding()


BlockLaw: TypeAlias = Callable[[Rule[Any], Instance], Law[Verification]]
Accepted: TypeAlias = Callable[[Rule[Any], Instance], Fraction]


def anything(context: Context, token: int) -> bool:
    return True


def nothing(context: Context, token: int) -> bool:
    return False


def test_the_toy_model_with_a_judge_of_even_sums(toy_law: ToyLaw) -> None:
    """Token 0 is admitted, and token 1 replaced by one of the target: q(0) and 1 - q(0)."""
    assert toy_law(RULE, {"gamma": 1}) == {
        "0|0": "1/9",
        "1|0": "2/9",
        "0,0|1": "2/9",
        "0,1|1": "4/9",
    }


def test_the_toy_model_accepts_10_of_9_on_average(accepted: Accepted, toy_with: Toy) -> None:
    assert accepted(RULE, toy_with({"gamma": 2})) == Fraction(2, 3) + Fraction(4, 9)


def test_a_judge_who_admits_anything_accepts_everything(accepted: Accepted, toy_with: Toy) -> None:
    assert accepted(JudgeDecoding(judge=anything), toy_with({"gamma": 3})) == 3


def test_a_judge_who_admits_nothing_leaves_the_target(toy_with: Toy, block_law: BlockLaw) -> None:
    law = block_law(JudgeDecoding(judge=nothing), toy_with({"gamma": 3}))
    assert law == Law({Verification((), 0): Fraction(1, 3), Verification((), 1): Fraction(2, 3)})


@pytest.mark.parametrize("judge", [anything, nothing])
@pytest.mark.parametrize("number", range(6))
def test_another_judge_has_the_law_that_is_claimed(
    number: int, judge: Judge, claim_distance: Distance
) -> None:
    rule = JudgeDecoding(judge=judge)
    assert claim_distance(rule, RandomInstances(rule, 60)[number]) == 0


def test_the_judge_is_asked_of_the_context_too() -> None:
    assert (even_sum((), 1), even_sum((1,), 1)) == (False, True)


def test_one_draw_is_taken_for_the_last_token(toy_with: Toy) -> None:
    instance = toy_with({"gamma": 2})
    proposal = RULE.propose(instance, ReplayedDraws([0.0, 0.9]))
    draws = ReplayedDraws([0.5])
    assert RULE.verify(proposal, instance.target, draws) == Verification((0,), 1)
    draws.require_all_used()


def test_without_draft_tokens_a_round_is_one_token(claim_distance: Distance, toy_with: Toy) -> None:
    instance = toy_with({"gamma": 0})
    assert RULE.horizon(instance) == 1
    assert claim_distance(RULE, instance) == 0
