from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.efficiency import acceptance_at
from specdec_core.errors import InvalidTokenError, ShapeError
from specdec_core.instances import Instance, Parameter
from specdec_core.laws import Law
from specdec_core.models import ConstantModel
from specdec_core.rules import Rule
from specdec_core.rules.rule import Verification
from specdec_core.rules.shared_uniform import SharedPath, SharedUniform
from specdec_grids.generated import RandomInstances

Distance: TypeAlias = Callable[[Rule[Any], Instance], Fraction]
Toy: TypeAlias = Callable[[Mapping[str, Parameter]], Instance]
ToyLaw: TypeAlias = Callable[[Rule[Any], Mapping[str, Parameter]], dict[str, str]]

RULE = SharedUniform()


BlockLaw: TypeAlias = Callable[[Rule[Any], Instance], Law[Verification]]
Accepted: TypeAlias = Callable[[Rule[Any], Instance], Fraction]


def test_the_toy_models_round(toy_law: ToyLaw) -> None:
    """Sun et al. 2024 (arXiv:2403.10444), Section 2: p = (1/3, 2/3), q = (2/3, 1/3)."""
    assert toy_law(RULE, {"gamma": 2}) == {
        "0,0,0|2": "1/27", "0,0,1|2": "2/27", "0,1|1": "1/9", "0,1,0|2": "1/27", "0,1,1|2": "2/27",
        "1|0": "1/3", "1,0,0|2": "1/27", "1,0,1|2": "2/27", "1,1|1": "1/9", "1,1,0|2": "1/27",
        "1,1,1|2": "2/27",
    }  # fmt: skip


def test_the_toy_model_accepts_10_of_9_on_average(accepted: Accepted, toy_with: Toy) -> None:
    assert accepted(RULE, toy_with({"gamma": 2})) == Fraction(10, 9)


@pytest.mark.parametrize("number", range(30))
def test_both_tokens_are_the_same_where_their_cells_overlap(
    number: int, block_law: BlockLaw
) -> None:
    """J(x) = |I_p(x) and I_q(x)|."""
    instance = RandomInstances(RULE, 60)[number]
    p, q = instance.target(()), instance.draft(())
    overlap = Fraction(0)
    for token in range(len(p)):
        low = max(Fraction(sum(row[:token])) for row in (p, q))
        high = min(Fraction(sum(row[: token + 1])) for row in (p, q))
        overlap += max(high - low, Fraction(0))
    assert acceptance_at(block_law(RULE, instance), 1) == overlap


def test_a_shift_of_all_cells_leaves_nothing_in_common(block_law: BlockLaw) -> None:
    target = Row(map(Fraction, ("1/3", "1/3", "1/3", "0")))
    draft = Row(map(Fraction, ("0", "1/3", "1/3", "1/3")))
    instance = Instance(ConstantModel(target), (ConstantModel(draft),), {"gamma": 1})
    assert acceptance_at(block_law(RULE, instance), 1) == 0


def test_verifying_takes_one_draw_and_asks_the_drafters_again(toy_with: Toy) -> None:
    path = SharedPath((0, 1), (0.25, 0.75))
    draws = ReplayedDraws([0.9])
    assert RULE.verify(path, toy_with({}).target, draws) == Verification((0, 1), 1)
    draws.require_all_used()


@pytest.mark.parametrize(
    ("path", "error"),
    [
        (SharedPath((0, 1), (0.5,)), ShapeError),
        (SharedPath((0, 2), (0.5, 0.5)), InvalidTokenError),
    ],
    ids=["uniform missing", "token"],
)
def test_a_proposal_that_cannot_be_judged_is_refused_before_any_draw(
    path: SharedPath, error: type[Exception], toy_with: Toy
) -> None:
    with pytest.raises(error):
        RULE.verify(path, toy_with({}).target, ReplayedDraws([]))


def test_without_draft_tokens_a_round_is_one_token(claim_distance: Distance, toy_with: Toy) -> None:
    instance = toy_with({"gamma": 0})
    assert RULE.horizon(instance) == 1
    assert claim_distance(RULE, instance) == 0
