from collections.abc import Callable, Mapping, Sequence
from dataclasses import FrozenInstanceError, dataclass

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import Draws, ReplayedDraws
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ConstantModel, ContextModel
from specdec_core.rules.rule import Verification, claimed_model, play_round
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.sampling import sample


@pytest.mark.parametrize(
    ("verification", "tokens"),
    [
        (Verification((), None), ()),
        (Verification((), 0), (0,)),
        (Verification((1, 0), None), (1, 0)),
        (Verification((1, 0), 0), (1, 0, 0)),
    ],
)
def test_what_is_emitted_is_what_was_accepted_and_then_the_final_token(
    verification: Verification, tokens: tuple[int, ...]
) -> None:
    assert verification.tokens == tokens


def test_a_verification_is_a_value() -> None:
    assert Verification((1,), 0) == Verification((1,), 0)
    assert Verification((1, 0), None) != Verification((1,), 0)
    assert hash(Verification((1,), 0)) == hash(Verification((1,), 0))
    with pytest.raises(FrozenInstanceError):
        Verification((), 0).final = 1  # type: ignore[misc]


@dataclass(frozen=True, slots=True)
class Guess:
    """An outsider's rule: one draft token, always thrown away."""

    name: str = "guess"
    lossless: bool = True
    reference: str = "nobody"

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        return {}

    def horizon(self, instance: Instance) -> int:
        return 1

    def propose(self, instance: Instance, draws: Draws) -> int:
        return sample(instance.draft(()), draws.uniform())

    def verify(self, proposal: int, target: ContextModel, draws: Draws) -> Verification:
        return Verification((proposal,), sample(target(()), draws.uniform()))


def test_a_round_proposes_from_the_draft_and_then_verifies_against_the_target() -> None:
    """The proposal's draw comes first."""
    instance = Instance(ConstantModel(Row([0.25, 0.75])), (ConstantModel(Row([0.75, 0.25])),), {})
    draws = ReplayedDraws([0.5, 0.25])
    assert play_round(Guess(), instance, draws) == Verification((0,), 1)
    draws.require_all_used()


def test_a_lossy_rule_without_a_law_of_its_own_claims_nothing(
    toy: Callable[[int], Instance],
) -> None:
    with pytest.raises(InvalidParameterError, match="is lossy, and has no `claimed` law"):
        claimed_model(TokenRejection(lossless=False), toy(1))
