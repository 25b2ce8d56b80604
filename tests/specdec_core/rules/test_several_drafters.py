"""What holds of every rule that takes one sibling from each of several drafters."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.errors import InvalidParameterError, ShapeError
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ConstantModel
from specdec_core.rules import RULES
from specdec_core.rules.rule import Rule
from specdec_core.rules.several_drafters import SeveralDrafters, one_from_each
from specdec_grids.generated import RandomInstances

DRAFTED = [rule for rule in RULES if isinstance(rule, SeveralDrafters)]

every_rule = pytest.mark.parametrize("rule", DRAFTED, ids=[rule.name for rule in DRAFTED])


def exact(*probs: str) -> Row:
    return Row(map(Fraction, probs))


def played(target: Row, *drafts: Row, **parameters: Parameter) -> Instance:
    models = tuple(map(ConstantModel, drafts))
    return Instance(ConstantModel(target), models, {"drafters": len(drafts), **parameters})


SPREAD, FIRST, LAST = exact("1/3", "1/3", "1/3"), exact("1", "0", "0"), exact("0", "0", "1")

EDGES = {
    "one token": (exact("1"), exact("1"), exact("1")),
    "equal laws": (SPREAD, SPREAD, SPREAD),
    "no drafter has the target's token": (exact("0", "1", "0"), FIRST, LAST),
    "one drafter has it": (LAST, FIRST, LAST),
    "one-hot drafters": (SPREAD, FIRST, LAST),
    "three drafters": (SPREAD, FIRST, LAST, SPREAD),
}


@every_rule
@pytest.mark.parametrize("name", EDGES)
def test_an_edge_is_lossless(
    rule: SeveralDrafters, name: str, lossless: Callable[..., bool]
) -> None:
    assert lossless(rule, played(*EDGES[name], depth=1))


@every_rule
@pytest.mark.parametrize("number", range(6))
def test_three_drafters_are_lossless(
    rule: SeveralDrafters,
    number: int,
    lossless: Callable[..., bool],
    shaped: Callable[..., Rule[Any]],
) -> None:
    instances = RandomInstances(shaped(rule, {"drafters": 3, "depth": 1}), 6)
    assert lossless(rule, instances[number])


@every_rule
@pytest.mark.parametrize("number", range(12))
def test_floating_rows_are_lossless_up_to_rounding(
    rule: SeveralDrafters, number: int, claimed_in_floats: Callable[..., bool]
) -> None:
    assert claimed_in_floats(rule, RandomInstances(rule, 12)[number])


@every_rule
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"drafters": 0, "depth": 1}, "'drafters' is 0"),
        ({"drafters": 1, "depth": 1}, "'drafters' is 1, but the instance has 2 draft models"),
        ({"drafters": 2, "depth": 0}, "'depth' is 0"),
    ],
)
def test_a_size_that_is_not_the_instances_is_refused_before_any_draw(
    rule: SeveralDrafters, parameters: dict[str, Parameter], message: str
) -> None:
    instance = played(SPREAD, FIRST, LAST, **parameters)
    with pytest.raises(InvalidParameterError, match=message):
        rule.propose(instance, ReplayedDraws([]))


@every_rule
def test_a_target_over_other_tokens_is_refused_before_any_draw(rule: SeveralDrafters) -> None:
    proposal = rule.propose(played(SPREAD, FIRST, LAST, depth=1), ReplayedDraws([0.5, 0.5]))
    with pytest.raises(ShapeError, match="the tree's row has 3 tokens"):
        rule.verify(proposal, ConstantModel(exact("1")), ReplayedDraws([]))


def test_each_sibling_has_its_own_drafters_row() -> None:
    drafts = (ConstantModel(FIRST), ConstantModel(SPREAD))
    siblings = one_from_each(drafts, (), ReplayedDraws([0.5, 0.5]))
    assert siblings.tokens == (0, 1)
    assert siblings.draft_probs == (FIRST, SPREAD)
