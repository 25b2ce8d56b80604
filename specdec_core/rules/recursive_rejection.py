"""Recursive rejection: try siblings one after another, each on what the last one left.

With ``p`` the target's row at first, a sibling ``x`` that was drawn from ``q`` is kept with
probability ``min(1, p(x) / q(x))``; if it is not, ``p`` becomes the residual ``norm(max(p - q,
0))``, and the next sibling is tried on that.  If every sibling fails, a draw from what is left
of ``p`` is emitted.  Each step is token rejection of ``p``, so each emits ``p``'s law, whatever row
the next sibling is drawn from, as long as that row is the recorded one.

Here the siblings are independent draws from the draft's row, as in SpecInfer's multi-step
verification with a single drafter [1]_.  Drawn in other ways they make `without_replacement`,
`sequoia` and `greedy_multi_draft`, which differ in nothing else.

References
----------
.. [1] Miao et al., "SpecInfer: Accelerating Large Language Model Serving with Tree-based
   Speculative Inference and Verification", ASPLOS 2024, arXiv:2305.09781, Algorithm 2.
"""

from collections.abc import Sequence

from specdec_core.distributions import Row
from specdec_core.draws import Draw, Draws
from specdec_core.rules.rule import Verification
from specdec_core.rules.sampled_tree import SampledTree
from specdec_core.rules.token_rejection import recovery_row
from specdec_core.rules.top_down import TopDown
from specdec_core.sampling import accepts, sample
from specdec_core.siblings import WITH_REPLACEMENT, Siblings


def recursive_rejection(
    siblings: Siblings, target_probs: Row, coins: Sequence[Draw], draws: Draws
) -> Verification:
    """Keep the first sibling that its coin accepts, or replace them all.

    Examples
    --------
    >>> from specdec_core.draws import ReplayedDraws
    >>> target, draft = Row([0.25, 0.5, 0.25]), Row([0.75, 0.0, 0.25])
    >>> siblings = Siblings((0, 0), (draft, draft))
    >>> recursive_rejection(siblings, target, (0.5, 0.0), ReplayedDraws([0.5]))
    Verification(accepted=(), final=1)
    """
    p = target_probs
    for coin, token, q in zip(coins, siblings.tokens, siblings.draft_probs, strict=False):
        if accepts(coin, p[token], q[token]):
            return Verification((token,), None)
        p = recovery_row(p, q)
    return Verification((), sample(p, draws.uniform()))


RECURSIVE_REJECTION = SampledTree(
    name="recursive_rejection",
    reference="Miao et al. 2024 (SpecInfer), Algorithm 2, with one drafter",
    draw_siblings=WITH_REPLACEMENT,
    verify_tree=TopDown(recursive_rejection),
)
"""SpecInfer's multi-step rule on independent draws from one draft model."""
