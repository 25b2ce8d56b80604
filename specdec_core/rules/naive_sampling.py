"""Naive sampling: draw from the target, and see whether the token was drafted.

A token is drawn from the target's row.  If it is one of the siblings it is kept, and the round
goes on below it; if not it ends the round.  What is emitted is the target's own draw, so the rule
is lossless whatever the siblings are; they only decide how far the round goes [1]_.

The token is drawn with the level's first coin.

References
----------
.. [1] Miao et al., "SpecInfer: Accelerating Large Language Model Serving with Tree-based
   Speculative Inference and Verification", ASPLOS 2024, arXiv:2305.09781.
"""

from collections.abc import Sequence

from specdec_core.distributions import Row
from specdec_core.draws import Draw, Draws
from specdec_core.rules.rule import Verification
from specdec_core.rules.sampled_tree import SampledTree
from specdec_core.rules.top_down import TopDown
from specdec_core.sampling import sample
from specdec_core.siblings import WITH_REPLACEMENT, Siblings


def naive_sampling(
    siblings: Siblings, target_probs: Row, coins: Sequence[Draw], draws: Draws
) -> Verification:
    """Emit a target token, as an accepted one if it is a sibling.

    Examples
    --------
    >>> from specdec_core.draws import ReplayedDraws
    >>> row = Row([0.5, 0.5])
    >>> [naive_sampling(Siblings((0,), (row,)), row, (u,), ReplayedDraws([])) for u in (0.0, 0.5)]
    [Verification(accepted=(0,), final=None), Verification(accepted=(), final=1)]
    """
    token = sample(target_probs, coins[0])
    if token in siblings.tokens:
        return Verification((token,), None)
    return Verification((), token)


NAIVE_SAMPLING = SampledTree(
    name="naive_sampling",
    reference="Miao et al. 2024 (SpecInfer), naive sampling",
    draw_siblings=WITH_REPLACEMENT,
    verify_tree=TopDown(naive_sampling),
)
"""Naive sampling against independent draws from the draft model."""
