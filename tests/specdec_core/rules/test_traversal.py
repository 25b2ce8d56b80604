from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.distributions import Prob, Row
from specdec_core.draws import ReplayedDraws
from specdec_core.errors import ShapeError
from specdec_core.instances import Instance
from specdec_core.laws import Law
from specdec_core.models import ConstantModel
from specdec_core.rules import traversal
from specdec_core.rules.block_verification import BlockVerification
from specdec_core.rules.rule import Rule, Verification
from specdec_core.rules.traversal import TRAVERSAL, Standing, after_refusal, traverse, visits
from specdec_core.rules.without_replacement import WITHOUT_REPLACEMENT_REJECTION
from specdec_core.sibling_trees import SiblingTree
from specdec_core.siblings import Siblings
from specdec_grids.generated import RandomInstances

RULE = TRAVERSAL


def test_the_toy_models_law_with_one_path(toy_law: Callable[..., dict[str, str]]) -> None:
    assert toy_law(RULE, {"k": 1, "depth": 2}) == {
        "0,0,0|2": "1/27", "0,0,1|2": "2/27", "0,1,0|2": "2/27", "0,1,1|2": "4/27",
        "1|0": "1/3",
        "1,0,0|2": "1/27", "1,0,1|2": "2/27",
        "1,1|1": "1/9", "1,1,0|2": "1/27", "1,1,1|2": "2/27",
    }  # fmt: skip


@pytest.mark.parametrize(("k", "kept"), [(1, "11/9"), (2, "2")])
def test_the_toy_models_acceptance(
    k: int, kept: str, toy_with: Callable[..., Instance], accepted: Callable[..., Fraction]
) -> None:
    assert accepted(RULE, toy_with({"k": k, "depth": 2})) == Fraction(kept)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("number", range(12))
def test_with_one_child_a_node_it_is_block_verification(
    number: int,
    depth: int,
    block_law: Callable[..., Law[Verification]],
    shaped: Callable[..., Rule[Any]],
) -> None:
    one_path = shaped(RULE, {"k": 1, "depth": depth, "gamma": depth})
    instance = RandomInstances(one_path, 12)[number]
    assert block_law(RULE, instance) == block_law(BlockVerification(), instance)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("number", range(12))
def test_on_one_level_it_is_rejection_without_replacement(
    number: int,
    k: int,
    block_law: Callable[..., Law[Verification]],
    shaped: Callable[..., Rule[Any]],
) -> None:
    instance = RandomInstances(shaped(RULE, {"k": k, "depth": 1}), 12)[number]
    assert block_law(RULE, instance) == block_law(WITHOUT_REPLACEMENT_REJECTION, instance)


HALF = Row([0.5, 0.5])
TREE = SiblingTree(
    (
        ((), Siblings((0, 1), (HALF, Row([0.0, 1.0])))),
        ((0,), Siblings((1,), (HALF,))),
    )
)
TARGET = ConstantModel(Row([0.25, 0.75]))


def test_nodes_are_visited_leaves_first_and_the_root_last() -> None:
    """Node (0, 1) has reach 1/2 (3/4) / (1/2) = 3/4; its refusal leaves its parent nothing."""
    assert [(visit.path, visit.reach) for visit in visits(TREE, TARGET)] == [
        ((0, 1), 0.75),
        ((0,), 0.0),
        ((1,), 1.0),
        ((), 1.0),
    ]


@pytest.mark.parametrize(
    ("draws", "emitted"),
    [
        ([0.5, 0.0], Verification((0, 1), 0)),
        ([0.75, 0.0, 0.0, 0.25], Verification((1,), 1)),
    ],
    ids=["first leaf", "second child"],
)
def test_the_first_node_that_is_accepted_ends_the_round(
    draws: list[float], emitted: Verification
) -> None:
    source = ReplayedDraws(draws)
    assert traverse(TREE, TARGET, source) == emitted
    source.require_all_used()


def test_the_absent_tree_yields_one_token_of_the_target() -> None:
    assert traverse(SiblingTree(()), TARGET, ReplayedDraws([0.5, 0.5])) == Verification((), 1)


def test_a_refusal_by_rounding_alone_leaves_a_sure_node_as_it_was() -> None:
    short = Row([1 - 2**-31, 0.0])
    assert after_refusal(1, short, Row([1.0, 0.0])) == (1, short)


def test_a_target_over_other_tokens_is_refused_before_any_draw() -> None:
    with pytest.raises(ShapeError, match="the tree's row has 2 tokens"):
        traverse(TREE, ConstantModel(Row([1])), ReplayedDraws([]))


def forget_the_reach(reach: Prob, target_probs: Row, draft_probs: Row) -> Standing:
    return Standing(reach, after_refusal(reach, target_probs, draft_probs).target_probs)


def forget_the_row(reach: Prob, target_probs: Row, draft_probs: Row) -> Standing:
    return Standing(after_refusal(reach, target_probs, draft_probs).reach, target_probs)


@pytest.mark.parametrize("fault", [forget_the_reach, forget_the_row])
def test_a_planted_fault_shows(
    fault: Callable[[Prob, Row, Row], Standing],
    lossless: Callable[..., bool],
    toy_with: Callable[..., Instance],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A refusal changes both the node's reach and what is left of the target's row."""
    monkeypatch.setattr(traversal, "after_refusal", fault)
    assert not lossless(RULE, toy_with({"k": 1, "depth": 2}))
