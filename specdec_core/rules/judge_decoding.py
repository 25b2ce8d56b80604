"""Judge decoding: a learned judge admits draft tokens, likely or not.

After each context the judge admits a set ``A`` of tokens; a draft token in it is kept for certain,
and the first one outside is replaced by a token of the target, as is the end of a draft that is
kept whole.  The law is ``q on A + (1 - q(A)) p``; nothing ties it to the target but the judge [1]_.

The judge is a field of the rule.  A real one reads the target's hidden state at the token; that
state is a function of the context and the token, and so is the judge here.  The one that comes with
the rule has learned nothing: it stands for any set that depends on both.

Verifying takes one draw, for the last token.

References
----------
.. [1] Bachmann et al., "Judge Decoding: Faster Speculative Sampling Requires Going Beyond Model
   Alignment", 2025, arXiv:2501.19309.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from specdec_core.distributions import Row
from specdec_core.draws import Draws
from specdec_core.instances import Instance, Parameter
from specdec_core.models import Context, ContextModel
from specdec_core.proposals import DraftPath, draft_path, require_drafted
from specdec_core.rules.own_laws import kept_within, leading, rational
from specdec_core.rules.rule import Verification
from specdec_core.sampling import sample

Judge: TypeAlias = Callable[[Context, int], bool]
"""From a context and a token after it to whether the token is admitted; a pure function."""


def even_sum(context: Context, token: int) -> bool:
    """Admit the tokens that make the sum of all token ids even."""
    return (sum(context) + token) % 2 == 0


@dataclass(frozen=True, slots=True)
class JudgeDecoding:
    """Keep what the judge admits.

    Parameters of an instance: ``gamma``, at least 0.
    """

    name: str = "judge_decoding"
    lossless: bool = False
    reference: str = "Bachmann et al. 2025, judge decoding"
    judge: Judge = even_sum

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
        """Keep draft tokens while they are admitted, and add a token of the target."""
        require_drafted(proposal, target)
        kept = leading(proposal.tokens, self.judge)
        return Verification(kept, sample(target(kept), draws.uniform()))

    def claimed(self, instance: Instance) -> ContextModel:
        """Return the draft where it is admitted, and the target for the rest."""
        gamma = instance.integer("gamma", minimum=0)
        target, draft = rational(instance.target), rational(instance.draft)

        def own(context: Context) -> Row:
            target_probs = target(context)
            if len(context) >= gamma:
                return target_probs
            tokens = range(len(target_probs))
            admitted = {token for token in tokens if self.judge(context, token)}
            return kept_within(draft(context), admitted, target_probs)

        return own
