from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.distributions import point_mass
from specdec_core.errors import InvalidParameterError, ShapeError
from specdec_verification.testbed.recurrent import START, RecurrentModel
from specdec_verification.testbed.strategies import models

FIVE = RecurrentModel(tuple(point_mass(state, 5) for state in range(5)), stride=2)


def test_order_and_number_of_tokens_matter() -> None:
    states = {tokens: FIVE.after(START, tokens) for tokens in product(range(2), repeat=2)}
    assert len(set(states.values())) == 4


@given(models(3), st.integers(0, 2), st.lists(st.integers(0, 2), max_size=4))
def test_a_token_fed_too_much_stays_visible(
    model: RecurrentModel, token: int, tokens: list[int]
) -> None:
    before = {model.after(state, tokens) for state in range(len(model.rows))}
    assert len(before) == len(model.rows)  # feeding is one to one, so nothing is forgotten
    assert model.after(START, [*tokens, token]) == model.fed(model.after(START, tokens), token)


def test_what_would_forget_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="stride is 5, expected coprime to the 5"):
        RecurrentModel(FIVE.rows, stride=5)


def test_no_row_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="rows is empty"):
        RecurrentModel(())


def test_unequal_rows_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"rows\[1\] has 3 tokens"):
        RecurrentModel((point_mass(0, 2), point_mass(0, 3)))
