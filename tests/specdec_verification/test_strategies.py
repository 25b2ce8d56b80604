"""What the strategies promise: everything valid, the rare common, and small examples first."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample
from hypothesis.strategies import SearchStrategy

from specdec_core.distributions import FLOAT_TOLERANCE, Row
from specdec_core.draws import checked_draws
from specdec_core.instances import Instance
from specdec_core.models import TableModel
from specdec_core.rules import RULES, Rule
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_core.trees import DraftTree
from specdec_grids.generated import contexts
from specdec_verification.strategies import (
    BOUNDARY_DRAWS,
    LARGEST_DRAW,
    RowsOver,
    draws,
    float_rows,
    instances,
    row_pairs,
    rows,
    table_models,
    trees,
)

Example = TypeVar("Example")


def is_common(strategy: SearchStrategy[Example], shows: Callable[[Example], bool]) -> bool:
    """Return whether something shows among the first hundred examples."""
    first = settings(max_examples=100, derandomize=True, database=None, phases=[Phase.generate])
    try:
        find(strategy, shows, settings=first)
    except NoSuchExample:
        return False
    return True


def simplest(strategy: SearchStrategy[Example], shows: Callable[[Example], bool]) -> Example:
    """Return what Hypothesis would report of a test that fails where this shows."""
    return find(
        strategy, shows, settings=settings(max_examples=2_000, derandomize=True, database=None)
    )


def exact(*probs: str) -> Row:
    return Row(map(Fraction, probs))


def one_hot(row: Row) -> bool:
    return len(row.support) == 1


def disjoint(pair: tuple[Row, Row]) -> bool:
    return not {*pair[0].support} & {*pair[1].support}


@given(st.data(), st.integers(1, 5), st.integers(1, 9))
def test_exact_rows_are_over_the_vocabulary_with_small_denominators(
    data: st.DataObject, vocab_size: int, max_denominator: int
) -> None:
    row = data.draw(rows(vocab_size, max_denominator))
    assert row.exact
    assert row.vocab_size == vocab_size
    assert max(prob.denominator for prob in row) <= max_denominator


@given(st.integers(1, 5).flatmap(lambda size: st.tuples(st.just(size), float_rows(size))))
def test_floating_rows_are_over_the_vocabulary(example: tuple[int, Row]) -> None:
    vocab_size, row = example
    assert not row.exact
    assert row.vocab_size == vocab_size
    assert Row(list(row)) == row


@pytest.mark.parametrize(
    "shows",
    [
        lambda row: 0 in row,
        lambda row: len(set(row)) < len(row),
        lambda row: len(set(row)) == len(row),
        lambda row: 0 not in row,
        one_hot,
    ],
    ids=["zero", "tie", "no tie", "no zero", "one-hot"],
)
@pytest.mark.parametrize("rows_over", [rows, float_rows])
def test_zeros_and_ties_are_common_and_so_is_their_absence(
    rows_over: RowsOver, shows: Callable[[Row], bool]
) -> None:
    assert is_common(rows_over(3), shows)


@pytest.mark.parametrize(
    "shows",
    [
        lambda row: row.cumulative[-1] < 1,
        lambda row: row.cumulative[-1] > 1,
        lambda row: row.cumulative[-1] <= 1 - FLOAT_TOLERANCE / 4,
        lambda row: 0 < min(filter(None, row)) < 2.0**-50,
    ],
    ids=["short of one", "above one", "far short of one", "a tiny probability"],
)
def test_badly_rounded_rows_are_common(shows: Callable[[Row], bool]) -> None:
    assert is_common(float_rows(3), shows)


@pytest.mark.parametrize(
    "shows",
    [
        lambda pair: pair[0] == pair[1],
        disjoint,
        lambda pair: one_hot(pair[0]) and not one_hot(pair[1]),
        lambda pair: one_hot(pair[1]) and not one_hot(pair[0]),
        lambda pair: 0 not in pair[0] and 0 not in pair[1] and pair[0] != pair[1],
    ],
    ids=["equal", "disjoint", "one-hot target", "one-hot draft", "two spread rows"],
)
@pytest.mark.parametrize("rows_over", [rows, float_rows])
def test_the_pairs_that_matter_are_common(
    rows_over: RowsOver, shows: Callable[[tuple[Row, Row]], bool]
) -> None:
    assert is_common(row_pairs(3, rows_over), shows)


@given(st.data(), st.integers(1, 4), st.sampled_from([rows, float_rows]))
def test_pairs_are_over_one_vocabulary_and_of_one_kind(
    data: st.DataObject, vocab_size: int, rows_over: RowsOver
) -> None:
    target, draft = data.draw(row_pairs(vocab_size, rows_over))
    assert target.vocab_size == draft.vocab_size == vocab_size
    assert target.exact == draft.exact == (rows_over is rows)


@given(st.integers(0, 5).flatmap(lambda n: st.tuples(st.just(n), draws(n))))
def test_draws_are_as_many_as_asked_for_and_in_the_half_open_interval(
    example: tuple[int, tuple[float | Fraction, ...]],
) -> None:
    n, values = example
    assert len(values) == n
    assert checked_draws(values) == values
    assert {type(value) for value in values} <= {float, Fraction}


@pytest.mark.parametrize(
    "shows",
    [
        *(lambda values, draw=draw: draw in values for draw in BOUNDARY_DRAWS),
        lambda values: any(isinstance(value, Fraction) for value in values),
        lambda values: all(value * 2**24 == int(value * 2**24) for value in values[:1]),
    ],
    ids=[*map(str, BOUNDARY_DRAWS), "fraction", "torch"],
)
def test_the_draws_that_matter_are_common(shows: Callable[[tuple[Any, ...]], bool]) -> None:
    assert is_common(draws(6), shows)


@given(st.data(), st.integers(1, 3), st.integers(0, 5), st.integers(1, 3))
def test_trees_keep_to_their_bounds(
    data: st.DataObject, vocab_size: int, max_size: int, max_depth: int
) -> None:
    tree = data.draw(trees((vocab_size,), max_size, max_depth))
    assert isinstance(tree, DraftTree)
    assert tree.vocab_size == vocab_size
    assert tree.size <= max_size
    assert tree.height <= max_depth


@pytest.mark.parametrize(
    "shows",
    [
        lambda tree: tree.height == 3,
        lambda tree: len(tree.children(0)) > 1,
        lambda tree: any(len(tree.children(node)) > 1 for node in tree.nodes),
        lambda tree: tree.tokens != tuple(sorted(tree.tokens)),
        lambda tree: tree.parents != tuple(sorted(tree.parents)),
    ],
    ids=["deep", "wide", "wide below", "tokens out of order", "depth first"],
)
def test_trees_have_many_shapes(shows: Callable[[DraftTree], bool]) -> None:
    assert is_common(trees(), shows)


def test_the_absent_tree_is_among_them() -> None:
    assert find(trees(), lambda tree: tree.size == 0) == DraftTree((), (), 1)


@given(table_models(2, 3))
def test_a_model_holds_every_context_up_to_its_depth(model: TableModel) -> None:
    assert list(model.table) == list(contexts(2, 3))
    assert model.vocab_size == 2


@pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])
@settings(max_examples=settings.default.max_examples // 8)
@given(data=st.data())
def test_an_instance_has_all_that_a_rule_needs(rule: Rule[Any], data: st.DataObject) -> None:
    instance = data.draw(instances(rule))
    assert instance.parameters.keys() == rule.parameters.keys()
    for name, value in instance.parameters.items():
        assert value in rule.parameters[name]
    needed = list(contexts(instance.vocab_size, rule.horizon(instance)))
    for model in (instance.target, *instance.drafts):
        assert [model(context).vocab_size for context in needed] == [instance.vocab_size] * len(
            needed
        )


@given(instances(TokenRejectionBonus(), {"gamma": (0,)}, vocab_sizes=(4,), rows_over=float_rows))
def test_an_instance_has_the_parameters_sizes_and_rows_that_were_asked_for(
    instance: Instance,
) -> None:
    assert instance.label == "V=4 gamma=0"
    assert list(instance.target.table) == [()]
    assert not instance.target(()).exact


class ManyDrafters(TokenRejection):
    """A rule that takes as many draft models as its parameter says."""

    @property
    def parameters(self) -> dict[str, tuple[int, ...]]:
        return {"gamma": (1,), "drafters": (3,)}


@given(instances(ManyDrafters()))
def test_an_instance_has_as_many_draft_models_as_the_rule_wants(instance: Instance) -> None:
    assert len(instance.drafts) == 3


@pytest.mark.parametrize(
    "shows",
    [
        lambda i: i.vocab_size > 1 and i.target((0,)) != i.target((1,)),
        lambda i: i.vocab_size > 1 and i.draft((0,)) != i.draft((1,)),
        lambda i: i.vocab_size == 1,
        lambda i: any(i.target(context) == i.draft(context) for context in i.target.table),
        lambda i: any(i.target(context) != i.draft(context) for context in i.target.table),
    ],
    ids=["target depends", "draft depends", "one token", "equal rows", "unequal rows"],
)
def test_instances_depend_on_the_context(shows: Callable[[Instance], bool]) -> None:
    assert is_common(instances(TokenRejection(), {"gamma": (2,)}), shows)


@pytest.mark.parametrize(
    ("strategy", "shows", "expected"),
    [
        (rows(3), lambda row: True, exact("1", "0", "0")),
        (rows(3), lambda row: len(row.support) == 2, exact("1/2", "1/2", "0")),
        (rows(3), all, exact("1/3", "1/3", "1/3")),
        (float_rows(3), lambda row: True, Row([1.0, 0.0, 0.0])),
        (float_rows(3), lambda row: sum(row) < 1, Row([1 - 2.0**-31, 0.0, 0.0])),
        (row_pairs(3), lambda pair: True, (exact("1", "0", "0"), exact("1", "0", "0"))),
        (row_pairs(3), lambda p: p[0] != p[1], (exact("1", "0", "0"), exact("0", "1", "0"))),
        (draws(3), lambda values: True, (0.0, 0.0, 0.0)),
        (draws(2), lambda values: values[1] > 0.5, (0.0, LARGEST_DRAW)),
        (trees(), lambda tree: True, DraftTree((), (), 1)),
        (trees(), lambda tree: tree.height == 2, DraftTree((0, 0), (0, 1), 1)),
        (trees(), lambda tree: len(tree.leaves) == 2, DraftTree((0, 1), (0, 0), 2)),
    ],
)
def test_examples_shrink_to_the_smallest(
    strategy: SearchStrategy[Any], shows: Callable[[Any], bool], expected: object
) -> None:
    assert simplest(strategy, shows) == expected


def test_an_instance_shrinks_to_one_that_can_be_followed_by_hand() -> None:
    """Here of a fault that needs a context: the second row is not that of the first position."""
    found = simplest(
        instances(TokenRejection()),
        lambda i: len(i.target.table) > 1 and i.target(()) != i.target((0,)) != i.draft((0,)),
    )
    assert found.label == "V=2 gamma=2"
    assert {prob for row in found.target.table.values() for prob in row} == {0, 1}
