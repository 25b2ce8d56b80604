"""Slips in tree verification: one realistic mistake at a time.

`SlippedTreeRule` is the rule of deterministic candidates with each of its steps a field, so that a
slip is one step replaced.  With no step replaced it is the rule itself, path by path; a test holds
it to that.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, NamedTuple

from specdec_core.distributions import Row
from specdec_core.draws import Draw, Draws
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ContextModel
from specdec_core.rules import Verification
from specdec_core.rules.deterministic_candidates import remainder
from specdec_core.sampling import accepts, sample
from specdec_core.tree_builders import TreeBuilder
from specdec_core.trees import ROOT, DraftTree


class Candidate(NamedTuple):
    """What a step sees: one candidate of a node, and what is left of the target's row there."""

    tree: DraftTree
    child: int
    row: Row

    @property
    def token(self) -> int:
        """The candidate's token."""
        return self.tree.token(self.child)


def score(target: ContextModel, tree: DraftTree, node: int) -> Row:
    """Return the target's row for the tokens that follow a node."""
    return target(tree.path(node))


def take_coins(tree: DraftTree, draws: Draws) -> dict[int, Draw]:
    """Take one draw for each candidate."""
    return {node: draws.uniform() for node in tree.nodes}


def accept(draw: Draw, candidate: Candidate) -> bool:
    """Keep the candidate with the probability that is left of it."""
    return accepts(draw, candidate.row[candidate.token], 1)


def remove(candidate: Candidate) -> Row:
    """Remove a rejected candidate, and bring the rest back to unit mass."""
    return remainder(candidate.row, candidate.token)


def fall_back(left: Row, whole: Row, draws: Draws) -> int:
    """Draw from what is left of the row."""
    return sample(left, draws.uniform())


def end_rejected(tree: DraftTree, node: int, token: int) -> Verification:
    """Emit the path to the node, and the replacement."""
    return Verification(tree.path(node), token)


def end_at_leaf(tree: DraftTree, leaf: int, target: ContextModel, draws: Draws) -> Verification:
    """Emit the path to the leaf."""
    return Verification(tree.path(leaf), None)


@dataclass(frozen=True, slots=True)
class SlippedTreeRule:
    """Deterministic candidates, with steps that can be replaced one by one."""

    name: str
    score_with: Callable[[ContextModel, DraftTree, int], Row] = score
    take_coins_with: Callable[[DraftTree, Draws], dict[int, Draw]] = take_coins
    accept_with: Callable[[Any, Candidate], bool] = accept
    remove_with: Callable[[Candidate], Row] = remove
    fall_back_with: Callable[[Row, Row, Draws], int] = fall_back
    end_rejected_with: Callable[[DraftTree, int, int], Verification] = end_rejected
    end_at_leaf_with: Callable[..., Verification] = end_at_leaf
    lossless: bool = True
    reference: str = "deterministic candidates with a planted slip"

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """Children of every node: ``k``; levels: ``depth``."""
        return {"k": (2, 1, 3), "depth": (2, 1)}

    def horizon(self, instance: Instance) -> int:
        """Return ``depth + 1``: a slip can emit one token too many."""
        return instance.integer("depth", minimum=1) + 1

    def propose(self, instance: Instance, draws: Draws) -> DraftTree:
        """Build the top-k tree."""
        width = instance.integer("k", minimum=1)
        depth = instance.integer("depth", minimum=1)
        return TreeBuilder(width, depth).build_from_model(instance.draft, ())

    def verify(self, proposal: DraftTree, target: ContextModel, draws: Draws) -> Verification:
        """Verify with the given steps."""
        tree, node = proposal, ROOT
        coins = self.take_coins_with(tree, draws)
        while tree.children(node):
            left = whole = self.score_with(target, tree, node)
            for child in tree.children(node):
                candidate = Candidate(tree, child, left)
                if self.accept_with(coins[child], candidate):
                    node = child
                    break
                left = self.remove_with(candidate)
            else:
                token = self.fall_back_with(left, whole, draws)
                return self.end_rejected_with(tree, node, token)
        return self.end_at_leaf_with(tree, node, target, draws)


def score_including_node(target: ContextModel, tree: DraftTree, node: int) -> Row:
    """Query with the node's first child in the context: one token too late."""
    return target(tree.path(tree.children(node)[0])[: tree.height - 1])


def score_root(target: ContextModel, tree: DraftTree, node: int) -> Row:
    """Score every candidate by the root's row."""
    return target(())


def score_sibling(target: ContextModel, tree: DraftTree, node: int) -> Row:
    """Read the row of the node's first sibling: a row mix-up inside a level."""
    if node == ROOT:
        return target(())
    return target(tree.path(tree.children(tree.parent(node))[0]))


def take_one_coin(tree: DraftTree, draws: Draws) -> dict[int, Draw]:
    """Take one draw, and use it for every candidate."""
    return dict.fromkeys(tree.nodes, draws.uniform())


def take_coin_a_level(tree: DraftTree, draws: Draws) -> dict[int, Draw]:
    """Take one draw for each level, and use it for all siblings."""
    coins = [draws.uniform() for _ in range(tree.height)]
    return {node: coins[tree.depth(node) - 1] for node in tree.nodes}


def accept_inclusive(draw: Any, candidate: Candidate) -> bool:  # noqa: ANN401  (number or symbol)
    """Accept at equality too."""
    return bool(draw <= candidate.row[candidate.token])


def accept_likeliest(draw: Draw, candidate: Candidate) -> bool:
    """Accept exactly the target's likeliest token."""
    return candidate.row[candidate.token] == max(candidate.row)


def accept_leniently(draw: Draw, candidate: Candidate) -> bool:
    """Give the candidate credit for being proposed, as if it had been drawn."""
    return accepts(draw, candidate.row[candidate.token] * 2, 1)


def remove_nothing(candidate: Candidate) -> Row:
    """Leave a rejected sibling in the row."""
    return candidate.row


def remove_unnormalised(candidate: Candidate) -> Row:
    """Give a rejected sibling's mass to the last token, as running sums do without a division."""
    row = [0 * p if x == candidate.token else p for x, p in enumerate(candidate.row)]
    row[-1] += 1 - sum(row)
    return Row(row)


def fall_back_to_whole(left: Row, whole: Row, draws: Draws) -> int:
    """Draw the replacement from the whole target row."""
    return sample(whole, draws.uniform())


def fall_back_to_likeliest(left: Row, whole: Row, draws: Draws) -> int:
    """Take the likeliest token that is left, and draw nothing."""
    return left.index(max(left))


def end_following_branch(tree: DraftTree, node: int, token: int) -> Verification:
    """Follow the first branch after all candidates of the node were rejected."""
    return Verification(tree.path(tree.children(node)[0]), token)


def extra_from_root(tree: DraftTree, leaf: int, target: ContextModel, draws: Draws) -> Verification:
    """Add a token at a leaf, from the root's row."""
    return Verification(tree.path(leaf), sample(target(()), draws.uniform()))


def extra_from_parent(
    tree: DraftTree, leaf: int, target: ContextModel, draws: Draws
) -> Verification:
    """Add a token at a leaf, from the row that scored the leaf: off by one."""
    return Verification(tree.path(leaf), sample(target(tree.path(leaf)[:-1]), draws.uniform()))


def extra_from_reduced(
    tree: DraftTree, leaf: int, target: ContextModel, draws: Draws
) -> Verification:
    """Add a token at a leaf: if siblings of it were rejected, from the row that they left."""
    row = target(tree.path(leaf)[:-1])
    rejected = list(takewhile(leaf.__ne__, tree.children(tree.parent(leaf))))
    for sibling in rejected:
        row = remove(Candidate(tree, sibling, row))
    after = row if rejected else target(tree.path(leaf))
    return Verification(tree.path(leaf), sample(after, draws.uniform()))


def extra_from_leaf(tree: DraftTree, leaf: int, target: ContextModel, draws: Draws) -> Verification:
    """Add a token at a leaf from the target's own next row: looks wrong here, and is right."""
    return Verification(tree.path(leaf), sample(target(tree.path(leaf)), draws.uniform()))
