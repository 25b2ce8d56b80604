"""Sequoia: draw without replacement, and go on where the draft has nothing left.

Siblings are drawn without replacement, as in `without_replacement`.  Once every token that the
draft gives any probability was tried, the next sibling is drawn uniformly from the untried tokens,
so that there are ``k`` siblings whenever there are ``k`` tokens.  `recursive_rejection` verifies
them [1]_.

References
----------
.. [1] Chen et al., "Sequoia: Scalable, Robust, and Hardware-aware Speculative Decoding", 2024,
   arXiv:2402.12374.
"""

from fractions import Fraction

from specdec_core.distributions import Row
from specdec_core.rules.recursive_rejection import recursive_rejection
from specdec_core.rules.sampled_tree import SampledTree
from specdec_core.rules.top_down import TopDown
from specdec_core.siblings import SiblingLaw, untried


def untried_or_uniform(draft_probs: Row, tokens: tuple[int, ...]) -> Row:
    """Return what is left of the draft's row, or the uniform row of the untried tokens.

    >>> untried_or_uniform(Row([0.5, 0.5, 0.0, 0.0]), (1, 0))
    Row(0.0, 0.0, 0.5, 0.5)
    """
    if not set(draft_probs.support) <= set(tokens):
        return untried(draft_probs, tokens)
    share = Fraction(1, len(draft_probs) - len(tokens))
    kind = Fraction if draft_probs.exact else float
    return Row([kind(0 if token in tokens else share) for token in range(len(draft_probs))])


def no_more_than_tokens(draft_probs: Row, k: int) -> int:
    """Return ``k``, or ``V`` if there are no more tokens."""
    return min(k, len(draft_probs))


SEQUOIA_SIBLINGS = SiblingLaw(
    "without replacement, then uniformly", untried_or_uniform, no_more_than_tokens
)
"""Draws from what is left of the draft's row, and then from what is left of the vocabulary."""

SEQUOIA = SampledTree(
    name="sequoia",
    reference="Chen et al. 2024 (Sequoia)",
    draw_siblings=SEQUOIA_SIBLINGS,
    verify_tree=TopDown(recursive_rejection),
)
"""Recursive rejection of siblings that go on past the draft's support."""
