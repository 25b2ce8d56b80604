from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance, Parameter
from specdec_core.laws import Law
from specdec_core.models import ConstantModel
from specdec_core.proposals import DraftPath
from specdec_core.rules import Rule
from specdec_core.rules.interpolation import Interpolation, WeightedPath
from specdec_core.rules.rule import Verification
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_grids.generated import RandomInstances

Distance: TypeAlias = Callable[[Rule[Any], Instance], Fraction]
Toy: TypeAlias = Callable[[Mapping[str, Parameter]], Instance]
ToyLaw: TypeAlias = Callable[[Rule[Any], Mapping[str, Parameter]], dict[str, str]]
BadPath: TypeAlias = tuple[DraftPath, type[Exception], str]

RULE = Interpolation()


BlockLaw: TypeAlias = Callable[[Rule[Any], Instance], Law[Verification]]
Accepted: TypeAlias = Callable[[Rule[Any], Instance], Fraction]


def test_the_toy_model_half_way(accepted: Accepted, toy_with: Toy, toy_law: ToyLaw) -> None:
    """M = (1/2, 1/2) against q = (2/3, 1/3): token 0 is kept 3 times in 4, token 1 always."""
    half: Mapping[str, Parameter] = {"gamma": 1, "weight": Fraction(1, 2)}
    assert accepted(RULE, toy_with(half)) == Fraction(5, 6)
    assert toy_law(RULE, half) == {
        "0,0|1": "1/6",
        "0,1|1": "1/3",
        "1|0": "1/6",
        "1,0|1": "1/9",
        "1,1|1": "2/9",
    }


@pytest.mark.parametrize("number", range(12))
def test_no_weight_of_the_draft_is_token_rejection(number: int, block_law: BlockLaw) -> None:
    drawn = RandomInstances(RULE, 60)[number]
    strict = Instance(drawn.target, drawn.drafts, {**drawn.parameters, "weight": 0})
    assert block_law(RULE, strict) == block_law(TokenRejectionBonus(), strict)


def test_all_weight_on_the_draft_accepts_everything(accepted: Accepted, toy_with: Toy) -> None:
    assert accepted(RULE, toy_with({"gamma": 3, "weight": 1})) == 3


def test_the_claim_is_the_mixture_and_then_the_target(toy_with: Toy) -> None:
    model = RULE.claimed(toy_with({"gamma": 1, "weight": Fraction(1, 4)}))
    assert model(()) == (Fraction(5, 12), Fraction(7, 12))
    assert model((0,)) == (Fraction(1, 3), Fraction(2, 3))


def test_a_path_cannot_carry_a_weight_above_one(toy_with: Toy) -> None:
    path = RULE.propose(toy_with({"gamma": 0, "weight": 1}), ReplayedDraws([])).path
    with pytest.raises(InvalidParameterError, match="weight is 2, expected at most 1"):
        WeightedPath(path, Fraction(2))


def test_without_draft_tokens_a_round_is_one_token(claim_distance: Distance, toy_with: Toy) -> None:
    instance = toy_with({"gamma": 0, "weight": Fraction(1, 3)})
    assert RULE.horizon(instance) == 1
    assert claim_distance(RULE, instance) == 0


def test_a_proposal_that_cannot_be_judged_is_refused_before_any_draw(bad_path: BadPath) -> None:
    """A draw would be one too many for an empty record."""
    target = ConstantModel(Row([0.5, 0.5]))
    path, error, message = bad_path
    proposal = WeightedPath(path, Fraction(1, 2))
    with pytest.raises(error, match=message):
        RULE.verify(proposal, target, ReplayedDraws([]))


@pytest.mark.parametrize(
    "parameters",
    [
        {"gamma": 1},
        {"gamma": 1, "weight": Fraction(-1, 2)},
        {"gamma": 1, "weight": Fraction(3, 2)},
        {"gamma": 1, "weight": True},
        {"gamma": -1, "weight": 1},
    ],
    ids=str,
)
def test_parameters_out_of_range_are_refused(
    parameters: Mapping[str, Parameter], toy_with: Toy
) -> None:
    with pytest.raises(InvalidParameterError):
        RULE.horizon(toy_with(parameters))
    with pytest.raises(InvalidParameterError):
        RULE.propose(toy_with(parameters), ReplayedDraws([]))
