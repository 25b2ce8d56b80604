"""What holds of every rule whose trees are drawn from one draft model."""

import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.errors import InvalidInstanceError, InvalidParameterError, ShapeError
from specdec_core.instances import Instance
from specdec_core.models import ConstantModel
from specdec_core.rules import RULES
from specdec_core.rules.sampled_tree import SampledTree
from specdec_grids.generated import RandomInstances

TREES = [rule for rule in RULES if isinstance(rule, SampledTree)]

every_tree = pytest.mark.parametrize("rule", TREES, ids=[rule.name for rule in TREES])


def exact(*probs: str) -> Row:
    return Row(map(Fraction, probs))


EDGES = {
    "one token": (exact("1"), exact("1")),
    "equal laws": (exact("1/4", "3/4"), exact("1/4", "3/4")),
    "disjoint supports": (exact("1/2", "1/2", "0", "0"), exact("0", "0", "1/2", "1/2")),
    "zeros in the target": (exact("0", "1/2", "1/2"), exact("1/2", "0", "1/2")),
    "one-hot target": (exact("0", "1", "0"), exact("1/3", "1/3", "1/3")),
    "one-hot draft": (exact("1/3", "1/3", "1/3"), exact("0", "1", "0")),
    "ties": (exact("1/4", "1/4", "1/2"), exact("1/3", "1/3", "1/3")),
}


def edge(name: str, k: int, depth: int) -> Instance:
    target, draft = EDGES[name]
    return Instance(ConstantModel(target), (ConstantModel(draft),), {"k": k, "depth": depth})


@every_tree
@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize(("k", "depth"), [(1, 3), (2, 2), (4, 1)])
def test_an_edge_is_lossless(
    rule: SampledTree, name: str, k: int, depth: int, lossless: Callable[..., bool]
) -> None:
    """Four siblings are more than the vocabulary has tokens, in all but one."""
    assert lossless(rule, edge(name, k, depth))


@every_tree
@pytest.mark.parametrize("number", range(12))
def test_floating_rows_are_lossless_up_to_rounding(
    rule: SampledTree, number: int, claimed_in_floats: Callable[..., bool]
) -> None:
    assert claimed_in_floats(rule, RandomInstances(rule, 12)[number])


@pytest.mark.parametrize("rule", [rule for rule in TREES if rule.name != "naive_sampling"])
def test_equal_laws_keep_everything(rule: SampledTree, accepted: Callable[..., Fraction]) -> None:
    """All but naive sampling, whose token is drawn without regard to the draft's."""
    assert accepted(rule, edge("equal laws", 1, 2)) == 2


@every_tree
def test_a_round_emits_one_token_more_than_the_tree_is_high(rule: SampledTree) -> None:
    assert rule.horizon(edge("one token", 2, 3)) == 4


@every_tree
@pytest.mark.parametrize(
    ("k", "depth", "name"), [(0, 1, "'k'"), (1, 0, "'depth'"), (True, 1, "'k'")]
)
def test_a_size_out_of_range_is_refused_before_any_draw(
    rule: SampledTree, k: int, depth: int, name: str
) -> None:
    for refuse in (rule.horizon, lambda played: rule.propose(played, ReplayedDraws([]))):
        with pytest.raises(InvalidParameterError, match=name):
            refuse(edge("ties", k, depth))


@every_tree
def test_several_drafters_are_refused(rule: SampledTree) -> None:
    model = ConstantModel(exact("1"))
    with pytest.raises(InvalidInstanceError, match="2 draft models, expected exactly one"):
        rule.propose(Instance(model, (model, model), {"k": 1, "depth": 1}), ReplayedDraws([]))


@every_tree
def test_a_target_over_other_tokens_is_refused_before_any_draw(rule: SampledTree) -> None:
    proposal = rule.propose(edge("equal laws", 1, 1), ReplayedDraws([0.5]))
    with pytest.raises(ShapeError, match="the tree's row has 2 tokens"):
        rule.verify(proposal, ConstantModel(exact("1")), ReplayedDraws([]))


@every_tree
def test_a_rule_and_a_proposal_can_be_sent_to_another_process(rule: SampledTree) -> None:
    proposal: Any = rule.propose(edge("equal laws", 1, 1), ReplayedDraws([0.5]))
    assert pickle.loads(pickle.dumps((rule, proposal))) == (rule, proposal)
    assert hash(proposal) == hash(pickle.loads(pickle.dumps(proposal)))
