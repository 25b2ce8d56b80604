import re

import numpy as np
import pytest

from specdec_core.distributions import Row
from specdec_core.errors import (
    InvalidParameterError,
    InvalidTokenError,
    MissingContextError,
    ShapeError,
)
from specdec_core.models import ConstantModel, Context, TableModel, context_key

HALVES, FIRST, SECOND = Row([0.5, 0.5]), Row([1.0, 0.0]), Row([0.0, 1.0])


def test_a_table_answers_each_context_with_its_own_row() -> None:
    model = TableModel({(): HALVES, (0,): FIRST, (1,): SECOND, (0, 1): SECOND})
    assert [model(context) for context in ((), (0,), (1,), (0, 1))] == [
        HALVES,
        FIRST,
        SECOND,
        SECOND,
    ]
    assert model.vocab_size == 2


@pytest.mark.parametrize("context", [(), (1, 0), (0, 0)])
def test_a_context_that_is_missing_is_an_error_and_never_a_default(context: Context) -> None:
    model = TableModel({(0,): FIRST}, "target")
    message = f"target has no row for the context '{context_key(context)}'"
    with pytest.raises(MissingContextError, match=f"^{re.escape(message)}$"):
        model(context)


def test_a_missing_context_is_caught_as_a_lookup_error() -> None:
    with pytest.raises(LookupError):
        TableModel({(): HALVES})((0,))


def test_a_table_is_deaf_to_later_changes_of_the_mapping() -> None:
    table = {(): HALVES}
    model = TableModel(table)
    table[()] = FIRST
    table[0,] = FIRST
    assert dict(model.table) == {(): HALVES}


def test_a_table_cannot_be_changed() -> None:
    model = TableModel({(): HALVES})
    with pytest.raises(TypeError):
        model.table[()] = FIRST  # type: ignore[index]


def test_tables_are_equal_as_values_whatever_they_are_called() -> None:
    assert TableModel({(): HALVES}, "a") == TableModel({(): HALVES}, "b")
    assert TableModel({(): HALVES}, "a") != TableModel({(): FIRST}, "a")


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(ShapeError, match=r"^draft holds no row, expected at least one$"):
        TableModel({}, "draft")


def test_a_table_is_over_one_vocabulary() -> None:
    message = "draft['1'] has 3 tokens, but draft[''] has 2"
    with pytest.raises(ShapeError, match=f"^{re.escape(message)}$"):
        TableModel({(): HALVES, (0,): FIRST, (1,): Row([1, 0, 0])}, "draft")


@pytest.mark.parametrize(
    ("context", "key", "message"),
    [
        ((2,), "2", "token 2, expected 0 to 1"),
        ((0, 2), "0,2", "token 2, expected 0 to 1"),
        ((-1,), "-1", "token -1, expected 0 to 1"),
        ((True,), "True", "token True (bool), expected an integer"),
        ((0.0,), "0.0", "token 0.0 (float), expected an integer"),
        (("0",), "0", "token '0' (str), expected an integer"),
    ],
)
def test_a_context_lies_in_the_vocabulary(context: Context, key: str, message: str) -> None:
    expected = f"the context of model['{key}']: {message}"
    with pytest.raises(InvalidTokenError, match=f"^{re.escape(expected)}$"):
        TableModel({context: HALVES})


def test_numpys_integers_are_tokens() -> None:
    assert TableModel({(np.int64(1),): HALVES})((1,)) == HALVES


@pytest.mark.parametrize("context", [(), (0,), (1, 1, 1)])
def test_a_constant_model_answers_every_context_alike(context: Context) -> None:
    model = ConstantModel(FIRST)
    assert model(context) is FIRST
    assert model.vocab_size == 2


@pytest.mark.parametrize(("context", "key"), [((), ""), ((7,), "7"), ((0, 12, 3), "0,12,3")])
def test_a_key_is_the_tokens_joined_by_commas(context: Context, key: str) -> None:
    assert context_key(context) == key


def test_a_list_is_no_context() -> None:
    model = TableModel({(): Row([0.5, 0.5])}, name="draft")
    with pytest.raises(
        InvalidParameterError, match=r"draft: the context is \[\] \(list\), expected a"
    ):
        model([])  # type: ignore[arg-type]
