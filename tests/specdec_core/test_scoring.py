import re
from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest

from specdec_core.batch_models import BatchModel, ScoredContext, batch_model
from specdec_core.distributions import Row
from specdec_core.errors import (
    InvalidDistributionError,
    InvalidScoresError,
    InvalidTokenError,
    InvalidTreeError,
    ShapeError,
)
from specdec_core.models import Context
from specdec_core.scoring import (
    TreeScores,
    queried_nodes,
    query_layers,
    score_tree_from_batch_model,
    score_tree_from_model,
    score_tree_layers_from_batch_model,
)
from specdec_core.trees import DraftTree

PROMPT = (2, 1)
ABSENT = DraftTree((), (), vocab_size=3)
CHAIN = DraftTree(tokens=(0, 1, 2), parents=(0, 1, 2), vocab_size=3)
FORK = DraftTree(tokens=(1, 0, 0, 2, 1), parents=(0, 0, 2, 2, 1), vocab_size=3)
OUT_OF_LAYERS = DraftTree(tokens=(1, 0, 2, 0), parents=(0, 1, 2, 0), vocab_size=3)
TREES = {"absent": ABSENT, "chain": CHAIN, "fork": FORK, "out of layers": OUT_OF_LAYERS}

each_tree = pytest.mark.parametrize("tree", TREES.values(), ids=TREES.keys())


def telltale(context: Context) -> Row:
    """Answer each context of a test with a row of its own."""
    number = sum((token + 1) * 4**place for place, token in enumerate(context))
    return Row([Fraction(1, number + 2), Fraction(0), Fraction(number + 1, number + 2)])


class Listening:
    """A batch model that remembers what it was asked, call by call."""

    def __init__(self) -> None:
        self.calls: list[tuple[Context, ...]] = []

    def __call__(self, contexts: Sequence[Context]) -> Sequence[ScoredContext]:
        self.calls.append(tuple(contexts))
        return batch_model(telltale)(contexts)


@pytest.mark.parametrize(
    ("tree", "nodes", "layers"),
    [
        (ABSENT, (0,), ((0,),)),
        (CHAIN, (0, 1, 2), ((0,), (1,), (2,))),
        (FORK, (0, 1, 2), ((0,), (1, 2))),
        (OUT_OF_LAYERS, (0, 1, 2), ((0,), (1,), (2,))),
    ],
    ids=TREES.keys(),
)
def test_the_root_and_every_parent_are_queried_and_no_leaf(
    tree: DraftTree, nodes: tuple[int, ...], layers: tuple[tuple[int, ...], ...]
) -> None:
    assert queried_nodes(tree) == nodes
    assert query_layers(tree) == layers


def test_a_query_is_the_prompt_and_the_ancestors_without_the_node() -> None:
    """The row that scores a node is the row of its parent's context."""
    scores = score_tree_from_model(telltale, PROMPT, FORK)
    laws = {node: scores.row(FORK.parent(node)) for node in FORK.nodes}
    assert laws[1] == laws[2] == telltale((2, 1))
    assert laws[3] == laws[4] == telltale((2, 1, 0))
    assert laws[5] == telltale((2, 1, 1))


def test_the_sequential_reference_asks_once_for_each_parent() -> None:
    asked: list[Context] = []

    def model(context: Context) -> Row:
        asked.append(context)
        return telltale(context)

    score_tree_from_model(model, PROMPT, FORK)
    assert asked == [(2, 1), (2, 1, 1), (2, 1, 0)]


def test_all_contexts_go_in_one_call() -> None:
    model = Listening()
    score_tree_from_batch_model(model, PROMPT, FORK)
    assert model.calls == [((2, 1), (2, 1, 1), (2, 1, 0))]


def test_the_contexts_of_one_depth_go_in_one_call() -> None:
    model = Listening()
    score_tree_layers_from_batch_model(model, PROMPT, FORK)
    assert model.calls == [((2, 1),), ((2, 1, 1), (2, 1, 0))]


@each_tree
def test_three_ways_to_ask_give_equal_scores(tree: DraftTree) -> None:
    reference = score_tree_from_model(telltale, PROMPT, tree)
    assert score_tree_from_batch_model(batch_model(telltale), PROMPT, tree) == reference
    assert score_tree_layers_from_batch_model(batch_model(telltale), PROMPT, tree) == reference
    assert reference.rows == tuple(
        telltale(PROMPT + tree.path(node)) for node in queried_nodes(tree)
    )


@pytest.mark.parametrize("tree", [CHAIN, FORK, OUT_OF_LAYERS], ids=["chain", "fork", "layers"])
def test_one_row_for_each_token_says_the_same(tree: DraftTree) -> None:
    node_rows = [telltale(PROMPT + tree.path(tree.parent(node))) for node in tree.nodes]
    scores = TreeScores.from_node_rows(tree, node_rows)
    assert scores == score_tree_from_model(telltale, PROMPT, tree)


def test_the_absent_tree_has_the_roots_row() -> None:
    assert score_tree_from_model(telltale, PROMPT, ABSENT).row(0) == telltale(PROMPT)


def test_scores_are_values() -> None:
    one, other = (score_tree_from_model(telltale, PROMPT, FORK) for _ in range(2))
    assert hash(one) == hash(other)
    assert one != score_tree_from_model(telltale, (0,), FORK)


def test_floats_are_scored_as_they_come() -> None:
    scores = score_tree_from_model(lambda context: Row([0.25, 0.75, 0.0]), (), CHAIN)
    assert scores.row(2) == Row([0.25, 0.75, 0.0])


def test_a_leaf_has_no_row() -> None:
    scores = score_tree_from_model(telltale, PROMPT, FORK)
    with pytest.raises(InvalidTreeError, match="node 5 has no row, expected one of 0, 1, 2"):
        scores.row(5)


@pytest.mark.parametrize("score", [score_tree_from_batch_model, score_tree_layers_from_batch_model])
@pytest.mark.parametrize(
    "spoil",
    [lambda right: right[::-1], lambda right: right[1:], lambda right: [*right, *right]],
    ids=["wrong order", "missing", "extra"],
)
def test_rows_out_of_place_never_reach_a_node(
    score: Callable[[BatchModel, Context, DraftTree], TreeScores],
    spoil: Callable[[Sequence[ScoredContext]], Sequence[ScoredContext]],
) -> None:
    with pytest.raises(InvalidScoresError, match=r"^target: "):
        score(lambda contexts: spoil(batch_model(telltale)(contexts)), PROMPT, FORK)


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        ((0, -1), "prompt[1]: token -1 (int), expected an integer of at least 0"),
        ((3,), "target: the context '3': token 3, expected 0 to 2"),
    ],
)
def test_a_prompt_outside_the_vocabulary_is_refused(prompt: Context, message: str) -> None:
    with pytest.raises(InvalidTokenError, match=f"^{re.escape(message)}$"):
        score_tree_from_model(telltale, prompt, ABSENT)


def test_a_target_over_another_vocabulary_than_the_trees_is_refused() -> None:
    with pytest.raises(ShapeError, match="the row of node 0 has 2 tokens, but the tree has 3"):
        score_tree_from_model(lambda context: Row([0.5, 0.5]), (), CHAIN)


def test_a_target_that_changes_its_vocabulary_is_refused() -> None:
    def model(context: Context) -> Row:
        return Row([0.25] * 4) if context else telltale(context)

    with pytest.raises(ShapeError, match="the row of node 1 has 4 tokens, but the tree has 3"):
        score_tree_from_model(model, (), CHAIN)


def test_scores_have_one_row_for_each_parent() -> None:
    with pytest.raises(ShapeError, match="1 rows, expected 3: one for each of the nodes 0, 1, 2"):
        TreeScores(FORK, (telltale(()),))


def test_scores_are_distributions() -> None:
    with pytest.raises(InvalidDistributionError, match=r"the row of node 0 sums to 0\.5"):
        TreeScores(ABSENT, ([0.25, 0.25, 0.0],))  # type: ignore[arg-type]


def test_siblings_scored_by_different_rows_are_refused() -> None:
    rows = [telltale(()), telltale(()), telltale((0,)), telltale((1,)), telltale((1,))]
    with pytest.raises(InvalidScoresError, match="the siblings 3 and 4 are scored by different"):
        TreeScores.from_node_rows(FORK, rows)


def test_node_rows_over_different_vocabularies_are_refused() -> None:
    rows = [telltale(()), telltale(()), Row([0.5, 0.5])]
    with pytest.raises(ShapeError, match="the row that scores node 3 has 2 tokens, but the tree"):
        TreeScores.from_node_rows(CHAIN, rows)


@pytest.mark.parametrize(
    ("tree", "count"), [(CHAIN, 2), (CHAIN, 4), (ABSENT, 0), (ABSENT, 1)], ids=str
)
def test_node_rows_are_one_for_each_of_at_least_one_token(tree: DraftTree, count: int) -> None:
    with pytest.raises(ShapeError, match=f"{count} rows for {tree.size} draft tokens"):
        TreeScores.from_node_rows(tree, [telltale(())] * count)
