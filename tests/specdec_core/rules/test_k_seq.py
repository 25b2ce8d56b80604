from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.errors import InvalidParameterError, ProposalMismatchError, ShapeError
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ConstantModel
from specdec_core.rules import k_seq
from specdec_core.rules.k_seq import DiscountedTree, KSeq, correction_row
from specdec_core.rules.rule import Rule
from specdec_core.sibling_trees import SiblingTree
from specdec_core.siblings import Siblings
from specdec_grids.generated import RandomInstances

RULE = KSeq()
TOY: dict[str, Parameter] = {"k": 2, "depth": 1, "rho": Fraction(3, 2)}


def test_the_toy_models_law(toy_law: Callable[..., dict[str, str]]) -> None:
    assert toy_law(RULE, TOY) == {
        "0|0": "1/81", "0,0|1": "26/243", "0,1|1": "52/243",
        "1|0": "5/27", "1,0|1": "13/81", "1,1|1": "26/81",
    }  # fmt: skip


def test_the_toy_models_acceptance(
    toy_with: Callable[..., Instance], accepted: Callable[..., Fraction]
) -> None:
    """``1 - (1 - b)^k`` with ``b = 5/9``."""
    assert accepted(RULE, toy_with(TOY)) == Fraction(65, 81)


def test_the_worked_example_of_sequoia(accepted: Callable[..., Fraction]) -> None:
    """Chen et al. 2024, Theorem F.6: at rho = 3/2 SpecTr keeps a sibling with 3/4."""
    half = Fraction(1, 2)
    target, draft = ConstantModel(Row([1, 0])), ConstantModel(Row([half, half]))
    instance = Instance(target, (draft,), TOY)
    assert accepted(RULE, instance) == Fraction(3, 4)


@pytest.mark.parametrize("number", range(12))
def test_three_siblings_are_lossless(
    number: int, lossless: Callable[..., bool], shaped: Callable[..., Rule[Any]]
) -> None:
    instances = RandomInstances(shaped(RULE, {"k": 3, "depth": 1, "rho": 3}), 12)
    assert lossless(RULE, instances[number])


def test_a_discount_that_makes_no_law_is_refused_before_any_draw(
    toy_with: Callable[..., Instance],
) -> None:
    """At rho = 1 the toy's ``b`` is 2/3, and two siblings would be kept with 8/9."""
    instance = toy_with({**TOY, "rho": 1})
    proposal = RULE.propose(instance, ReplayedDraws([0.0, 0.0]))
    with pytest.raises(InvalidParameterError, match="'rho' is 1, too small for node ''"):
        RULE.verify(proposal, instance.target, ReplayedDraws([]))


def test_the_discount_is_checked_at_every_node() -> None:
    """The root is fine; its child is not."""
    half, row = Fraction(1, 2), Row([Fraction(1, 3), Fraction(2, 3)])
    root = Siblings((0, 0), (Row([half, half]),) * 2)
    tree = SiblingTree((((), root), ((0,), Siblings((0, 1), (row, row)))))

    def target(context: tuple[int, ...]) -> Row:
        return Row([1, 0]) if context else root.draft_probs[0]

    with pytest.raises(InvalidParameterError, match="too small for node '0'"):
        RULE.verify(DiscountedTree(tree, Fraction(4, 3)), target, ReplayedDraws([]))


def test_siblings_of_another_law_are_refused_before_any_draw(
    toy_with: Callable[..., Instance],
) -> None:
    one, other = Row([0.5, 0.5]), Row([0.25, 0.75])
    tree = SiblingTree((((), Siblings((0, 1), (one, other))),))
    with pytest.raises(ProposalMismatchError, match="sibling 1 was not drawn with replacement"):
        RULE.verify(DiscountedTree(tree, Fraction(2)), ConstantModel(one), ReplayedDraws([]))


def test_a_target_over_other_tokens_is_refused_before_any_draw(
    toy_with: Callable[..., Instance],
) -> None:
    proposal = RULE.propose(toy_with(TOY), ReplayedDraws([0.0, 0.0]))
    with pytest.raises(ShapeError, match="the tree's row has 2 tokens"):
        RULE.verify(proposal, ConstantModel(Row([1])), ReplayedDraws([]))


@pytest.mark.parametrize("rho", [0, Fraction(1, 2), "much"])
def test_a_discount_is_at_least_one(rho: Parameter, toy_with: Callable[..., Instance]) -> None:
    with pytest.raises(InvalidParameterError, match="'rho'"):
        RULE.horizon(toy_with({**TOY, "rho": rho}))


def test_a_proposal_has_such_a_discount_too() -> None:
    with pytest.raises(InvalidParameterError, match="rho is 0, expected at least 1"):
        DiscountedTree(SiblingTree(()), Fraction(0))


@pytest.mark.parametrize("name", ["k", "depth"])
def test_the_tree_has_a_size(name: str, toy_with: Callable[..., Instance]) -> None:
    with pytest.raises(InvalidParameterError, match=name):
        RULE.horizon(toy_with({**TOY, name: 0}))


def test_where_no_sibling_can_be_kept_the_correction_is_the_target() -> None:
    target, draft = Row([1.0, 0.0]), Row([0.0, 1.0])
    assert correction_row(target, draft, 2, Fraction(2)) == target


def test_a_planted_fault_shows(
    lossless: Callable[..., bool],
    toy_with: Callable[..., Instance],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The correction is drawn from token rejection's residual."""
    monkeypatch.setattr(
        k_seq, "correction_row", lambda target_probs, draft_probs, k, rho: Row([0, 1])
    )
    assert not lossless(RULE, toy_with(TOY))
