"""Token rejection: accept or reject the draft tokens one by one.

A draft token ``x`` is kept with probability ``min(1, p(x) / q(x))``, ``p`` the target's row and
``q`` the row it was drawn from.  The first one that is not kept is replaced by a draw from the
residual ``norm(max(p - q, 0))``, and the rest of the draft is thrown away [1]_, [2]_.  The round
ends with the accepted path or its first replacement, so it emits at most ``gamma`` tokens; the
extra token of Algorithm 1 is `token_rejection_bonus`.

One draw for each position is taken up front, reached or not, and one more for a replacement: the
layout of the draws is the same on every path, so that a lattice has one axis for each decision.

References
----------
.. [1] Leviathan, Kalman, Matias, "Fast Inference from Transformers via Speculative Decoding",
   ICML 2023, arXiv:2211.17192, Algorithm 1 and Appendix A.1.
.. [2] Chen et al., "Accelerating Large Language Model Decoding with Speculative Sampling", 2023,
   arXiv:2302.01318, Algorithm 2 and Theorem 1.  (There, p is the draft and q the target.)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from specdec_core.distributions import Row, residual
from specdec_core.draws import Draws
from specdec_core.errors import ZeroResidualError
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ContextModel
from specdec_core.proposals import DraftPath, draft_path, require_drafted
from specdec_core.rules.rule import Verification
from specdec_core.sampling import accepts, sample


@dataclass(frozen=True, slots=True)
class TokenRejection:
    """Leviathan's rule as far as the first replacement, with no bonus token.

    Parameters of an instance: ``gamma``, at least 1.
    """

    name: str = "token_rejection"
    lossless: bool = True
    reference: str = "Leviathan, Kalman, Matias 2023, Algorithm 1, without the bonus token"

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """Draft tokens: ``gamma``."""
        return {"gamma": (1, 2, 3)}

    def horizon(self, instance: Instance) -> int:
        """Return ``gamma``."""
        return instance.integer("gamma", minimum=1)

    def propose(self, instance: Instance, draws: Draws) -> DraftPath:
        """Draw ``gamma`` tokens from the draft model."""
        return draft_path(instance.draft, instance.integer("gamma", minimum=1), draws)

    def verify(self, proposal: DraftPath, target: ContextModel, draws: Draws) -> Verification:
        """Keep draft tokens until the first rejection, and replace that one."""
        require_drafted(proposal, target)
        coins = [draws.uniform() for _ in proposal.tokens]
        for i, token in enumerate(proposal.tokens):
            kept = proposal.tokens[:i]
            p, q = target(kept), proposal.draft_probs[i]
            if not accepts(coins[i], p[token], q[token]):
                return Verification(kept, sample(recovery_row(p, q), draws.uniform()))
        return Verification(proposal.tokens, None)


def recovery_row(target_probs: Row, draft_probs: Row) -> Row:
    """Return the row that replaces a rejected token: the residual, if it has any mass.

    In fractions a rejection proves that the residual has mass.  In floats the target's row can
    fall short of the draft's by rounding alone, and exceed it nowhere; the two are then equal up
    to rounding, and the target's own row takes the residual's place.
    """
    try:
        return residual(target_probs, draft_probs)
    except ZeroResidualError:
        return target_probs
