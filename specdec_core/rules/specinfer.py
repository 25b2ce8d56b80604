"""SpecInfer's multi-step verification: several drafters, tried in an order that is drawn.

Every drafter gives the node a child.  The children are tried in a uniformly random order, each by
token rejection against its own drafter's row, on what the last refusal left of the target's row
[1]_.  The order does not look at the tokens, so whatever it is, `recursive_rejection` in that order
is lossless; drawn uniformly, it favours no drafter.

One draw more than `recursive_rejection` takes at each level that is reached: the order.

References
----------
.. [1] Miao et al., "SpecInfer: Accelerating Large Language Model Serving with Tree-based
   Speculative Inference and Verification", ASPLOS 2024, arXiv:2305.09781, Algorithm 2.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import permutations

from specdec_core.distributions import Row
from specdec_core.draws import Draw, Draws
from specdec_core.rules.recursive_rejection import recursive_rejection
from specdec_core.rules.rule import Verification
from specdec_core.rules.several_drafters import SeveralDrafters
from specdec_core.sampling import sample
from specdec_core.siblings import Siblings


def multi_step(
    siblings: Siblings, target_probs: Row, coins: Sequence[Draw], draws: Draws
) -> Verification:
    """Try the siblings in a random order."""
    shuffled = in_random_order(siblings, draws)
    return recursive_rejection(shuffled, target_probs, coins, draws)


def in_random_order(siblings: Siblings, draws: Draws) -> Siblings:
    """Return the siblings in an order that one draw chooses uniformly.

    Examples
    --------
    >>> from specdec_core.draws import ReplayedDraws
    >>> siblings = Siblings((0, 1), (Row([0.5, 0.5]), Row([0.25, 0.75])))
    >>> in_random_order(siblings, ReplayedDraws([0.5])).tokens
    (1, 0)
    """
    orders, uniform = _orders(len(siblings.tokens))
    order = orders[sample(uniform, draws.uniform())]
    return Siblings(
        tuple(siblings.tokens[i] for i in order), tuple(siblings.draft_probs[i] for i in order)
    )


@lru_cache
def _orders(size: int) -> tuple[list[tuple[int, ...]], Row]:
    """Return every order of so many siblings, and the uniform row over them."""
    orders = list(permutations(range(size)))
    return orders, Row([Fraction(1, len(orders))] * len(orders))


SPECINFER = SeveralDrafters(
    name="specinfer_multi_step",
    reference="Miao et al. 2024 (SpecInfer), Algorithm 2",
    level=multi_step,
)
"""SpecInfer's multi-step rule, a child from every drafter."""
