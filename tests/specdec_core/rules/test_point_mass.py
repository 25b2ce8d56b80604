from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import Draws, ReplayedDraws
from specdec_core.errors import ProposalMismatchError
from specdec_core.instances import Instance, Parameter
from specdec_core.laws import Law
from specdec_core.models import ConstantModel, TableModel
from specdec_core.proposals import DraftPath, likeliest_path
from specdec_core.rules import Rule
from specdec_core.rules.exact_match import ExactMatch
from specdec_core.rules.point_mass import PointMass
from specdec_core.rules.rule import Verification
from specdec_grids.generated import RandomInstances
from specdec_grids.paths import exact_law

Distance: TypeAlias = Callable[[Rule[Any], Instance], Fraction]
Toy: TypeAlias = Callable[[Mapping[str, Parameter]], Instance]
ToyLaw: TypeAlias = Callable[[Rule[Any], Mapping[str, Parameter]], dict[str, str]]

RULE = PointMass()


Accepted: TypeAlias = Callable[[Rule[Any], Instance], Fraction]


def test_the_toy_model_keeps_its_likeliest_token_with_the_targets_probability(
    accepted: Accepted, toy_law: ToyLaw, toy_with: Toy
) -> None:
    """E[tau] = p(d_1) + p(d_1) p(d_2), and d = (0, 0)."""
    assert accepted(RULE, toy_with({"gamma": 2})) == Fraction(1, 3) + Fraction(1, 9)
    assert toy_law(RULE, {"gamma": 1}) == {"1|0": "2/3", "0,0|1": "1/9", "0,1|1": "2/9"}


@pytest.mark.parametrize("number", range(60))
def test_a_block_has_the_law_of_exact_match_on_the_same_draft(number: int) -> None:
    instance = RandomInstances(RULE, 60)[number]
    path = likeliest_path(instance.draft, instance.integer("gamma", minimum=0))

    def verified(rule: Rule[Any]) -> Law[Verification]:
        def program(draws: Draws) -> Verification:
            return rule.verify(path, instance.target, draws)

        return exact_law(program).law

    assert verified(RULE) == verified(ExactMatch())


def test_a_chosen_token_with_a_soft_row_is_refused(toy_with: Toy) -> None:
    """Judged by its soft row it would not be lossless."""
    path = DraftPath((0,), (Row([0.75, 0.25]),))
    with pytest.raises(ProposalMismatchError, match=r"expected all of it on draft token 0"):
        RULE.verify(path, toy_with({}).target, ReplayedDraws([]))


def test_the_draft_is_the_likeliest_continuation_of_itself() -> None:
    target = ConstantModel(Row([1, 0]))
    rows = {(): Row([0.5, 0.5]), (0,): Row([0.25, 0.75])}
    instance = Instance(target, (TableModel(rows),), {"gamma": 2})
    assert RULE.propose(instance, ReplayedDraws([])).tokens == (0, 1)


def test_without_draft_tokens_a_round_is_one_token(claim_distance: Distance, toy_with: Toy) -> None:
    instance = toy_with({"gamma": 0})
    assert RULE.horizon(instance) == 1
    assert claim_distance(RULE, instance) == 0
