from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.distributions import Row
from specdec_core.errors import InvalidParameterError, InvalidTokenError, ShapeError
from specdec_verification.testbed.cases import ServingCase, lifted
from specdec_verification.testbed.grammar import Grammar
from specdec_verification.testbed.requests import Constraints, Limits


def test_rounds_are_as_many_as_the_longest_answer(case: ServingCase) -> None:
    assert case.rounds == 2


def test_a_row_is_lifted_to_the_tokens_that_its_ids_mean() -> None:
    row = Row([Fraction(1, 4), Fraction(3, 4)])
    assert lifted(row, (3, 1), 4) == Row([Fraction(0), Fraction(3, 4), Fraction(0), Fraction(1, 4)])


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        ((0,), ShapeError, "draft_ids has 1 tokens, but draft has 2"),
        ((0, 2), InvalidTokenError, "draft_ids: token 2, expected 0 to 1"),
        ((1, 1), InvalidParameterError, r"draft_ids is \(1, 1\), expected no token twice"),
    ],
)
def test_a_map_that_maps_nothing_is_refused(
    case: ServingCase, ids: tuple[int, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        replace(case, draft_ids=ids)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"prompt": (2,)}, InvalidTokenError, r"requests\[0\]: token 2, expected 0 to 1"),
        ({"limits": Limits(1, frozenset({2}))}, InvalidTokenError, "token 2"),
        ({"limits": Limits(1, stop_sequences=((0, 2),))}, InvalidTokenError, "token 2"),
        ({"constraints": Constraints(banned=frozenset({2}))}, InvalidTokenError, "token 2"),
        ({"constraints": Constraints((Fraction(2),))}, ShapeError, "over 1 tokens"),
        ({"grammar": Grammar(((0, 0, 0),))}, ShapeError, "over 3 tokens, but target has 2"),
    ],
)
def test_a_request_over_another_vocabulary_is_refused(
    case: ServingCase, changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        replace(case, requests=(replace(case.requests[0], **changes),))


def test_equal_seeds_are_refused(case: ServingCase) -> None:
    with pytest.raises(InvalidParameterError, match="2 requests have the seed 7"):
        replace(case, requests=(case.requests[1],) * 2)


def test_no_request_is_refused(case: ServingCase) -> None:
    with pytest.raises(InvalidParameterError, match="requests is empty"):
        replace(case, requests=())
