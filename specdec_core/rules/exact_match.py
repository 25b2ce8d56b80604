"""Exact match: sample from the target as if there were no draft, and keep what happens to agree.

The target's own token ``y`` is drawn at each position, independently of the draft token ``x``.
While they agree the draft token is kept; the first ``y`` that differs is emitted and ends the
round, and if all agree one more is the bonus.  This is what llama.cpp and mlx-lm do.  Every
emitted token is the target's own, so it is lossless wherever the draft comes from.  A draft token
is kept with probability ``sum(p q)``, which is never more than token rejection's
``sum(min(p, q))``.

One draw for each position and one for the bonus token are taken up front, reached or not.

Not here: draws that the drafter shares (`shared_uniform`, `gumbel_coupling`, `minhash_coupling`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from specdec_core.distributions import Row
from specdec_core.draws import Draws
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ContextModel
from specdec_core.proposals import DraftPath, draft_path
from specdec_core.rules.couplings import keep_coupled
from specdec_core.rules.rule import Verification


@dataclass(frozen=True, slots=True)
class ExactMatch:
    """Sample from the target, and compare.

    Parameters of an instance: ``gamma``, at least 0.
    """

    name: str = "exact_match"
    lossless: bool = True
    reference: str = "sample and compare, as in llama.cpp and mlx-lm"

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
        """Keep draft tokens while the target's own, drawn apart, equal them."""
        return keep_coupled(proposal, target, independent, draws)


def independent(target_probs: Row, draft_probs: Row, token: int) -> Row:
    """Return the law of the target's token, whatever the draft's token is: the target's row."""
    return target_probs
