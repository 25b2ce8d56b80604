import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.errors import (
    InvalidParameterError,
    InvalidTokenError,
    InvalidTreeError,
    ShapeError,
)
from specdec_core.trees import DraftTree

FORK = DraftTree(tokens=(2, 0, 1, 1, 0), parents=(0, 0, 2, 1, 3), vocab_size=3)
ABSENT = DraftTree((), (), vocab_size=3)


@st.composite
def trees(draw: st.DrawFn) -> DraftTree:
    """Any shape; every token is its node's own, so that siblings always differ."""
    size = draw(st.integers(0, 12))
    parents = tuple(draw(st.integers(0, node)) for node in range(size))
    return DraftTree(tuple(range(size)), parents, vocab_size=max(1, size))


def test_a_tree_says_who_stands_where() -> None:
    assert FORK.size == 5
    assert list(FORK.nodes) == [1, 2, 3, 4, 5]
    assert [FORK.children(node) for node in range(6)] == [(1, 2), (4,), (3,), (5,), (), ()]
    assert [FORK.depth(node) for node in range(6)] == [0, 1, 1, 2, 2, 3]
    assert FORK.leaves == (4, 5)
    assert FORK.height == 3


def test_a_path_runs_from_the_root_to_the_node() -> None:
    paths = [FORK.path(node) for node in range(6)]
    assert paths == [(), (2,), (0,), (0, 1), (2, 1), (0, 1, 0)]


def test_children_keep_the_order_in_which_they_stand() -> None:
    tree = DraftTree(tokens=(2, 0, 1), parents=(0, 0, 0), vocab_size=3)
    assert [tree.token(child) for child in tree.children(0)] == [2, 0, 1]


def test_the_absent_tree_is_legal() -> None:
    assert (ABSENT.size, ABSENT.height, ABSENT.leaves) == (0, 0, ())
    assert ABSENT.children(0) == ()
    assert ABSENT.path(0) == ()


def test_one_token_may_stand_under_two_parents() -> None:
    tree = DraftTree(tokens=(0, 1, 0, 0), parents=(0, 0, 1, 2), vocab_size=2)
    assert [tree.path(node) for node in (3, 4)] == [(0, 0), (1, 0)]


def test_a_tree_is_a_value_whatever_its_arguments_came_in() -> None:
    tree = DraftTree([np.int64(0), 1], np.array([0, 1]), vocab_size=np.int64(2))  # type: ignore[arg-type]
    assert tree == DraftTree((0, 1), (0, 1), 2)
    assert hash(tree) == hash(DraftTree((0, 1), (0, 1), 2))
    assert {type(number) for number in (*tree.tokens, *tree.parents, tree.vocab_size)} == {int}


@given(trees())
def test_a_path_is_the_parents_path_and_one_token(tree: DraftTree) -> None:
    for node in tree.nodes:
        assert tree.path(node) == (*tree.path(tree.parent(node)), tree.token(node))
        assert tree.depth(node) == len(tree.path(node))


@given(trees())
def test_every_node_is_the_child_of_its_parent_and_of_no_other(tree: DraftTree) -> None:
    pairs = [(parent, node) for parent in range(tree.size + 1) for node in tree.children(parent)]
    assert sorted(pairs) == sorted((tree.parent(node), node) for node in tree.nodes)


@given(trees())
def test_a_node_is_a_leaf_or_a_parent(tree: DraftTree) -> None:
    assert sorted({*tree.leaves} | {*tree.parents} - {0}) == list(tree.nodes)
    assert tree.height == max((tree.depth(leaf) for leaf in tree.leaves), default=0)


@pytest.mark.parametrize(
    ("tokens", "parents", "error", "message"),
    [
        ((0, 1), (0,), ShapeError, "2 tokens and 1 parents, expected one of each a node"),
        ((), (0,), ShapeError, "0 tokens and 1 parents, expected one of each a node"),
        (
            (0,),
            (1,),
            InvalidTreeError,
            "node 1 has the parent 1, expected a node before it: 0 to 0",
        ),
        (
            (0, 1),
            (2, 0),
            InvalidTreeError,
            "node 1 has the parent 2, expected a node before it: 0 to 0",
        ),
        (
            (0, 1),
            (0, -1),
            InvalidTreeError,
            "node 2 has the parent -1, expected a node before it: 0 to 1",
        ),
        ((0,), (0.0,), InvalidTreeError, "node 1 has the parent 0.0 (float), expected an integer"),
        (
            (0,),
            (False,),
            InvalidTreeError,
            "node 1 has the parent False (bool), expected an integer",
        ),
        (
            (1, 0, 0, 1),
            (0, 1, 0, 0),
            InvalidTreeError,
            "nodes 1 and 4, both children of node 0, have the token 1",
        ),
        ((0, 2), (0, 0), InvalidTokenError, "node 2: token 2, expected 0 to 1"),
        ((-1,), (0,), InvalidTokenError, "node 1: token -1, expected 0 to 1"),
        ((0.5,), (0,), InvalidTokenError, "node 1: token 0.5 (float), expected an integer"),
    ],
)
def test_a_malformed_tree_is_refused_by_node_and_value(
    tokens: tuple[int, ...], parents: tuple[int, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        DraftTree(tokens, parents, vocab_size=2)


@pytest.mark.parametrize("vocab_size", [0, -1, 2.0, True])
def test_a_vocabulary_has_at_least_one_token(vocab_size: int) -> None:
    with pytest.raises(InvalidParameterError, match=f"vocab_size is {vocab_size}"):
        DraftTree((), (), vocab_size)


@pytest.mark.parametrize("node", [-1, 6])
@pytest.mark.parametrize("question", ["token", "parent", "children", "depth", "path"])
def test_a_node_that_is_not_there_is_refused(question: str, node: int) -> None:
    with pytest.raises(InvalidTreeError, match=f"node {node}, expected 0 to 5"):
        getattr(FORK, question)(node)


@pytest.mark.parametrize("question", ["token", "parent"])
def test_the_root_has_neither_token_nor_parent(question: str) -> None:
    with pytest.raises(InvalidTreeError, match="node 0 is the root"):
        getattr(FORK, question)(0)
