import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from specdec_core.batch_models import (
    CountedModel,
    ModelUse,
    ScoredContext,
    ask,
    batch_model,
    checked_context,
)
from specdec_core.distributions import Row
from specdec_core.errors import (
    InvalidDistributionError,
    InvalidScoresError,
    InvalidTokenError,
)
from specdec_core.models import Context

CONTEXTS: tuple[Context, ...] = ((), (0,), (1, 0))


def lengthwise(context: Context) -> Row:
    """Answer with a row that tells the lengths of the contexts apart."""
    return Row([1 / 2 ** len(context), 1 - 1 / 2 ** len(context)])


def answers(contexts: Sequence[Context]) -> list[ScoredContext]:
    return [ScoredContext(context, lengthwise(context)) for context in contexts]


def test_a_batch_model_asks_its_context_model_for_each_context_in_turn() -> None:
    asked: list[Context] = []

    def model(context: Context) -> Row:
        asked.append(context)
        return lengthwise(context)

    assert list(batch_model(model)(CONTEXTS)) == answers(CONTEXTS)
    assert asked == list(CONTEXTS)


def test_ask_returns_the_rows_in_the_order_asked() -> None:
    assert ask(batch_model(lengthwise), CONTEXTS) == tuple(map(lengthwise, CONTEXTS))


def test_ask_calls_the_model_once_even_for_no_context() -> None:
    model = CountedModel(batch_model(lengthwise))
    assert ask(model, ()) == ()
    assert model.use == ModelUse(batches=1, queries=0)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda right: right[::-1], "target: answer 0 is for the context '1,0', expected ''"),
        (lambda right: right[:2], "target: 2 answers, expected one for each of 3 contexts"),
        (lambda right: [], "target: 0 answers, expected one for each of 3 contexts"),
        (
            lambda right: [*right, right[0]],
            "target: 4 answers, expected one for each of 3 contexts",
        ),
        (
            lambda right: [right[0], *right[2:]],
            "target: answer 1 is for the context '1,0', expected '0'",
        ),
        (
            lambda right: [right[0], ScoredContext((0, 1), right[1].row), right[2]],
            "target: answer 1 is for the context '0,1', expected '0'",
        ),
        (
            lambda right: [answer.row for answer in right],
            "target: answer 0 is a Row, expected a ScoredContext",
        ),
    ],
    ids=["wrong order", "missing last", "missing all", "extra", "missing one", "wrong", "bare"],
)
def test_answers_out_of_place_are_refused(
    spoil: Callable[[list[ScoredContext]], Any], message: str
) -> None:
    with pytest.raises(InvalidScoresError, match=f"^{re.escape(message)}$"):
        ask(lambda contexts: spoil(answers(contexts)), CONTEXTS, "target")


def test_a_row_that_does_not_hold_its_own_context_is_refused() -> None:
    with pytest.raises(
        InvalidTokenError, match="target: the context '0,2': token 2, expected 0 to 1"
    ):
        ask(batch_model(lengthwise), [(0, 2)], "target")


def test_a_scored_context_is_checked_and_immutable() -> None:
    answer = ScoredContext([1, 0], np.array([0.25, 0.75]))  # type: ignore[arg-type]
    assert answer == ScoredContext((1, 0), Row([0.25, 0.75]))
    assert hash(answer) == hash(ScoredContext((1, 0), Row([0.25, 0.75])))


def test_a_scored_context_whose_row_is_no_distribution_is_refused() -> None:
    with pytest.raises(
        InvalidDistributionError, match=r"the row of the context '1,0' sums to 0\.5"
    ):
        ScoredContext((1, 0), [0.25, 0.25])  # type: ignore[arg-type]


@pytest.mark.parametrize("context", [(), (0, 5), [3, 1], np.array([3, 1])])
def test_a_context_of_tokens_becomes_a_tuple_of_ints(context: Sequence[int]) -> None:
    checked = checked_context(context)
    assert checked == tuple(context)
    assert {type(token) for token in checked} <= {int}


@pytest.mark.parametrize("token", [-1, 0.0, True, "1", None])
def test_a_context_of_anything_else_is_refused(token: int) -> None:
    with pytest.raises(InvalidTokenError, match=re.escape(f"prompt[1]: token {token!r}")):
        checked_context((0, token))


def test_a_counted_model_counts_and_changes_nothing() -> None:
    model = CountedModel(answers)
    assert model.use == ModelUse(batches=0, queries=0)
    assert model(CONTEXTS) == answers(CONTEXTS)
    assert model(CONTEXTS[:1]) == answers(CONTEXTS[:1])
    assert model.use == ModelUse(batches=2, queries=4)
