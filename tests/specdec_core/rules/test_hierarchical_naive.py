from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.efficiency import expected_accepted, full_information_bound
from specdec_core.instances import Instance, Parameter
from specdec_core.laws import Law
from specdec_core.models import ConstantModel
from specdec_core.proposals import DraftPath
from specdec_core.rules import Rule
from specdec_core.rules.hierarchical_naive import BlockRedrawn, HierarchicalNaive, ModelledPath
from specdec_core.rules.rule import Verification
from specdec_grids.generated import RandomInstances

Distance: TypeAlias = Callable[[Rule[Any], Instance], Fraction]
Toy: TypeAlias = Callable[[Mapping[str, Parameter]], Instance]
ToyLaw: TypeAlias = Callable[[Rule[Any], Mapping[str, Parameter]], dict[str, str]]
BadPath: TypeAlias = tuple[DraftPath, type[Exception], str]

RULE = HierarchicalNaive()


BlockLaw: TypeAlias = Callable[[Rule[Any], Instance], Law[Verification]]
Accepted: TypeAlias = Callable[[Rule[Any], Instance], Fraction]


def test_the_toy_models_round(toy_law: ToyLaw) -> None:
    """On p = (1/3, 2/3), q = (2/3, 1/3); no token is accepted in (1, 1) one time in three."""
    assert toy_law(RULE, {"gamma": 2}) == {
        "0,0,0|2": "1/27", "0,0,1|2": "2/27", "0,1,0|2": "2/27", "0,1,1|2": "4/27",
        "1,0,0|2": "2/27", "1,0,1|2": "4/27", "1,1|0": "1/3", "1,1,0|2": "1/27", "1,1,1|2": "2/27",
    }  # fmt: skip


def test_the_toy_model_accepts_4_of_3_on_average(accepted: Accepted, toy_with: Toy) -> None:
    assert accepted(RULE, toy_with({"gamma": 2})) == Fraction(4, 3)


@pytest.mark.parametrize("number", range(60))
def test_it_accepts_what_full_information_allows(number: int, block_law: BlockLaw) -> None:
    instance = RandomInstances(RULE, 60)[number]
    bound = full_information_bound(
        instance.target, instance.draft, instance.integer("gamma", minimum=0)
    )
    assert expected_accepted(block_law(RULE, instance)) == bound


def test_what_is_redrawn_is_neither_accepted_nor_final() -> None:
    assert BlockRedrawn((0,), 2, (1, 1)).tokens == (0, 1, 1, 2)
    assert BlockRedrawn((), 2).tokens == (2,)


def test_the_draws_are_laid_out_alike_on_every_path(toy_with: Toy) -> None:
    """Two coins, and one draw for each token after; the last one is the bonus token's."""
    instance = toy_with({"gamma": 2})
    proposal = RULE.propose(instance, ReplayedDraws([0.0, 0.0]))
    for coins, outcome in (
        ([0.0, 0.0], Verification((0, 0), 1)),
        ([0.9, 0.9], BlockRedrawn((), 1, (1,))),
    ):
        draws = ReplayedDraws([*coins, 0.0, 0.0, 0.5])
        assert RULE.verify(proposal, instance.target, draws) == outcome
        draws.require_all_used()


def test_without_draft_tokens_a_round_is_one_token(claim_distance: Distance, toy_with: Toy) -> None:
    instance = toy_with({"gamma": 0})
    assert RULE.horizon(instance) == 1
    assert claim_distance(RULE, instance) == 0


def test_a_proposal_that_cannot_be_judged_is_refused_before_any_draw(bad_path: BadPath) -> None:
    """A draw would be one too many for an empty record."""
    target = ConstantModel(Row([0.5, 0.5]))
    path, error, message = bad_path
    proposal = ModelledPath(path, target)
    with pytest.raises(error, match=message):
        RULE.verify(proposal, target, ReplayedDraws([]))
