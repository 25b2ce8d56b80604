from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.instances import Instance, Parameter
from specdec_core.laws import Law, complete, target_joint
from specdec_core.models import TableModel
from specdec_core.proposals import DraftPath
from specdec_core.rules import Rule
from specdec_core.rules.greedy import Greedy
from specdec_core.rules.rule import Verification
from specdec_grids.generated import RandomInstances

Distance: TypeAlias = Callable[[Rule[Any], Instance], Fraction]
Toy: TypeAlias = Callable[[Mapping[str, Parameter]], Instance]
ToyLaw: TypeAlias = Callable[[Rule[Any], Mapping[str, Parameter]], dict[str, str]]

RULE = Greedy()


BlockLaw: TypeAlias = Callable[[Rule[Any], Instance], Law[Verification]]


def test_the_toy_models_target_never_wants_what_the_draft_likes_best(toy_law: ToyLaw) -> None:
    assert toy_law(RULE, {"gamma": 2}) == {"1|0": "1"}


def test_tokens_are_kept_while_they_are_the_likeliest() -> None:
    rows = {(): Row([0.25, 0.75]), (1,): Row([0.5, 0.5]), (1, 0): Row([0.25, 0.75])}
    path = DraftPath((1, 0), (Row([0.5, 0.5]), Row([0.5, 0.5])))
    assert RULE.verify(path, TableModel(rows), ReplayedDraws([])) == Verification((1, 0), 1)
    path = DraftPath((1, 1), path.draft_probs)
    assert RULE.verify(path, TableModel(rows), ReplayedDraws([])) == Verification((1,), 0)


@pytest.mark.parametrize("number", range(20))
def test_it_is_lossless_for_a_one_hot_target(number: int, block_law: BlockLaw) -> None:
    drawn = RandomInstances(RULE, 60)[number]
    assert isinstance(drawn.target, TableModel)
    one_hot = TableModel({context: RULE.claimed(drawn)(context) for context in drawn.target.table})
    instance = Instance(one_hot, drawn.drafts, drawn.parameters)
    emitted = block_law(RULE, instance).image(lambda outcome: outcome.tokens)
    horizon = RULE.horizon(instance)
    assert complete(emitted, one_hot, horizon) == target_joint(one_hot, horizon)


def test_without_draft_tokens_a_round_is_one_token(claim_distance: Distance, toy_with: Toy) -> None:
    instance = toy_with({"gamma": 0})
    assert RULE.horizon(instance) == 1
    assert claim_distance(RULE, instance) == 0
