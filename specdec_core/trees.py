"""Token trees: several continuations of one context, sharing their prefixes.

Node 0 is the root and stands for the context; it has no token.  Every other node has a token and
a parent, and spells the context that is made of the tokens on its path from the root.  A node's
children are ordered alternatives for one position, so their tokens differ; two nodes of one tree
therefore never spell the same context.

Not here: where the tokens come from (`specdec_core.tree_builders`), what the target says of them
(`specdec_core.scoring`), and which are kept (`specdec_core.rules`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from specdec_core.errors import InvalidTreeError, ShapeError
from specdec_core.models import Context
from specdec_core.parameters import require_integer, require_token

ROOT = 0
"""The node that stands for the context."""


@dataclass(frozen=True)
class DraftTree:
    """Draft tokens that share prefixes.  A tree of no tokens is legal: the absent tree.

    Parameters
    ----------
    tokens : (n,) sequence of int
        Entry ``i`` is the token of node ``i + 1``, in ``[0, vocab_size)``.
    parents : (n,) sequence of int
        Entry ``i`` is the parent of node ``i + 1``, in ``[0, i + 1)``: parents come before their
        children.  Siblings stand in the order in which they are to be tried.
    vocab_size : int
        The number of tokens, at least 1.

    Raises
    ------
    ShapeError
        If there are not as many parents as tokens.
    InvalidTokenError
        If a token is no integer, or lies outside the vocabulary.
    InvalidTreeError
        If a parent does not come before its child, or two siblings have one token.
    InvalidParameterError
        If ``vocab_size`` is no integer, or less than 1.

    Examples
    --------
    >>> tree = DraftTree(tokens=(0, 1, 0), parents=(0, 0, 1), vocab_size=2)
    >>> tree.children(0), tree.path(3), tree.depth(3), tree.leaves
    ((1, 2), (0, 0), 2, (2, 3))
    >>> DraftTree(tokens=(1, 1), parents=(0, 0), vocab_size=2)
    Traceback (most recent call last):
        ...
    specdec_core.errors.InvalidTreeError: nodes 1 and 2, both children of node 0, have the token 1
    """

    tokens: tuple[int, ...]
    parents: tuple[int, ...]
    vocab_size: int

    def __post_init__(self) -> None:
        vocab_size = require_integer(self.vocab_size, "vocab_size", minimum=1)
        tokens, parents = tuple(self.tokens), tuple(self.parents)
        if len(tokens) != len(parents):
            raise ShapeError(
                f"{len(tokens)} tokens and {len(parents)} parents, expected one of each a node"
            )
        for node, (token, parent) in enumerate(zip(tokens, parents, strict=True), start=1):
            require_token(token, vocab_size, f"node {node}")
            _require_earlier(parent, node)
        _require_distinct_siblings(tokens, parents)
        object.__setattr__(self, "tokens", tuple(map(int, tokens)))
        object.__setattr__(self, "parents", tuple(map(int, parents)))
        object.__setattr__(self, "vocab_size", vocab_size)

    @property
    def size(self) -> int:
        """The number of draft tokens, ``n``; the root is not one."""
        return len(self.tokens)

    @property
    def nodes(self) -> range:
        """Every node that has a token: ``1 .. n``."""
        return range(1, self.size + 1)

    @property
    def leaves(self) -> tuple[int, ...]:
        """The nodes that have a token and no children, ascending."""
        return tuple(node for node in self.nodes if not self.children(node))

    @property
    def height(self) -> int:
        """The depth of the deepest node; zero for the absent tree."""
        return max(self._depths)

    def token(self, node: int) -> int:
        """Return the token of a node other than the root."""
        return self.tokens[self._node_with_token(node) - 1]

    def parent(self, node: int) -> int:
        """Return the parent of a node other than the root."""
        return self.parents[self._node_with_token(node) - 1]

    def children(self, node: int) -> tuple[int, ...]:
        """Return the children of a node, in the order in which they are to be tried."""
        return self._children[self._node(node)]

    def depth(self, node: int) -> int:
        """Return how many tokens lie on the path from the root to a node, its own included."""
        return self._depths[self._node(node)]

    def path(self, node: int) -> Context:
        """Return the tokens from the root to a node, its own included."""
        tokens: list[int] = []
        node = self._node(node)
        while node != ROOT:
            tokens.append(self.token(node))
            node = self.parent(node)
        return tuple(reversed(tokens))

    @cached_property
    def _children(self) -> tuple[tuple[int, ...], ...]:
        children: list[list[int]] = [[] for _ in range(self.size + 1)]
        for node in self.nodes:
            children[self.parent(node)].append(node)
        return tuple(map(tuple, children))

    @cached_property
    def _depths(self) -> tuple[int, ...]:
        depths = [0]
        for parent in self.parents:
            depths.append(depths[parent] + 1)
        return tuple(depths)

    def _node(self, node: int) -> int:
        if not ROOT <= node <= self.size:
            raise InvalidTreeError(f"node {node}, expected 0 to {self.size}")
        return node

    def _node_with_token(self, node: int) -> int:
        if self._node(node) == ROOT:
            raise InvalidTreeError("node 0 is the root, which has neither token nor parent")
        return node


def _require_earlier(parent: object, node: int) -> None:
    if isinstance(parent, bool) or not isinstance(parent, int | np.integer):
        raise InvalidTreeError(
            f"node {node} has the parent {parent!r} ({type(parent).__name__}), expected an integer"
        )
    if not ROOT <= parent < node:
        raise InvalidTreeError(
            f"node {node} has the parent {parent}, expected a node before it: 0 to {node - 1}"
        )


def _require_distinct_siblings(tokens: Sequence[int], parents: Sequence[int]) -> None:
    seen: dict[tuple[int, int], int] = {}
    for node, (parent, token) in enumerate(zip(parents, tokens, strict=True), start=1):
        first = seen.setdefault((parent, token), node)
        if first != node:
            raise InvalidTreeError(
                f"nodes {first} and {node}, both children of node {parent}, have the token {token}"
            )
