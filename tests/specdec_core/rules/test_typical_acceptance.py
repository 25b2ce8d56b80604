from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ConstantModel
from specdec_core.proposals import DraftPath
from specdec_core.rules import Rule
from specdec_core.rules.rule import Verification
from specdec_core.rules.typical_acceptance import TypicalAcceptance, Typicality, TypicalPath

Distance: TypeAlias = Callable[[Rule[Any], Instance], Fraction]
Toy: TypeAlias = Callable[[Mapping[str, Parameter]], Instance]
ToyLaw: TypeAlias = Callable[[Rule[Any], Mapping[str, Parameter]], dict[str, str]]
BadPath: TypeAlias = tuple[DraftPath, type[Exception], str]

RULE = TypicalAcceptance()


Accepted: TypeAlias = Callable[[Rule[Any], Instance], Fraction]

STRICT: Mapping[str, Parameter] = {"epsilon": Fraction(1, 2), "delta": Fraction(9, 10)}
"""On the toy model exp(-H) is 0.529, and 9/10 of that 0.476: token 0 is not typical, token 1 is."""


def test_the_toy_model_keeps_its_typical_token_alone(toy_law: ToyLaw) -> None:
    assert toy_law(RULE, {"gamma": 1, **STRICT}) == {"1|0": "2/3", "1,0|1": "1/9", "1,1|1": "2/9"}


def test_the_toy_model_accepts_4_of_9_on_average(accepted: Accepted, toy_with: Toy) -> None:
    assert accepted(RULE, toy_with({"gamma": 2, **STRICT})) == Fraction(1, 3) + Fraction(1, 9)


def test_its_own_law_has_the_rest_of_the_mass_on_the_likeliest(toy_with: Toy) -> None:
    """Q on A, and 1 - q(A) at the argmax."""
    model = RULE.claimed(toy_with({"gamma": 1, **STRICT}))
    assert model(()) == (0, 1)
    assert model((1,)) == (Fraction(1, 3), Fraction(2, 3))


@pytest.mark.parametrize(
    ("epsilon", "delta", "typical"),
    [("1/4", "10", {1}), ("24/100", "10", {0, 1}), ("1", "0", {0, 1}), ("0", "1", {0, 1})],
)
def test_the_comparison_is_strict(epsilon: str, delta: str, typical: set[int]) -> None:
    row = Row([Fraction(1, 4), Fraction(3, 4), Fraction(0)])
    assert Typicality(Fraction(epsilon), Fraction(delta)).typical(row) == typical


def test_an_uncertain_row_admits_less_probable_tokens() -> None:
    """Four equal tokens: exp(-H) = 1/4."""
    quarters = Row([Fraction(1, 4)] * 4)
    assert Typicality(Fraction(1, 2), Fraction(9, 10)).typical(quarters) == {0, 1, 2, 3}
    certain = Row([Fraction(1, 4), Fraction(3, 4)])
    assert Typicality(Fraction(1, 2), Fraction(9, 10)).typical(certain) == {1}


def test_a_draw_is_taken_for_the_bonus_token_alone(toy_with: Toy) -> None:
    instance = toy_with({"gamma": 1, **STRICT})
    refused = RULE.propose(instance, ReplayedDraws([0.0]))
    assert RULE.verify(refused, instance.target, ReplayedDraws([])) == Verification((), 1)
    kept, draws = RULE.propose(instance, ReplayedDraws([0.9])), ReplayedDraws([0.0])
    assert RULE.verify(kept, instance.target, draws) == Verification((1,), 0)
    draws.require_all_used()


def test_a_threshold_is_not_negative() -> None:
    with pytest.raises(InvalidParameterError, match="epsilon is -1, expected at least 0"):
        Typicality(Fraction(-1), Fraction(1))


def test_without_draft_tokens_a_round_is_one_token(claim_distance: Distance, toy_with: Toy) -> None:
    instance = toy_with({"gamma": 0, **STRICT})
    assert RULE.horizon(instance) == 1
    assert claim_distance(RULE, instance) == 0


def test_a_proposal_that_cannot_be_judged_is_refused_before_any_draw(bad_path: BadPath) -> None:
    """A draw would be one too many for an empty record."""
    target = ConstantModel(Row([0.5, 0.5]))
    path, error, message = bad_path
    proposal = TypicalPath(path, Typicality(Fraction(1), Fraction(1)))
    with pytest.raises(error, match=message):
        RULE.verify(proposal, target, ReplayedDraws([]))


@pytest.mark.parametrize(
    "parameters",
    [
        {"gamma": 1},
        {"gamma": 1, "epsilon": 1},
        {"gamma": 1, "epsilon": -1, "delta": 1},
        {"gamma": 1, "epsilon": 1, "delta": -1},
        {"gamma": 1, "epsilon": float("nan"), "delta": 1},
        {"gamma": -1, "epsilon": 1, "delta": 1},
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
