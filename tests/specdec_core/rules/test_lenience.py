from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import pytest

from specdec_core.distributions import Prob, Row
from specdec_core.draws import ReplayedDraws
from specdec_core.efficiency import acceptance_at
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance, Parameter
from specdec_core.laws import Law
from specdec_core.models import ConstantModel
from specdec_core.proposals import DraftPath
from specdec_core.rules import Rule
from specdec_core.rules.lenience import Lenience, LenientPath, lenient_row
from specdec_core.rules.rule import Verification
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_grids.generated import RandomInstances

Distance: TypeAlias = Callable[[Rule[Any], Instance], Fraction]
Toy: TypeAlias = Callable[[Mapping[str, Parameter]], Instance]
BadPath: TypeAlias = tuple[DraftPath, type[Exception], str]

RULE = Lenience()


BlockLaw: TypeAlias = Callable[[Rule[Any], Instance], Law[Verification]]
Accepted: TypeAlias = Callable[[Rule[Any], Instance], Fraction]


def closed_form(p: Row, q: Row, lenience: Fraction) -> list[Prob]:
    """Leviathan et al. 2023, Appendix A.5: min(q, p/l) + R [p - l q]+ / (1 - l + l R)."""
    kept = [min(b, a / lenience) for a, b in zip(p, q, strict=True)]
    refused = 1 - sum(kept)
    excess = [max(a - lenience * b, Fraction(0)) for a, b in zip(p, q, strict=True)]
    if not refused:
        return kept
    mass = 1 - lenience + lenience * refused
    return [low + refused * part / mass for low, part in zip(kept, excess, strict=True)]


@pytest.mark.parametrize("number", range(60))
def test_its_own_law_is_the_closed_form_and_never_above_p_over_l(number: int) -> None:
    instance = RandomInstances(RULE, 60)[number]
    lenience = instance.fraction("lenience", minimum=0)
    p, q = instance.target(()), instance.draft(())
    own = lenient_row(p, q, lenience)
    assert list(own) == closed_form(p, q, lenience)
    assert RULE.claimed(instance)(()) == own
    assert all(prob <= most / lenience for prob, most in zip(own, p, strict=True))


def test_the_toy_model_is_accepted_whole_at_one_half(accepted: Accepted, toy_with: Toy) -> None:
    """P / (l q) is 1 for token 0, and 4 for token 1."""
    assert accepted(RULE, toy_with({"gamma": 2, "lenience": Fraction(1, 2)})) == 2


def test_the_toy_model_at_three_quarters(block_law: BlockLaw, toy_with: Toy) -> None:
    """Token 0 is kept with (1/3) / (3/4 * 2/3) = 2/3, token 1 always: 2/3 * 2/3 + 1/3."""
    law = block_law(RULE, toy_with({"gamma": 1, "lenience": Fraction(3, 4)}))
    assert acceptance_at(law, 1) == Fraction(7, 9)


@pytest.mark.parametrize("number", range(12))
def test_a_lenience_of_one_is_token_rejection(number: int, block_law: BlockLaw) -> None:
    drawn = RandomInstances(RULE, 60)[number]
    strict = Instance(drawn.target, drawn.drafts, {**drawn.parameters, "lenience": 1})
    assert block_law(RULE, strict) == block_law(TokenRejectionBonus(), strict)


def test_a_path_cannot_carry_a_lenience_of_zero(toy_with: Toy) -> None:
    path = RULE.propose(toy_with({"gamma": 0, "lenience": 1}), ReplayedDraws([])).path
    with pytest.raises(InvalidParameterError, match="lenience is 0, expected more than 0"):
        LenientPath(path, Fraction(0))


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
        {"gamma": 1, "lenience": "1/2"},
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
