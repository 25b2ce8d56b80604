import re
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.batch_models import ScoredContext, batch_model
from specdec_core.distributions import Row
from specdec_core.errors import (
    InvalidDistributionError,
    InvalidParameterError,
    InvalidScoresError,
    InvalidTokenError,
    ShapeError,
)
from specdec_core.models import Context
from specdec_core.tree_builders import AdaptiveTreeBuilder, TreeBuilder, top_k
from specdec_core.trees import DraftTree

DRAFT = {
    (): Row([0.5, 0.125, 0.375]),
    (0,): Row([0.25, 0.25, 0.5]),
    (2,): Row([0.0, 1.0, 0.0]),
}


class Listening:
    """A draft model that remembers what it was asked, call by call, the prompt taken off."""

    def __init__(self, prompt: Context = ()) -> None:
        self.calls: list[tuple[Context, ...]] = []
        self._prompt = prompt

    def __call__(self, contexts: Sequence[Context]) -> Sequence[ScoredContext]:
        self.calls.append(tuple(contexts))
        start = len(self._prompt)
        return [ScoredContext(context, DRAFT[context[start:]]) for context in contexts]


@pytest.mark.parametrize(
    ("probs", "k", "best"),
    [
        ([0.25, 0.5, 0.25], 1, (1,)),
        ([0.25, 0.5, 0.25], 2, (1, 0)),
        ([0.25, 0.5, 0.25], 3, (1, 0, 2)),
        ([0.25, 0.5, 0.25], 9, (1, 0, 2)),
        ([0.0, 0.0, 1.0], 2, (2, 0)),
        ([1.0], 1, (0,)),
        ([Fraction(1, 3), Fraction(2, 3)], 2, (1, 0)),
    ],
)
def test_the_best_tokens_come_first_and_the_smaller_of_equals(
    probs: list[float], k: int, best: tuple[int, ...]
) -> None:
    assert top_k(Row(probs), k) == best


@given(st.lists(st.integers(0, 4), min_size=1, max_size=8).filter(any), st.integers(1, 9))
def test_there_are_always_k_distinct_tokens_or_all(weights: list[int], k: int) -> None:
    row = Row([Fraction(weight, sum(weights)) for weight in weights])
    best = top_k(row, k)
    assert len({*best}) == len(best) == min(k, len(row))
    left_out = {*range(len(row))} - {*best}
    assert all(row[kept] >= row[lost] for kept in best for lost in left_out)
    assert list(best) == sorted(best, key=lambda token: (-row[token], token))


@pytest.mark.parametrize("k", [0, -1, 1.0, True])
def test_k_is_at_least_one(k: int) -> None:
    with pytest.raises(InvalidParameterError, match=f"k is {k}"):
        top_k(Row([0.5, 0.5]), k)


def test_children_are_the_best_tokens_of_their_own_parents_row() -> None:
    tree = TreeBuilder(width=2, depth=2).build_from_model(DRAFT.__getitem__, ())
    assert tree == DraftTree((0, 2, 2, 0, 1, 0), (0, 0, 1, 1, 2, 2), vocab_size=3)


def test_every_parent_is_queried_once_with_its_own_prefix_and_no_leaf_is() -> None:
    asked: list[Context] = []

    def draft(context: Context) -> Row:
        asked.append(context)
        return DRAFT[context[2:]]

    TreeBuilder(width=2, depth=2).build_from_model(draft, (1, 1))
    assert asked == [(1, 1), (1, 1, 0), (1, 1, 2)]


def test_a_batch_model_is_called_once_for_each_depth() -> None:
    draft = Listening(prompt=(1, 1))
    TreeBuilder(width=2, depth=2).build_from_batch_model(draft, (1, 1))
    assert draft.calls == [((1, 1),), ((1, 1, 0), (1, 1, 2))]


@pytest.mark.parametrize(
    "builder", [TreeBuilder(2, 2), AdaptiveTreeBuilder(1, 3, 2)], ids=["fixed", "adaptive"]
)
def test_one_by_one_and_in_batches_the_tree_is_the_same(
    builder: TreeBuilder | AdaptiveTreeBuilder,
) -> None:
    def draft(context: Context) -> Row:
        return DRAFT.get(context, Row([0.125, 0.75, 0.125]))

    one_by_one = builder.build_from_model(draft, ())
    assert builder.build_from_batch_model(batch_model(draft), ()) == one_by_one
    assert one_by_one.height == 2


def test_a_wider_tree_than_the_vocabulary_holds_all_of_it() -> None:
    tree = TreeBuilder(width=9, depth=1).build_from_model(DRAFT.__getitem__, ())
    assert tree.tokens == (0, 2, 1)


def test_a_tree_over_one_token_is_a_chain() -> None:
    tree = TreeBuilder(width=3, depth=4).build_from_model(lambda context: Row([1.0]), (0,))
    assert (tree.size, tree.height) == (4, 4)


@pytest.mark.parametrize(
    ("probs", "width"),
    [
        ([1.0, 0.0, 0.0, 0.0], 1),
        ([0.5, 0.5, 0.0, 0.0], 3),
        ([0.25, 0.25, 0.25, 0.25], 5),
        ([0.5, 0.25, 0.25, 0.0], 4),
    ],
    ids=["none", "half", "all", "three quarters"],
)
def test_the_width_is_the_entropy_laid_out_between_its_bounds(
    probs: list[float], width: int
) -> None:
    """Normalised entropies 0, 1/2, 1 and 3/4, between 1 and 5."""
    assert AdaptiveTreeBuilder(min_width=1, max_width=5, depth=1).width(Row(probs)) == width


def test_a_half_width_is_rounded_upwards() -> None:
    builder = AdaptiveTreeBuilder(min_width=1, max_width=2, depth=1)
    assert builder.width(Row([0.5, 0.5, 0.0, 0.0])) == 2


def test_every_parent_has_the_width_of_its_own_row() -> None:
    rows = {(): Row([0.5, 0.5, 0.0, 0.0]), (0,): Row([0.25] * 4), (1,): Row([0.0, 0.0, 1.0, 0.0])}
    builder = AdaptiveTreeBuilder(min_width=1, max_width=3, depth=2)
    tree = builder.build_from_model(rows.__getitem__, ())
    assert [len(tree.children(node)) for node in (0, 1, 2)] == [2, 3, 1]
    assert tree.path(tree.children(2)[0]) == (1, 2)


def test_an_adaptive_builder_queries_every_parent_on_its_own() -> None:
    draft = Listening()
    AdaptiveTreeBuilder(min_width=2, max_width=2, depth=2).build_from_batch_model(draft, ())
    assert draft.calls == [((),), ((0,), (2,))]


def test_a_fixture_ignores_what_its_prefixes_say() -> None:
    tree = TreeBuilder(width=2, depth=2).build([[0.0, 2.0, 1.0], [5.0, -5.0, 0.0]])
    assert tree == DraftTree((1, 2, 0, 2, 0, 2), (0, 0, 1, 1, 2, 2), vocab_size=3)


def test_logits_are_ranked_as_they_are() -> None:
    """All but the highest underflow to probability zero; their order must not be lost."""
    tree = TreeBuilder(width=3, depth=1).build(np.array([[-3000.0, -2000.0, 0.0]]))  # type: ignore[arg-type]
    assert tree.tokens == (2, 1, 0)


@pytest.mark.parametrize(
    ("depth_logits", "error", "message"),
    [
        ([], ShapeError, "depth_logits has 0 rows, expected one a depth: 2"),
        ([[0.0]] * 3, ShapeError, "depth_logits has 3 rows, expected one a depth: 2"),
        (
            [[0.0, 1.0], [0.0]],
            ShapeError,
            "depth_logits[1] has 1 tokens, but depth_logits[0] has 2",
        ),
        (
            [[], []],
            InvalidDistributionError,
            "depth_logits[0] is empty, expected one logit a token",
        ),
        (
            [[0.0, 1.0], [0.0, float("nan")]],
            InvalidDistributionError,
            "depth_logits[1][1] is nan, expected a finite logit",
        ),
        (
            [[float("-inf"), 1.0], [0.0, 0.0]],
            InvalidDistributionError,
            "depth_logits[0][0] is -inf, expected a finite logit",
        ),
    ],
)
def test_logits_are_finite_and_one_row_a_depth(
    depth_logits: list[list[float]], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        TreeBuilder(width=1, depth=2).build(depth_logits)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TreeBuilder(0, 1), "width is 0, expected at least 1"),
        (lambda: TreeBuilder(1, 0), "depth is 0, expected at least 1"),
        (
            lambda: TreeBuilder(1.5, 1),  # type: ignore[arg-type]
            "width is 1.5 (float), expected an integer",
        ),
        (lambda: AdaptiveTreeBuilder(0, 1, 1), "min_width is 0, expected at least 1"),
        (lambda: AdaptiveTreeBuilder(3, 2, 1), "max_width is 2, expected at least 3"),
        (lambda: AdaptiveTreeBuilder(1, 2, 0), "depth is 0, expected at least 1"),
    ],
)
def test_sizes_are_at_least_one(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(message)}$"):
        make()


def test_a_draft_that_changes_its_vocabulary_between_depths_is_refused() -> None:
    def draft(context: Context) -> Row:
        return Row([0.5, 0.5] if context else [0.25, 0.75, 0.0])

    message = "draft: the row after the drafted tokens (1,) has 2 tokens, but the root's has 3"
    with pytest.raises(ShapeError, match=re.escape(message)):
        TreeBuilder(width=1, depth=2).build_from_model(draft, ())


def test_a_draft_that_changes_its_vocabulary_between_siblings_is_refused() -> None:
    rows = {(): Row([0.5, 0.5]), (0,): Row([0.5, 0.5]), (1,): Row([0.5, 0.25, 0.25])}
    with pytest.raises(ShapeError, match=re.escape("(1,) has 3 tokens, but the root's has 2")):
        TreeBuilder(width=2, depth=2).build_from_model(rows.__getitem__, ())


def test_a_draft_that_answers_out_of_order_is_refused() -> None:
    def backwards(contexts: Sequence[Context]) -> Sequence[ScoredContext]:
        return Listening()(contexts)[::-1]

    with pytest.raises(InvalidScoresError, match="draft: answer 0 is for the context '2'"):
        TreeBuilder(width=2, depth=2).build_from_batch_model(backwards, ())


@pytest.mark.parametrize("token", [-1, 3, 0.5])
def test_a_prompt_outside_the_vocabulary_is_refused(token: int) -> None:
    with pytest.raises(InvalidTokenError, match=f"token {token}"):
        TreeBuilder(width=1, depth=1).build_from_model(lambda context: DRAFT[()], (token,))
