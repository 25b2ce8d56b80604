from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import pytest

from specdec_core.distributions import Prob, Row
from specdec_core.draws import ReplayedDraws
from specdec_core.efficiency import (
    best_expected_accepted,
    expected_accepted,
    full_information_bound,
)
from specdec_core.instances import Instance, Parameter
from specdec_core.laws import Law
from specdec_core.rules import Rule, block_verification
from specdec_core.rules.block_verification import BlockVerification
from specdec_core.rules.rule import Verification
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_core.weighted_residuals import WeightedResidual, weighted_residual
from specdec_grids.generated import RandomInstances

Distance: TypeAlias = Callable[[Rule[Any], Instance], Fraction]
Toy: TypeAlias = Callable[[Mapping[str, Parameter]], Instance]
ToyLaw: TypeAlias = Callable[[Rule[Any], Mapping[str, Parameter]], dict[str, str]]

RULE = BlockVerification()


BlockLaw: TypeAlias = Callable[[Rule[Any], Instance], Law[Verification]]
Accepted: TypeAlias = Callable[[Rule[Any], Instance], Fraction]

TOY_LAWS: dict[int, dict[str, str]] = {
    1: {"0,0|1": "1/9", "0,1|1": "2/9", "1|0": "1/3", "1,0|1": "1/9", "1,1|1": "2/9"},
    2: {
        "0,0,0|2": "1/27", "0,0,1|2": "2/27", "0,1,0|2": "2/27", "0,1,1|2": "4/27",
        "1|0": "1/3", "1,0,0|2": "1/27", "1,0,1|2": "2/27",
        "1,1|1": "1/9", "1,1,0|2": "1/27", "1,1,1|2": "2/27",
    },
    3: {
        "0,0,0,0|3": "1/81", "0,0,0,1|3": "2/81", "0,0,1,0|3": "2/81", "0,0,1,1|3": "4/81",
        "0,1,0,0|3": "2/81", "0,1,0,1|3": "4/81", "0,1,1|2": "2/27",
        "0,1,1,0|3": "2/81", "0,1,1,1|3": "4/81",
        "1|0": "1/3", "1,0,0,0|3": "1/81", "1,0,0,1|3": "2/81", "1,0,1,0|3": "2/81",
        "1,0,1,1|3": "4/81", "1,1|1": "1/9", "1,1,0,0|3": "1/81", "1,1,0,1|3": "2/81",
        "1,1,1|2": "1/27", "1,1,1,0|3": "1/81", "1,1,1,1|3": "2/81",
    },
}  # fmt: skip


@pytest.mark.parametrize("gamma", TOY_LAWS)
def test_the_toy_models_round(gamma: int, toy_law: ToyLaw) -> None:
    """Sun et al. 2024 (arXiv:2403.10444), Section 2: p = (1/3, 2/3), q = (2/3, 1/3)."""
    assert toy_law(RULE, {"gamma": gamma}) == TOY_LAWS[gamma]


@pytest.mark.parametrize(("gamma", "kept"), [(1, "2/3"), (2, "11/9"), (3, "5/3"), (4, "166/81")])
def test_the_toy_model_accepts_as_many_as_the_paper_says(
    gamma: int, kept: str, accepted: Accepted, toy_with: Toy
) -> None:
    """Sun et al. 2024, Section 2: 11/9 at gamma 2, between 10/9 and 12/9."""
    assert accepted(RULE, toy_with({"gamma": gamma})) == Fraction(kept)


@pytest.mark.parametrize("number", range(60))
def test_it_accepts_more_than_token_rejection_and_less_than_full_information(
    number: int, block_law: BlockLaw
) -> None:
    instance = RandomInstances(RULE, 60)[number]
    gamma = instance.integer("gamma", minimum=0)
    models = instance.target, instance.draft
    by_block = expected_accepted(block_law(RULE, instance))
    by_token = expected_accepted(block_law(TokenRejectionBonus(), instance))
    assert by_token <= by_block <= full_information_bound(*models, gamma)
    assert by_block == best_expected_accepted(*models, gamma)


@pytest.mark.parametrize("number", range(0, 60, 9))
def test_a_block_of_one_token_is_token_rejection(number: int, block_law: BlockLaw) -> None:
    drawn = RandomInstances(RULE, 60)[number]
    instance = Instance(drawn.target, drawn.drafts, {"gamma": 1})
    assert block_law(RULE, instance) == block_law(TokenRejectionBonus(), instance)


def test_a_longer_prefix_can_pass_where_a_shorter_one_fails(toy_with: Toy) -> None:
    """(0, 1): p_1 = 1/2, p_2 = 1.  The first coin is never asked."""
    instance = toy_with({"gamma": 2})
    proposal = RULE.propose(instance, ReplayedDraws([0.0, 0.9]))
    draws = ReplayedDraws([0.9, 0.9, 0.5])
    assert RULE.verify(proposal, instance.target, draws) == Verification((0, 1), 1)
    draws.require_all_used()


def test_the_residual_is_weighed_by_what_was_accepted(toy_with: Toy) -> None:
    """(1, 0): p_1 = 1, p_2 = 1/2, so after (1) the residual is norm([p - q]+) = (0, 1)."""
    instance = toy_with({"gamma": 2})
    proposal = RULE.propose(instance, ReplayedDraws([0.9, 0.0]))
    draws = ReplayedDraws([0.0, 0.5, 0.0])
    assert RULE.verify(proposal, instance.target, draws) == Verification((1,), 1)


def test_without_draft_tokens_a_round_is_one_token(claim_distance: Distance, toy_with: Toy) -> None:
    instance = toy_with({"gamma": 0})
    assert RULE.horizon(instance) == 1
    assert claim_distance(RULE, instance) == 0


def with_unweighted_row(target_probs: Row, draft_probs: Row, weight: Prob) -> WeightedResidual:
    """Return the mass of the right residual, but the row of ``norm(max(p - q, 0))``."""
    mass = weighted_residual(target_probs, draft_probs, weight).mass
    return WeightedResidual(mass, weighted_residual(target_probs, draft_probs).row)


@pytest.mark.parametrize(("vocab_size", "shows"), [(2, False), (3, True)])
def test_a_residual_without_its_weight_shows_on_three_tokens_only(
    vocab_size: int, shows: bool, claim_distance: Distance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With two tokens a residual that has any mass lies on one of them, whatever the weight."""
    instances = [
        instance
        for instance in RandomInstances(RULE, 60)
        if instance.vocab_size == vocab_size and instance.parameters["gamma"] != 1
    ]
    monkeypatch.setattr(block_verification, "weighted_residual", with_unweighted_row)
    assert any(claim_distance(RULE, instance) for instance in instances) is shows
