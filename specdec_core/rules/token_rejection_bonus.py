"""Token rejection with the bonus token: Algorithm 1 whole.

`token_rejection`, and then, if every draft token was kept, one token more from the target's next
row.  A round emits between 1 and ``gamma + 1`` tokens.

References
----------
.. [1] Leviathan, Kalman, Matias, "Fast Inference from Transformers via Speculative Decoding",
   ICML 2023, arXiv:2211.17192, Algorithm 1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from specdec_core.draws import Draws
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ContextModel
from specdec_core.proposals import DraftPath, draft_path
from specdec_core.rules.rule import Verification
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.sampling import sample


@dataclass(frozen=True, slots=True)
class TokenRejectionBonus:
    """Leviathan's Algorithm 1.

    Parameters of an instance: ``gamma``, at least 0 (then every round is one target token).
    """

    name: str = "token_rejection_bonus"
    lossless: bool = True
    reference: str = "Leviathan, Kalman, Matias 2023, Algorithm 1"

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """Draft tokens: ``gamma``."""
        return {"gamma": (1, 2, 3)}

    def horizon(self, instance: Instance) -> int:
        """Return ``gamma + 1``."""
        return instance.integer("gamma", minimum=0) + 1

    def propose(self, instance: Instance, draws: Draws) -> DraftPath:
        """Draw ``gamma`` tokens from the draft model."""
        return draft_path(instance.draft, instance.integer("gamma", minimum=0), draws)

    def verify(self, proposal: DraftPath, target: ContextModel, draws: Draws) -> Verification:
        """Verify token by token, and add a bonus token if all are kept."""
        verification = TokenRejection().verify(proposal, target, draws)
        if verification.final is not None:
            return verification
        bonus = sample(target(proposal.tokens), draws.uniform())
        return Verification(proposal.tokens, bonus)
