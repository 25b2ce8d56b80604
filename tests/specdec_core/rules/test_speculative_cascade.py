from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance, Parameter
from specdec_core.laws import target_joint
from specdec_core.models import ConstantModel, Context
from specdec_core.proposals import DraftPath
from specdec_core.rules import Rule
from specdec_core.rules.judge_decoding import JudgeDecoding
from specdec_core.rules.speculative_cascade import CascadedPath, SpeculativeCascade, cascade
from specdec_grids.generated import RandomInstances

Distance: TypeAlias = Callable[[Rule[Any], Instance], Fraction]
Toy: TypeAlias = Callable[[Mapping[str, Parameter]], Instance]
BadPath: TypeAlias = tuple[DraftPath, type[Exception], str]

RULE = SpeculativeCascade()


Accepted: TypeAlias = Callable[[Rule[Any], Instance], Fraction]


def test_the_toy_model_with_the_target_content_with_both(accepted: Accepted, toy_with: Toy) -> None:
    """(1 - 1/2) max(p) = 1/3: token 0 is just likely enough, so pi = q."""
    assert accepted(RULE, toy_with({"gamma": 2, "tolerance": Fraction(1, 2)})) == 2


def test_the_toy_model_with_the_target_content_with_its_best(
    accepted: Accepted, toy_with: Toy
) -> None:
    """Pi = (0, 1/3) + (2/3) (1/3, 2/3) = (2/9, 7/9): 2/9 + 1/3 is kept."""
    instance = toy_with({"gamma": 1, "tolerance": Fraction(1, 4)})
    assert RULE.claimed(instance)(()) == (Fraction(2, 9), Fraction(7, 9))
    assert accepted(RULE, instance) == Fraction(5, 9)


@pytest.mark.parametrize("number", range(30))
def test_it_has_the_law_of_a_judge_who_is_content_with_the_same_tokens(number: int) -> None:
    instance = RandomInstances(RULE, 60)[number]
    tolerance = instance.fraction("tolerance", minimum=0)

    def content(context: Context, token: int) -> bool:
        row = instance.target(context)
        return row[token] >= (1 - tolerance) * max(row)

    judged = JudgeDecoding(judge=content).claimed(instance)
    horizon = RULE.horizon(instance)
    assert target_joint(RULE.claimed(instance), horizon) == target_joint(judged, horizon)


def test_a_path_cannot_carry_a_tolerance_above_one(toy_with: Toy) -> None:
    path = RULE.propose(toy_with({"gamma": 0, "tolerance": 1}), ReplayedDraws([])).path
    with pytest.raises(InvalidParameterError, match="tolerance is 2, expected at most 1"):
        CascadedPath(path, Fraction(2))


def test_no_tolerance_admits_every_token_that_ties_with_the_best() -> None:
    p, q = Row([Fraction(1, 2), Fraction(1, 2)]), Row([Fraction(1, 4), Fraction(3, 4)])
    assert cascade(p, q, Fraction(0)) == q


def test_without_draft_tokens_a_round_is_one_token(claim_distance: Distance, toy_with: Toy) -> None:
    instance = toy_with({"gamma": 0, "tolerance": Fraction(1, 2)})
    assert RULE.horizon(instance) == 1
    assert claim_distance(RULE, instance) == 0


def test_a_proposal_that_cannot_be_judged_is_refused_before_any_draw(bad_path: BadPath) -> None:
    """A draw would be one too many for an empty record."""
    target = ConstantModel(Row([0.5, 0.5]))
    path, error, message = bad_path
    proposal = CascadedPath(path, Fraction(1, 2))
    with pytest.raises(error, match=message):
        RULE.verify(proposal, target, ReplayedDraws([]))


@pytest.mark.parametrize(
    "parameters",
    [
        {"gamma": 1},
        {"gamma": 1, "tolerance": Fraction(-1, 2)},
        {"gamma": 1, "tolerance": Fraction(3, 2)},
        {"gamma": -1, "tolerance": 1},
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
