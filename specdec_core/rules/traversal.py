"""Traversal verification: from the leaves up, so that a whole path is judged before its parts.

The nodes are visited in post-order, the first sibling's subtree first, and the first node that its
coin accepts ends the round: the path to it is kept, and one more token is drawn from the target's
row there.  A node is accepted with its reach, ``1`` at the root and ``min(r p(x) / q(x), 1)`` at a
child ``x`` of a node of reach ``r``, with ``p`` the target's row there and ``q`` the row that the
child was drawn from.  When a child is refused it is deleted, and what it leaves its parent is, with
``S`` the mass of ``max(r p - q, 0)``,

    ``p <- max(r p - q, 0) / S``,   ``r <- S / (S + 1 - r)``,

and ``q`` becomes the row that the next sibling was drawn from.  The root is accepted at last [1]_.
With one child a node it is block verification; with one level, `without_replacement`.

Every visit finds that all nodes before it were refused, so how a node stands at its visit does not
depend on the draws: `visits` lists the nodes as they stand.  Each takes its coin when it is
visited, so a coin belongs to one node on every path.

Here siblings are drawn without replacement; `traversal_with_replacement` draws them independently.

References
----------
.. [1] Weng et al., "Traversal Verification for Speculative Tree Decoding", 2025, arXiv:2505.12398,
   Algorithm 3.
"""

from collections.abc import Iterator
from typing import NamedTuple

from specdec_core.distributions import Prob, Row
from specdec_core.draws import Draws
from specdec_core.models import Context, ContextModel
from specdec_core.rules.rule import Verification
from specdec_core.rules.sampled_tree import SampledTree
from specdec_core.sampling import accepts, sample
from specdec_core.sibling_trees import SiblingTree, require_target_vocabulary
from specdec_core.siblings import WITHOUT_REPLACEMENT
from specdec_core.weighted_residuals import weighted_residual


class Visit(NamedTuple):
    """A node as it stands when it is visited.

    Attributes
    ----------
    path : tuple of int
        Of the node.
    reach : Fraction or float
        The probability that it is accepted, in ``[0, 1]``.
    target_probs : (V,) Row
        What the refusals of its children left of the target's row.
    """

    path: Context
    reach: Prob
    target_probs: Row


def traverse(tree: SiblingTree, target: ContextModel, draws: Draws) -> Verification:
    """Keep the path to the first node in post-order that its coin accepts.

    Raises
    ------
    ShapeError
        If the target's rows are not over the tree's vocabulary; no draw is taken then.
    """
    require_target_vocabulary(tree, target)
    kept = next(visit for visit in visits(tree, target) if accepts(draws.uniform(), visit.reach, 1))
    return Verification(kept.path, sample(kept.target_probs, draws.uniform()))


def visits(
    tree: SiblingTree, target: ContextModel, path: Context = (), reach: Prob = 1
) -> Iterator[Visit]:
    """Yield the nodes below a path in post-order, and it last, each after refusals alone."""
    p, siblings = target(path), tree.children(path)
    for token, q in zip(siblings.tokens, siblings.draft_probs, strict=True):
        below = min(reach * p[token] / q[token], 1)
        yield from visits(tree, target, (*path, token), below)
        reach, p = after_refusal(reach, p, q)
    yield Visit(path, reach, p)


class Standing(NamedTuple):
    """The reach of a node, and what is left of the target's row there."""

    reach: Prob
    target_probs: Row


def after_refusal(reach: Prob, target_probs: Row, draft_probs: Row) -> Standing:
    """Return how a node stands after a child drawn from ``draft_probs`` was refused.

    At a reach of one a refusal proves that the excess has mass, but for rounding; what was left
    of the target's row then stays, as in `token_rejection`.

    Examples
    --------
    >>> after_refusal(1, Row([0.25, 0.75]), Row([0.75, 0.25]))
    Standing(reach=1.0, target_probs=Row(0.0, 1.0))
    >>> after_refusal(0.75, Row([0.5, 0.5]), Row([1.0, 0.0]))
    Standing(reach=0.6, target_probs=Row(0.0, 1.0))
    """
    excess = weighted_residual(target_probs, draft_probs, target_weight=reach)
    total = excess.mass + (1 - reach)
    return Standing(excess.mass / total if total else reach, excess.row)


TRAVERSAL = SampledTree(
    name="traversal",
    reference="Weng et al. 2025, Algorithm 3, drawn without replacement",
    draw_siblings=WITHOUT_REPLACEMENT,
    verify_tree=traverse,
)
"""Traversal verification of siblings drawn without replacement."""
