"""Deterministic candidates: try the children of a node one after another, take what is left.

A candidate that was chosen and not drawn is a point mass at its token ``x``.  With ``r`` the
target's row at first, ``x`` is kept with probability ``r(x)``; if it is not, ``x`` is removed from
``r``, the rest is brought back to unit mass, and the next sibling is tried.  If every sibling
fails, a draw from what is left of ``r`` is emitted and ends the round.  If one is kept, the round
goes on below it, and nowhere else; at a leaf it ends, with no token more.  An absent tree yields
one token from the target's row.

Why it is lossless: the first candidate is emitted with probability ``r(x)``, and any other token
``y`` with ``(1 - r(x)) r(y) / (1 - r(x)) = r(y)``, whatever ``x`` was.  Repeat over siblings and
down the accepted path.

One draw for each draft token is taken up front, in node order, reached or not, and one more for
the fallback: the layout of the draws is the same on every path, so that a lattice has one axis for
each decision.

Not here: candidates drawn from the draft, to which this rule gives no credit for being likely.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from specdec_core.distributions import Row, without
from specdec_core.draws import Draws
from specdec_core.errors import InvalidScoresError, ZeroResidualError
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ContextModel
from specdec_core.rules.rule import Verification
from specdec_core.sampling import accepts, sample
from specdec_core.scoring import TreeScores, score_tree_from_model
from specdec_core.tree_builders import TreeBuilder
from specdec_core.trees import ROOT, DraftTree


@dataclass(frozen=True, slots=True)
class DeterministicCandidates:
    """Top-k trees of the draft model, verified by residual sampling.

    Parameters of an instance: ``k``, children of every node, and ``depth``; at least 1 each.
    """

    name: str = "deterministic_candidates"
    lossless: bool = True
    reference: str = "token rejection of point masses (Leviathan et al. 2023), on a top-k tree"

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """Children of every node: ``k``; levels: ``depth``."""
        return {"k": (2, 1, 3), "depth": (2, 1)}

    def horizon(self, instance: Instance) -> int:
        """Return ``depth``."""
        instance.integer("k", minimum=1)
        return instance.integer("depth", minimum=1)

    def propose(self, instance: Instance, draws: Draws) -> DraftTree:
        """Build the draft model's top-k tree; takes no draw."""
        width = instance.integer("k", minimum=1)
        depth = instance.integer("depth", minimum=1)
        return TreeBuilder(width, depth).build_from_model(instance.draft, ())

    def verify(self, proposal: DraftTree, target: ContextModel, draws: Draws) -> Verification:
        """Score the tree, and keep one path of it."""
        return evaluate_tree(proposal, score_tree_from_model(target, (), proposal), draws)


def evaluate_tree(tree: DraftTree, scores: TreeScores, draws: Draws) -> Verification:
    """Return what a round emits for the tree: an accepted path, and what replaces a rejection.

    Takes one draw for each draft token, and one more if every child of a node fails.

    Parameters
    ----------
    tree : DraftTree
        Its tokens chosen without a draw, and without regard to the draws given here.
    scores : TreeScores
        Of this tree.
    draws : Draws
        Independent uniforms.

    Raises
    ------
    InvalidScoresError
        If the scores are those of another tree; no draw is taken then.

    Examples
    --------
    >>> from specdec_core.draws import ReplayedDraws
    >>> tree = DraftTree(tokens=(0, 1), parents=(0, 0), vocab_size=3)
    >>> scores = TreeScores(tree, (Row([0.5, 0.25, 0.25]),))
    >>> evaluate_tree(tree, scores, ReplayedDraws([0.25, 0.0]))
    Verification(accepted=(0,), final=None)
    >>> evaluate_tree(tree, scores, ReplayedDraws([0.75, 0.75, 0.5]))
    Verification(accepted=(), final=2)
    """
    if scores.tree != tree:
        raise InvalidScoresError(
            f"the scores are those of another tree, with {scores.tree.size} draft tokens, "
            f"expected those of this one, with {tree.size}"
        )
    coins = {node: draws.uniform() for node in tree.nodes}
    node = ROOT
    while node == ROOT or tree.children(node):
        row = scores.row(node)
        for child in tree.children(node):
            if accepts(coins[child], row[tree.token(child)], 1):
                node = child
                break
            row = remainder(row, tree.token(child))
        else:
            return Verification(tree.path(node), sample(row, draws.uniform()))
    return Verification(tree.path(node), None)


def remainder(row: Row, token: int) -> Row:
    """Return the row that the next sibling is judged by, after ``token`` was rejected.

    In fractions a rejection proves that other tokens have mass.  In floats a row can hold nothing
    but ``token`` and still fall short of one by rounding; the row itself then takes the place of
    the remainder, as in `token_rejection`.

    Examples
    --------
    >>> remainder(Row([0.5, 0.25, 0.25]), 0)
    Row(0.0, 0.5, 0.5)
    """
    try:
        return without(row, token)
    except ZeroResidualError:
        return row
