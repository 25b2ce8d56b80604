"""Non-iterative rejection: plain rejection sampling, with the target itself to fall back on.

With ``M = max(p / q)``, the largest over the tokens of the target's support, a draft token ``x``
is kept with probability ``p(x) / (M q(x))``.  A kept token therefore follows ``p`` whatever the
others do, and the first one that is not kept is replaced from ``p`` itself: no residual is needed.
If all are kept, a bonus token follows.  A token is kept with probability ``1 / M``, which is never
more than token rejection's ``sum(min(p, q))``, and zero where the draft misses a token that the
target has [1]_.

One draw for each position is taken up front, reached or not, and one more for the last token.

References
----------
.. [1] Leviathan, Kalman, Matias, "Fast Inference from Transformers via Speculative Decoding",
   ICML 2023, arXiv:2211.17192, Appendix A.2.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from specdec_core.distributions import Prob, Row
from specdec_core.draws import Draws
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ContextModel
from specdec_core.proposals import DraftPath, draft_path, require_drafted
from specdec_core.rules.rule import Verification
from specdec_core.sampling import accepts, sample


@dataclass(frozen=True, slots=True)
class NoniterativeRejection:
    """Rejection sampling in one try a token.

    Parameters of an instance: ``gamma``, at least 0.
    """

    name: str = "noniterative_rejection"
    lossless: bool = True
    reference: str = "Leviathan, Kalman, Matias 2023, Appendix A.2"

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
        """Keep draft tokens until the first rejection, then draw from the target."""
        require_drafted(proposal, target)
        coins = [draws.uniform() for _ in proposal.tokens]
        kept = proposal.tokens
        for i, token in enumerate(proposal.tokens):
            p, q = target(proposal.tokens[:i]), proposal.draft_probs[i]
            if not accepts(coins[i], least_ratio(p, q) * p[token], q[token]):
                kept = proposal.tokens[:i]
                break
        return Verification(kept, sample(target(kept), draws.uniform()))


def least_ratio(target_probs: Row, draft_probs: Row) -> Prob:
    """Return ``1 / M``: the least of ``q / p`` over the target's support, in ``[0, 1]``.

    >>> least_ratio(Row([0.5, 0.5, 0.0]), Row([0.5, 0.25, 0.25]))
    0.5
    """
    return min(draft_probs[token] / target_probs[token] for token in target_probs.support)
