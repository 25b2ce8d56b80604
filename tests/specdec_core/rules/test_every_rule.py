"""Every rule on generated instances, on degenerate models, and on what it must refuse."""

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
from specdec_core.rules import RULES, Rule
from specdec_grids.generated import RandomInstances

Distance: TypeAlias = Callable[[Rule[Any], Instance], Fraction]
Holds: TypeAlias = Callable[[Rule[Any], Instance], bool]
Toy: TypeAlias = Callable[[Mapping[str, Parameter]], Instance]
BadPath: TypeAlias = tuple[DraftPath, type[Exception], str]

every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


def smallest(rule: Rule[Any]) -> dict[str, Parameter]:
    """Return the first value that the checks run each parameter at."""
    return {name: values[0] for name, values in rule.parameters.items()}


every_parameter = pytest.mark.parametrize(
    ("rule", "name"),
    [
        pytest.param(rule, name, id=f"{rule.name}-{name}")
        for rule in RULES
        for name in rule.parameters
        if name != "drafters"  # what an instance has, not what it says
    ],
)


@every_rule
@pytest.mark.parametrize("number", range(40))
def test_a_round_has_the_joint_law_that_is_claimed(
    rule: Rule[Any], number: int, claim_distance: Distance
) -> None:
    assert claim_distance(rule, RandomInstances(rule, 40)[number]) == 0


@every_rule
@pytest.mark.parametrize("number", range(9))
def test_in_floats_it_has_it_up_to_rounding(
    rule: Rule[Any], number: int, claimed_in_floats: Holds
) -> None:
    assert claimed_in_floats(rule, RandomInstances(rule, 40)[number])


@every_rule
def test_where_something_degenerates_it_has_it_too(
    rule: Rule[Any],
    edge_models: tuple[ConstantModel, ConstantModel],
    claim_distance: Distance,
) -> None:
    target, draft = edge_models
    parameters = smallest(rule)
    drafts = (draft,) * int(parameters.get("drafters", 1))
    assert claim_distance(rule, Instance(target, drafts, parameters)) == 0


@every_parameter
def test_a_negative_parameter_is_refused(rule: Rule[Any], name: str, toy_with: Toy) -> None:
    instance = toy_with({**smallest(rule), name: -1})
    with pytest.raises(InvalidParameterError, match=name):
        rule.horizon(instance)
    with pytest.raises(InvalidParameterError, match=name):
        rule.propose(instance, ReplayedDraws([]))


@every_parameter
def test_a_missing_parameter_is_refused(rule: Rule[Any], name: str, toy_with: Toy) -> None:
    parameters = smallest(rule)
    del parameters[name]
    with pytest.raises(InvalidParameterError, match=name):
        rule.horizon(toy_with(parameters))
    with pytest.raises(InvalidParameterError, match=name):
        rule.propose(toy_with(parameters), ReplayedDraws([]))


def judges_a_path(rule: Rule[Any]) -> bool:
    """Return whether a rule's proposal is a draft path and nothing else."""
    instance = RandomInstances(rule, 1)[0]
    draws = ReplayedDraws([Fraction(1, 2)] * 64)
    return isinstance(rule.propose(instance, draws), DraftPath)


@pytest.mark.parametrize(
    "rule", [rule for rule in RULES if judges_a_path(rule)], ids=lambda rule: rule.name
)
def test_a_path_that_cannot_be_judged_is_refused_before_any_draw(
    rule: Rule[Any], bad_path: BadPath
) -> None:
    """A draw would be one too many for an empty record."""
    path, error, message = bad_path
    with pytest.raises(error, match=message):
        rule.verify(path, ConstantModel(Row([0.5, 0.5])), ReplayedDraws([]))
