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
from specdec_core.rules.relaxed_acceptance import Closeness, RelaxedAcceptance, RelaxedPath
from specdec_core.rules.rule import Verification

Distance: TypeAlias = Callable[[Rule[Any], Instance], Fraction]
Toy: TypeAlias = Callable[[Mapping[str, Parameter]], Instance]
ToyLaw: TypeAlias = Callable[[Rule[Any], Mapping[str, Parameter]], dict[str, str]]
BadPath: TypeAlias = tuple[DraftPath, type[Exception], str]

RULE = RelaxedAcceptance()


Accepted: TypeAlias = Callable[[Rule[Any], Instance], Fraction]

CLOSE: Mapping[str, Parameter] = {"top_n": 2, "delta": Fraction(1, 3)}
"""On the toy model token 0 is just close enough to token 1."""


def test_the_toy_model_with_both_tokens_close(
    accepted: Accepted, toy_law: ToyLaw, toy_with: Toy
) -> None:
    assert toy_law(RULE, {"gamma": 1, **CLOSE}) == {"0,1|1": "2/3", "1,1|1": "1/3"}
    assert accepted(RULE, toy_with({"gamma": 2, **CLOSE})) == 2


@pytest.mark.parametrize(
    "parameters", [{"top_n": 1, "delta": 1}, {"top_n": 2, "delta": Fraction(1, 4)}], ids=str
)
def test_the_toy_model_with_one_token_close(
    parameters: Mapping[str, Parameter], accepted: Accepted, toy_law: ToyLaw, toy_with: Toy
) -> None:
    assert toy_law(RULE, {"gamma": 1, **parameters}) == {"1|0": "2/3", "1,1|1": "1/3"}
    assert accepted(RULE, toy_with({"gamma": 2, **parameters})) == Fraction(1, 3) + Fraction(1, 9)


def test_its_own_law_has_the_rest_of_the_mass_on_the_best(toy_with: Toy) -> None:
    """Q on A, and 1 - q(A) at the top; after the draft, the top alone."""
    model = RULE.claimed(toy_with({"gamma": 1, **CLOSE}))
    assert model(()) == (Fraction(2, 3), Fraction(1, 3))
    assert model((0,)) == (0, 1)


@pytest.mark.parametrize(("top_n", "close"), [(1, {0}), (2, {0, 1}), (9, {0, 1, 2})])
def test_of_equal_tokens_the_smaller_are_among_the_best(top_n: int, close: set[int]) -> None:
    assert Closeness(top_n, Fraction(0)).close(Row([Fraction(1, 3)] * 3)) == close


def test_verifying_takes_no_draw(toy_with: Toy) -> None:
    instance = toy_with({"gamma": 2, **CLOSE})
    proposal = RULE.propose(instance, ReplayedDraws([0.0, 0.9]))
    assert RULE.verify(proposal, instance.target, ReplayedDraws([])) == Verification((0, 1), 1)


def test_at_least_one_token_is_best() -> None:
    with pytest.raises(InvalidParameterError, match="top_n is 0, expected at least 1"):
        Closeness(0, Fraction(1))


def test_without_draft_tokens_a_round_is_one_token(claim_distance: Distance, toy_with: Toy) -> None:
    instance = toy_with({"gamma": 0, **CLOSE})
    assert RULE.horizon(instance) == 1
    assert claim_distance(RULE, instance) == 0


def test_a_proposal_that_cannot_be_judged_is_refused_before_any_draw(bad_path: BadPath) -> None:
    """A draw would be one too many for an empty record."""
    target = ConstantModel(Row([0.5, 0.5]))
    path, error, message = bad_path
    proposal = RelaxedPath(path, Closeness(1, Fraction(1)))
    with pytest.raises(error, match=message):
        RULE.verify(proposal, target, ReplayedDraws([]))


@pytest.mark.parametrize(
    "parameters",
    [
        {"gamma": 1},
        {"gamma": 1, "top_n": 1},
        {"gamma": 1, "top_n": 0, "delta": 0},
        {"gamma": 1, "top_n": 1, "delta": 2},
        {"gamma": -1, "top_n": 1, "delta": 0},
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
