"""Trees of siblings: draft tokens that were drawn, each with the law that it was drawn from.

Every node that has children keeps them as `Siblings`, in the order in which they are to be tried.
Where a token was drawn twice at one node its copies share one subtree: a rule that keeps either
goes on below it with draws that it has not looked at yet.

Not here: trees whose tokens are chosen by rank, which need no law (`specdec_core.trees`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from specdec_core.distributions import require_same_vocabulary
from specdec_core.draws import Draws
from specdec_core.errors import InvalidTreeError
from specdec_core.models import Context, ContextModel, context_key
from specdec_core.siblings import NO_SIBLINGS, Siblings


@dataclass(frozen=True)
class SiblingTree:
    """Draft tokens that share prefixes, with the law of each.

    Parameters
    ----------
    families : tuple of (Context, Siblings)
        Every node that has children, as the tokens on its path from the root, with its children;
        the root's path is empty.  Parents come before their children.

    Raises
    ------
    InvalidTreeError
        If a node stands twice, has no children, or is not the child of a node before it.
    ShapeError
        If two nodes have rows of different length.

    Examples
    --------
    >>> from specdec_core.distributions import Row
    >>> siblings = Siblings((1,), (Row([0.5, 0.5]),))
    >>> tree = SiblingTree((((), siblings), ((1,), siblings)))
    >>> tree.height, tree.width, tree.children((1, 1))
    (2, 1, Siblings(tokens=(), draft_probs=()))
    >>> SiblingTree((((0,), siblings),))
    Traceback (most recent call last):
        ...
    specdec_core.errors.InvalidTreeError: node '0' is no child of a node before it
    """

    families: tuple[tuple[Context, Siblings], ...]

    def __post_init__(self) -> None:
        legal: set[Context] = {()}
        for path, siblings in self.families:
            if path not in legal:
                raise InvalidTreeError(
                    f"node {context_key(path)!r} is no child of a node before it"
                )
            if not siblings.tokens:
                raise InvalidTreeError(f"node {context_key(path)!r} stands here without children")
            legal.remove(path)
            legal.update((*path, token) for token in siblings.tokens)
            first, row = self.families[0][1].draft_probs[0], siblings.draft_probs[0]
            require_same_vocabulary(first, row, "the root", f"node {context_key(path)!r}")

    @property
    def height(self) -> int:
        """The number of levels; zero for the absent tree."""
        return max((len(path) + 1 for path, _ in self.families), default=0)

    @property
    def width(self) -> int:
        """The most children that a node has."""
        return max((len(siblings.tokens) for _, siblings in self.families), default=0)

    def children(self, path: Context) -> Siblings:
        """Return the children of the node with this path: none, at a leaf."""
        return self._by_path.get(path, NO_SIBLINGS)

    @cached_property
    def _by_path(self) -> dict[Context, Siblings]:
        return dict(self.families)


def draft_tree(
    children_of: Callable[[Context, Draws], Siblings], depth: int, draws: Draws
) -> SiblingTree:
    """Draw a tree in which every node above the last depth has children, one depth at a time.

    Parameters
    ----------
    children_of : callable
        Draws the children of the node with a path; they can be none.
    depth : int
        Levels, at least 0.
    draws : Draws
        Independent uniforms.
    """
    families: list[tuple[Context, Siblings]] = []
    edge: list[Context] = [()]
    for _ in range(depth):
        asked = [(path, children_of(path, draws)) for path in edge]
        grown = [(path, siblings) for path, siblings in asked if siblings.tokens]
        families += grown
        edge = [
            (*path, token) for path, siblings in grown for token in dict.fromkeys(siblings.tokens)
        ]
    return SiblingTree(tuple(families))


def require_target_vocabulary(tree: SiblingTree, target: ContextModel) -> None:
    """Raise `ShapeError` unless the target's rows are over the tree's vocabulary."""
    siblings = tree.children(())
    if siblings.tokens:
        row = siblings.draft_probs[0]
        require_same_vocabulary(target(()), row, "the target's row", "the tree's row")
