"""Point mass: a fixed draft, such as one looked up in the prompt.

A token ``d`` that was chosen and not drawn is a point mass, and token rejection of a point mass
keeps it with probability ``p(d)``; if it is not kept, the replacement comes from ``p`` without
``d``, brought back to unit mass.  If all are kept a bonus token follows.  The expected accepted
length is ``sum_l prod_{i <= l} p(d_i)``, and the law of a block is that of `exact_match` on the
same draft.

Here the draft is the draft model's most probable token at each position, as an n-gram table or a
prompt lookup would have it.

Not here: several candidates for one position (`deterministic_candidates`), or a chosen token that
is judged by a soft row.  That is refused: it is not lossless.

References
----------
.. [1] Leviathan, Kalman, Matias, "Fast Inference from Transformers via Speculative Decoding",
   ICML 2023, arXiv:2211.17192, Algorithm 1, for a one-hot draft.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from specdec_core.draws import Draws
from specdec_core.errors import ProposalMismatchError
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ContextModel
from specdec_core.proposals import DraftPath, likeliest_path, require_drafted
from specdec_core.rules.rule import Verification
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus


@dataclass(frozen=True, slots=True)
class PointMass:
    """Token rejection of a draft that was chosen, not drawn.

    Parameters of an instance: ``gamma``, at least 0.
    """

    name: str = "point_mass"
    lossless: bool = True
    reference: str = "Leviathan, Kalman, Matias 2023, Algorithm 1, for a one-hot draft"

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """Draft tokens: ``gamma``."""
        return {"gamma": (1, 2, 3)}

    def horizon(self, instance: Instance) -> int:
        """Return ``gamma + 1``."""
        return instance.integer("gamma", minimum=0) + 1

    def propose(self, instance: Instance, draws: Draws) -> DraftPath:
        """Choose the draft's most probable token ``gamma`` times; takes no draw."""
        return likeliest_path(instance.draft, instance.integer("gamma", minimum=0))

    def verify(self, proposal: DraftPath, target: ContextModel, draws: Draws) -> Verification:
        """Keep fixed tokens until the first rejection, each with its target probability."""
        require_drafted(proposal, target)
        for i, (token, row) in enumerate(zip(proposal.tokens, proposal.draft_probs, strict=True)):
            if row.support != (token,):
                raise ProposalMismatchError(
                    f"draft_probs[{i}] is {row}, expected all of it on draft token {token}"
                )
        return TokenRejectionBonus().verify(proposal, target, draws)
