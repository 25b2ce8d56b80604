"""Greedy multi-draft: the likeliest tokens, and one draw from the rest.

The ``k - 1`` most probable tokens of the draft's row are siblings without a draw; one more is drawn
from the row without them, brought back to unit mass.  The drawn one is tried first, by token
rejection; then the chosen ones, which are point masses and so kept with whatever probability is
left of them.  No rule keeps more for siblings drawn in this way: everything that the target has on
the chosen tokens, and ``sum(min(p, q))`` over the rest, ``q`` the row that the last was drawn
from [1]_.

Where the draft's row has no other tokens, the chosen ones are all.

References
----------
.. [1] Hu et al., "Towards Optimal Multi-draft Speculative Decoding", ICLR 2025, arXiv:2502.18779.
"""

from specdec_core.distributions import Row, point_mass
from specdec_core.draws import Draws
from specdec_core.rules.recursive_rejection import recursive_rejection
from specdec_core.rules.sampled_tree import SampledTree
from specdec_core.rules.top_down import TopDown
from specdec_core.sampling import sample
from specdec_core.siblings import Siblings, untried
from specdec_core.tree_builders import top_k


def top_and_one_drawn(draft_probs: Row, k: int, draws: Draws) -> Siblings:
    """Draw one sibling from all but the ``k - 1`` likeliest tokens, and add these.

    Takes one draw, or none if nothing is left to draw from.

    Examples
    --------
    >>> from specdec_core.draws import ReplayedDraws
    >>> top_and_one_drawn(Row([0.25, 0.5, 0.25]), 2, ReplayedDraws([0.75])).tokens
    (2, 1)
    """
    chosen = top_k(draft_probs, k - 1) if k > 1 else ()
    certain = tuple(point_mass(token, len(draft_probs)) for token in chosen)
    if set(draft_probs.support) <= set(chosen):
        return Siblings(chosen, certain)
    rest = untried(draft_probs, chosen)
    return Siblings((sample(rest, draws.uniform()), *chosen), (rest, *certain))


GREEDY_MULTI_DRAFT = SampledTree(
    name="greedy_multi_draft",
    reference="Hu et al. 2025, greedy draft sampling",
    draw_siblings=top_and_one_drawn,
    verify_tree=TopDown(recursive_rejection),
)
"""Recursive rejection of one drawn sibling, and then of the chosen ones."""
