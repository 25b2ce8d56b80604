"""Growing token trees from a draft model: which candidates, how wide, how deep.

A builder grows a tree one depth at a time.  Each node at the edge is asked for on its own, with
the prompt and its own path as context, and gets the ``k`` most probable tokens of its row as
children.  `TreeBuilder` gives every node equally many; `AdaptiveTreeBuilder` gives a node the more
children, the less its row has made up its mind.

Candidates are chosen, not drawn, so building takes no draw, and whatever is chosen, the rule that
verifies it (`specdec_core.rules.deterministic_candidates`) emits the target's law.  A choice here
costs speed at worst, never correctness.

Not here: trees whose tokens are drawn from the draft, or how the depth moves from round to round
(`specdec_core.tree_policy`).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from specdec_core.batch_models import BatchModel, ask, batch_model, checked_context
from specdec_core.distributions import Prob, Row, normalized_entropy
from specdec_core.errors import InvalidDistributionError, ShapeError
from specdec_core.models import Context, ContextModel
from specdec_core.parameters import require_integer
from specdec_core.trees import ROOT, DraftTree

Ranking = TypeVar("Ranking", bound=Sequence[Prob])
"""What tokens are ranked by, a number each: a row, or logits."""


def top_k(row: Sequence[Prob], k: int) -> tuple[int, ...]:
    """Return the ``k`` most probable tokens, or all ``V`` if there are no more, best first.

    Of equal tokens the smaller goes first.  Tokens of probability zero are candidates like any
    other, so that there are always ``min(k, V)``: a draft's zero says nothing of the target.

    Parameters
    ----------
    row : (V,) Row, or sequence of float
        Probabilities, or anything that ranks as they do, such as logits.
    k : int
        At least 1.

    Raises
    ------
    InvalidParameterError
        If ``k`` is no integer, or less than 1.

    Examples
    --------
    >>> top_k(Row([0.25, 0.5, 0.25, 0.0]), 2), top_k(Row([0.5, 0.0, 0.5]), 5)
    ((1, 0), (0, 2, 1))
    """
    require_integer(k, "k", minimum=1)
    return tuple(sorted(range(len(row)), key=row.__getitem__, reverse=True)[:k])


@dataclass(frozen=True, slots=True)
class TreeBuilder:
    """Builds trees in which every node above the last depth has ``width`` children.

    Parameters
    ----------
    width, depth : int
        At least 1.

    Raises
    ------
    InvalidParameterError
        If one is no integer, or less than 1.

    Examples
    --------
    >>> tree = TreeBuilder(width=2, depth=1).build_from_model(lambda context: Row([0.25, 0.75]), ())
    >>> tree.tokens, tree.parents
    ((1, 0), (0, 0))
    """

    width: int
    depth: int

    def __post_init__(self) -> None:
        require_integer(self.width, "width", minimum=1)
        require_integer(self.depth, "depth", minimum=1)

    def build_from_model(self, draft: ContextModel, prompt: Context) -> DraftTree:
        """Return the tree, asking a context model for every node at the edge.

        Raises
        ------
        InvalidTokenError
            If a token of the prompt is no integer, or lies outside the vocabulary.
        ShapeError
            If two rows differ in length.
        """
        return self.build_from_batch_model(batch_model(draft), prompt)

    def build_from_batch_model(self, draft: BatchModel, prompt: Context) -> DraftTree:
        """Return the tree, asking a batch model once for each depth.

        Raises
        ------
        InvalidScoresError
            If the model does not return one row for each context, in their order.
        InvalidTokenError, ShapeError
            As `build_from_model` does.
        """
        return _grow(_rows_of(draft, prompt), lambda row: self.width, self.depth)

    def build(self, depth_logits: Sequence[Sequence[float]]) -> DraftTree:
        """Return the tree that ignores what its prefixes say: a fixture, not a drafter.

        Parameters
        ----------
        depth_logits : (depth, V) sequence of float
            Finite.  Row ``i`` ranks the children of every node at depth ``i``.

        Raises
        ------
        ShapeError
            If there are not ``depth`` rows, or two differ in length.
        InvalidDistributionError
            If a row is empty, or a logit is not finite.

        Examples
        --------
        >>> TreeBuilder(width=1, depth=2).build([[0.0, 1.0], [2.0, -1.0]]).tokens
        (1, 0)
        """
        logits = _checked_logits(depth_logits, self.depth)
        return _grow(
            lambda paths: [logits[len(path)] for path in paths], lambda row: self.width, self.depth
        )


@dataclass(frozen=True, slots=True)
class AdaptiveTreeBuilder:
    """Builds trees in which a node has the more children, the less certain its row is.

    Parameters
    ----------
    min_width, max_width : int
        Children of a node whose row is a point mass, and of one whose row is uniform; at least 1.
    depth : int
        At least 1.

    Raises
    ------
    InvalidParameterError
        If one is no integer, or less than 1, or ``max_width`` is less than ``min_width``.

    Examples
    --------
    >>> builder = AdaptiveTreeBuilder(min_width=1, max_width=4, depth=1)
    >>> [builder.width(Row(probs)) for probs in ([1.0, 0.0], [0.5, 0.5])]
    [1, 4]
    """

    min_width: int
    max_width: int
    depth: int

    def __post_init__(self) -> None:
        require_integer(self.min_width, "min_width", minimum=1)
        require_integer(self.max_width, "max_width", minimum=self.min_width)
        require_integer(self.depth, "depth", minimum=1)

    def width(self, row: Row) -> int:
        """Return how many children a node with this row is to have.

        The normalised entropy of the row, in ``[0, 1]``, laid out on ``min_width .. max_width``
        and rounded to the nearest width, halves upwards.
        """
        spread = self.max_width - self.min_width
        return self.min_width + math.floor(normalized_entropy(row) * spread + 0.5)

    def build_from_model(self, draft: ContextModel, prompt: Context) -> DraftTree:
        """Return the tree, as `TreeBuilder.build_from_model` does."""
        return self.build_from_batch_model(batch_model(draft), prompt)

    def build_from_batch_model(self, draft: BatchModel, prompt: Context) -> DraftTree:
        """Return the tree, as `TreeBuilder.build_from_batch_model` does."""
        return _grow(_rows_of(draft, prompt), self.width, self.depth)


def _grow(
    rankings_of: Callable[[Sequence[Context]], Sequence[Ranking]],
    width_of: Callable[[Ranking], int],
    depth: int,
) -> DraftTree:
    """Grow a tree one depth at a time; `rankings_of` is asked once for each."""
    paths: list[Context] = [()]
    parents: list[int] = []
    edge = range(ROOT, 1)
    vocab_size = 0
    for _ in range(depth):
        rankings = rankings_of([paths[node] for node in edge])
        vocab_size = vocab_size or len(rankings[0])
        for node, ranking in zip(edge, rankings, strict=True):
            _require_vocabulary(ranking, vocab_size, paths[node])
            children = top_k(ranking, width_of(ranking))
            paths += [(*paths[node], token) for token in children]
            parents += [node] * len(children)
        edge = range(edge.stop, len(paths))
    return DraftTree(tuple(path[-1] for path in paths[1:]), tuple(parents), vocab_size)


def _rows_of(draft: BatchModel, prompt: Context) -> Callable[[Sequence[Context]], Sequence[Row]]:
    prompt = checked_context(prompt)
    return lambda paths: ask(draft, [prompt + path for path in paths], "draft")


def _require_vocabulary(ranking: Sequence[Prob], vocab_size: int, path: Context) -> None:
    if len(ranking) != vocab_size:
        raise ShapeError(
            f"draft: the row after the drafted tokens {path} has {len(ranking)} tokens, "
            f"but the root's has {vocab_size}"
        )


def _checked_logits(
    depth_logits: Sequence[Sequence[float]], depth: int
) -> tuple[tuple[float, ...], ...]:
    logits = tuple(tuple(map(float, row)) for row in depth_logits)
    if len(logits) != depth:
        raise ShapeError(f"depth_logits has {len(logits)} rows, expected one a depth: {depth}")
    for i, row in enumerate(logits):
        _require_finite(row, f"depth_logits[{i}]")
        if len(row) != len(logits[0]):
            raise ShapeError(
                f"depth_logits[{i}] has {len(row)} tokens, but depth_logits[0] has {len(logits[0])}"
            )
    return logits


def _require_finite(logits: Sequence[float], place: str) -> None:
    if not logits:
        raise InvalidDistributionError(f"{place} is empty, expected one logit a token")
    for token, logit in enumerate(logits):
        if not math.isfinite(logit):
            raise InvalidDistributionError(f"{place}[{token}] is {logit}, expected a finite logit")
