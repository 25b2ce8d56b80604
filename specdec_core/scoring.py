"""Scoring a token tree: the target's row at every node that has children.

The query of a node ``x`` is the prompt and the tokens of ``x``'s ancestors, *without* ``x``; the
row that comes back is the law that ``x`` is judged by.  Siblings have the same ancestors, so they
share one query and one row, and there are as many queries as there are nodes with children.  A
leaf has none: nothing follows it in the round.  The root is always queried, even where the tree is
absent, because the round's one token then comes from its row.

Three ways to ask give equal scores: context by context, everything in one call, one call a depth.

Not here: a tree-attention mask, kernels, or key-value tensors.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from specdec_core.batch_models import BatchModel, ask, batch_model, checked_context
from specdec_core.distributions import Row
from specdec_core.errors import InvalidScoresError, InvalidTreeError, ShapeError
from specdec_core.models import Context, ContextModel
from specdec_core.trees import ROOT, DraftTree


@dataclass(frozen=True)
class TreeScores:
    """The target's rows for one tree.

    Parameters
    ----------
    tree : DraftTree
    rows : tuple of Row, shape (m, V)
        One for each of the ``m`` nodes in ``queried_nodes(tree)``: the law of that node's children.

    Raises
    ------
    ShapeError
        If there are not ``m`` rows, or one is not over the tree's vocabulary.
    InvalidDistributionError
        If a row is no distribution.

    Examples
    --------
    >>> tree = DraftTree(tokens=(0, 1), parents=(0, 1), vocab_size=2)
    >>> scores = TreeScores(tree, (Row([0.25, 0.75]), Row([0.5, 0.5])))
    >>> scores.row(1)
    Row(0.5, 0.5)
    """

    tree: DraftTree
    rows: tuple[Row, ...]

    def __post_init__(self) -> None:
        nodes, rows = queried_nodes(self.tree), tuple(self.rows)
        if len(rows) != len(nodes):
            raise ShapeError(
                f"{len(rows)} rows, expected {len(nodes)}: "
                f"one for each of the nodes {', '.join(map(str, nodes))}"
            )
        places = [f"the row of node {node}" for node in nodes]
        object.__setattr__(self, "rows", _checked_rows(rows, self.tree.vocab_size, places))

    @classmethod
    def from_node_rows(cls, tree: DraftTree, rows: Sequence[Row]) -> Self:
        """Return the scores, given one row for each draft token.

        Parameters
        ----------
        tree : DraftTree
            Not the absent tree, which has no draft token and so says nothing of the root's row.
        rows : (n, V) sequence of Row
            Entry ``i`` is the law that the token of node ``i + 1`` is judged by.

        Raises
        ------
        ShapeError
            If there are not ``n`` rows, ``n`` is zero, or a row is not over the tree's vocabulary.
        InvalidScoresError
            If two siblings have different rows.
        """
        if len(rows) != tree.size or not tree.size:
            raise ShapeError(
                f"{len(rows)} rows for {tree.size} draft tokens, "
                "expected one for each of at least one token"
            )
        places = [f"the row that scores node {node}" for node in tree.nodes]
        checked = _checked_rows(rows, tree.vocab_size, places)
        for node in tree.nodes:
            _require_sibling_row(tree, checked, node)
        first_children = (tree.children(node)[0] for node in queried_nodes(tree))
        return cls(tree, tuple(checked[child - 1] for child in first_children))

    def row(self, node: int) -> Row:
        """Return the law of a node's children, or raise `InvalidTreeError` if it has none."""
        if node not in self._by_node:
            raise InvalidTreeError(
                f"node {node} has no row, expected one of {', '.join(map(str, self._by_node))}"
            )
        return self._by_node[node]

    @cached_property
    def _by_node(self) -> dict[int, Row]:
        return dict(zip(queried_nodes(self.tree), self.rows, strict=True))


def queried_nodes(tree: DraftTree) -> tuple[int, ...]:
    """Return the nodes whose rows a round needs, ascending: the root, and all that have children.

    >>> queried_nodes(DraftTree(tokens=(0, 1, 0), parents=(0, 0, 2), vocab_size=2))
    (0, 2)
    """
    return tuple(sorted({ROOT, *tree.parents}))


def query_layers(tree: DraftTree) -> tuple[tuple[int, ...], ...]:
    """Return the queried nodes, those of one depth together, the root first.

    >>> query_layers(DraftTree(tokens=(0, 1, 0, 0), parents=(0, 0, 2, 1), vocab_size=2))
    ((0,), (1, 2))
    """
    layers: list[list[int]] = [[] for _ in range(max(1, tree.height))]
    for node in queried_nodes(tree):
        layers[tree.depth(node)].append(node)
    return tuple(map(tuple, layers))


def score_tree_from_model(model: ContextModel, prompt: Context, tree: DraftTree) -> TreeScores:
    """Return the tree's scores, asking a pure context model for one context after another.

    The reference that the two batched ways are held against.

    Raises
    ------
    InvalidTokenError
        If a token of the prompt is no integer, or lies outside the vocabulary.
    ShapeError
        If a row is not over the tree's vocabulary.
    """
    one_by_one = tuple((node,) for node in queried_nodes(tree))
    return _score(batch_model(model), prompt, tree, one_by_one)


def score_tree_from_batch_model(model: BatchModel, prompt: Context, tree: DraftTree) -> TreeScores:
    """Return the tree's scores, asking for all contexts in one call.

    Raises
    ------
    InvalidScoresError
        If the model does not return one row for each context, in their order.
    InvalidTokenError, ShapeError
        As `score_tree_from_model` does.
    """
    return _score(model, prompt, tree, (queried_nodes(tree),))


def score_tree_layers_from_batch_model(
    model: BatchModel, prompt: Context, tree: DraftTree
) -> TreeScores:
    """Return the tree's scores, asking for the contexts of one depth a call.

    Raises
    ------
    InvalidScoresError, InvalidTokenError, ShapeError
        As `score_tree_from_batch_model` does.
    """
    return _score(model, prompt, tree, query_layers(tree))


def _score(
    model: BatchModel, prompt: Context, tree: DraftTree, batches: Sequence[Sequence[int]]
) -> TreeScores:
    prompt = checked_context(prompt)
    by_node: dict[int, Row] = {}
    for nodes in batches:
        contexts = [(*prompt, *tree.path(node)) for node in nodes]
        by_node.update(zip(nodes, ask(model, contexts, "target"), strict=True))
    return TreeScores(tree, tuple(by_node[node] for node in queried_nodes(tree)))


def _checked_rows(rows: Sequence[Row], vocab_size: int, places: Sequence[str]) -> tuple[Row, ...]:
    checked = tuple(
        row if isinstance(row, Row) else Row(row, place)
        for row, place in zip(rows, places, strict=True)
    )
    for row, place in zip(checked, places, strict=True):
        if len(row) != vocab_size:
            raise ShapeError(f"{place} has {len(row)} tokens, but the tree has {vocab_size}")
    return checked


def _require_sibling_row(tree: DraftTree, rows: Sequence[Row], node: int) -> None:
    first = tree.children(tree.parent(node))[0]
    if rows[first - 1] != rows[node - 1]:
        raise InvalidScoresError(
            f"the siblings {first} and {node} are scored by different rows, "
            f"{rows[first - 1]} and {rows[node - 1]}, expected one for both"
        )
