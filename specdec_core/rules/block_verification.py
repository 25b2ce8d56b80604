"""Block verification: judge the draft's prefixes as wholes, and keep the longest that passes.

Along the draft, ``p_0 = 1`` and ``p_i = min(p_(i-1) p(x_i) / q(x_i), 1)``: what a prefix falls
short of the target by, less what it may borrow from its own beginning.  A prefix shorter than the
draft passes with probability ``h_i = S_i / (S_i + 1 - p_i)``, where ``S_i`` is the mass of
``max(p_i p - q, 0)`` over the rows after it, and the whole draft with ``h_gamma = p_gamma``.
Each prefix has a coin of its own; the *longest* one that passes is kept, whatever became of the
shorter ones.  After the whole draft comes a bonus token, after a shorter prefix a draw from
``norm(max(p_i p - q, 0))``.  Prefixes of ``l`` tokens or more are kept with probability ``p_l``
given the draft, so the expected accepted length is ``sum_l E[p_l]``: the best of the lossless rules
that see only the rows along the drafted path [1]_.

One coin for each prefix is taken up front and one draw for the last token after them: the layout
of the draws is the same on every path.

Not here: several paths, or rows off the drafted one.

References
----------
.. [1] Sun et al., "Block Verification Accelerates Speculative Decoding", 2024, arXiv:2403.10444,
   Algorithm 2.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from specdec_core.distributions import Prob
from specdec_core.draws import Draw, Draws
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ContextModel
from specdec_core.proposals import DraftPath, draft_path, require_drafted
from specdec_core.rules.rule import Verification
from specdec_core.sampling import accepts, sample
from specdec_core.weighted_residuals import weighted_residual


@dataclass(frozen=True, slots=True)
class BlockVerification:
    """Keep the longest prefix that passes.

    Parameters of an instance: ``gamma``, at least 0.
    """

    name: str = "block_verification"
    lossless: bool = True
    reference: str = "Sun et al. 2024, Algorithm 2"

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
        """Keep the longest prefix whose coin says so, and draw the token after it."""
        require_drafted(proposal, target)
        coins = [draws.uniform() for _ in proposal.tokens]
        tokens, weights = proposal.tokens, prefix_weights(proposal, target)
        left = [
            weighted_residual(target(tokens[:i]), q, weights[i])
            for i, q in enumerate(proposal.draft_probs)
        ]
        odds = [
            Odds(after.mass, after.mass + 1 - weight)
            for after, weight in zip(left[1:], weights[1:-1], strict=True)
        ]
        kept = longest_kept([*odds, Odds(weights[-1], 1)], coins)
        after = left[kept].row if kept < len(tokens) else target(tokens)
        return Verification(tokens[:kept], sample(after, draws.uniform()))


class Odds(NamedTuple):
    """How likely a prefix is to pass: with probability ``min(1, passing / of)``."""

    passing: Prob
    of: Prob


def prefix_weights(path: DraftPath, target: ContextModel) -> list[Prob]:
    """Return ``p_0 .. p_gamma`` of a draft, each in ``[0, 1]``."""
    weights: list[Prob] = [1]
    for i, (token, q) in enumerate(zip(path.tokens, path.draft_probs, strict=True)):
        p = target(path.tokens[:i])
        weights.append(min(weights[-1] * p[token] / q[token], 1))
    return weights


def longest_kept(odds: Sequence[Odds], coins: Sequence[Draw]) -> int:
    """Return the length of the longest prefix that passes; the empty one always does.

    Parameters
    ----------
    odds : sequence of Odds
        Number ``i`` is that of the prefix of ``i + 1`` tokens.
    coins : sequence of Draw
        One for each prefix but the empty one.

    Examples
    --------
    >>> longest_kept([Odds(0.0, 1.0), Odds(0.5, 1.0), Odds(0.25, 1.0)], [0.5, 0.25, 0.5])
    2
    """
    for length in range(len(coins), 0, -1):
        if accepts(coins[length - 1], *odds[length - 1]):
            return length
    return 0
