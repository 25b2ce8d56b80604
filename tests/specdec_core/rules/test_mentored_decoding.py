from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import pytest

from specdec_core.distributions import Row, total_variation
from specdec_core.draws import ReplayedDraws
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance, Parameter
from specdec_core.laws import Law
from specdec_core.models import ConstantModel
from specdec_core.proposals import DraftPath
from specdec_core.rules import Rule
from specdec_core.rules.lenience import Lenience, LenientPath, lenient_row
from specdec_core.rules.mentored_decoding import MentoredDecoding, clipped_row, least_share
from specdec_core.rules.rule import Verification
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_grids.generated import RandomInstances

Distance: TypeAlias = Callable[[Rule[Any], Instance], Fraction]
Toy: TypeAlias = Callable[[Mapping[str, Parameter]], Instance]
BadPath: TypeAlias = tuple[DraftPath, type[Exception], str]

RULE = MentoredDecoding()


BlockLaw: TypeAlias = Callable[[Rule[Any], Instance], Law[Verification]]
Accepted: TypeAlias = Callable[[Rule[Any], Instance], Fraction]


@pytest.mark.parametrize("number", range(60))
def test_its_own_law_is_the_draft_clipped_by_the_target(number: int) -> None:
    """clip(q, c p, p / l), with c fixed by the sum."""
    instance = RandomInstances(RULE, 60)[number]
    lenience = instance.fraction("lenience", minimum=0)
    p, q = instance.target(()), instance.draft(())
    share, own = least_share(p, q, lenience), clipped_row(p, q, lenience)
    assert sum(own) == 1
    assert 0 <= share <= 1
    assert RULE.claimed(instance)(()) == own
    for prob, a, b in zip(own, p, q, strict=True):
        assert prob == sorted((b, share * a, a / lenience))[1]


@pytest.mark.parametrize("number", range(60))
def test_it_stays_nearer_to_the_draft_than_any_other_correction(number: int) -> None:
    """All that is emitted above the draft is what was refused of it."""
    instance = RandomInstances(RULE, 60)[number]
    lenience = instance.fraction("lenience", minimum=0)
    p, q = instance.target(()), instance.draft(())
    own, lenient = clipped_row(p, q, lenience), lenient_row(p, q, lenience)
    assert total_variation(own, q) <= total_variation(lenient, q)


def test_the_toy_model_at_three_quarters(accepted: Accepted, toy_with: Toy) -> None:
    """It accepts as lenience does: 7/9 a token."""
    for rule in (RULE, Lenience()):
        instance = toy_with({"gamma": 2, "lenience": Fraction(3, 4)})
        assert accepted(rule, instance) == Fraction(7, 9) + Fraction(49, 81)


@pytest.mark.parametrize("number", range(12))
def test_a_lenience_of_one_is_token_rejection(number: int, block_law: BlockLaw) -> None:
    drawn = RandomInstances(RULE, 60)[number]
    strict = Instance(drawn.target, drawn.drafts, {**drawn.parameters, "lenience": 1})
    assert block_law(RULE, strict) == block_law(TokenRejectionBonus(), strict)


def test_without_draft_tokens_a_round_is_one_token(claim_distance: Distance, toy_with: Toy) -> None:
    instance = toy_with({"gamma": 0, "lenience": Fraction(1, 2)})
    assert RULE.horizon(instance) == 1
    assert claim_distance(RULE, instance) == 0


def test_a_proposal_that_cannot_be_judged_is_refused_before_any_draw(bad_path: BadPath) -> None:
    """A draw would be one too many for an empty record."""
    target = ConstantModel(Row([0.5, 0.5]))
    path, error, message = bad_path
    proposal = LenientPath(path, Fraction(1, 2))
    with pytest.raises(error, match=message):
        RULE.verify(proposal, target, ReplayedDraws([]))


@pytest.mark.parametrize(
    "parameters",
    [
        {"gamma": 1},
        {"gamma": 1, "lenience": 0},
        {"gamma": 1, "lenience": Fraction(3, 2)},
        {"gamma": -1, "lenience": 1},
    ],
    ids=str,
)
def test_parameters_out_of_range_are_refused(
    parameters: Mapping[str, Parameter], toy_with: Toy
) -> None:
    with pytest.raises(InvalidParameterError):
        RULE.horizon(toy_with(parameters))
    with pytest.raises(InvalidParameterError):
        RULE.propose(toy_with(parameters), ReplayedDraws([]))
