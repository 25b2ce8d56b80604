import math
import re
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from specdec_core.errors import InvalidParameterError, InvalidTokenError
from specdec_core.parameters import (
    require_fraction,
    require_integer,
    require_positive_fraction,
    require_token,
)


@pytest.mark.parametrize("value", [2, 3, np.int64(2)])
def test_an_integer_at_or_above_the_minimum_is_returned_as_an_int(value: int) -> None:
    returned = require_integer(value, "width", minimum=2)
    assert returned == value
    assert type(returned) is int


@pytest.mark.parametrize("value", [1, -5, 2.0, True, "2", None])
def test_anything_else_is_refused_and_named(value: object) -> None:
    with pytest.raises(InvalidParameterError, match=f"width is {value!r}.*expected"):
        require_integer(value, "width", minimum=2)


@pytest.mark.parametrize(
    ("value", "fraction"),
    [(0, "0"), (1, "1"), (0.25, "1/4"), (Fraction(1, 3), "1/3"), (np.int64(1), "1")],
    ids=str,
)
def test_a_fraction_within_its_bounds_is_returned_exact(value: object, fraction: str) -> None:
    returned = require_fraction(value, "lenience", minimum=0, maximum=1)
    assert returned == Fraction(fraction)
    assert type(returned) is Fraction


def test_a_fraction_need_have_no_maximum() -> None:
    assert require_fraction(10**9, "rho", minimum=1) == 10**9


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (-1, "lenience is -1, expected at least 0"),
        (Fraction(-1, 3), "lenience is -1/3, expected at least 0"),
        (1.5, "lenience is 1.5, expected at most 1"),
        (math.nan, "lenience is nan, expected a finite number"),
        (-math.inf, "lenience is -inf, expected a finite number"),
        (True, "lenience is True (bool), expected a fraction or a number"),
        ("1/2", "lenience is '1/2' (str), expected a fraction or a number"),
        (None, "lenience is None (NoneType), expected a fraction or a number"),
    ],
)
@pytest.mark.parametrize("require", [require_fraction, require_positive_fraction])
def test_another_fraction_is_refused_and_named(
    require: Callable[..., Fraction], value: object, message: str
) -> None:
    bounds = (
        {"maximum": 1} if require is require_positive_fraction else {"minimum": 0, "maximum": 1}
    )
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(message)}$"):
        require(value, "lenience", **bounds)


@pytest.mark.parametrize("value", [0, 0.0, Fraction(0)])
def test_a_positive_fraction_is_not_zero(value: object) -> None:
    with pytest.raises(InvalidParameterError, match=f"^rho is {value}, expected more than 0$"):
        require_positive_fraction(value, "rho")


def test_a_positive_fraction_is_returned_exact() -> None:
    assert require_positive_fraction(5e-324, "rho") == Fraction(5e-324)


@pytest.mark.parametrize("token", [0, 2, np.int64(1)])
def test_a_token_in_the_vocabulary_is_let_through(token: object) -> None:
    require_token(token, 3, "node 1")


@pytest.mark.parametrize(
    ("token", "message"),
    [
        (3, "token 3, expected 0 to 2"),
        (-1, "token -1, expected 0 to 2"),
        (True, "token True (bool), expected an integer"),
        (1.0, "token 1.0 (float), expected an integer"),
        ("1", "token '1' (str), expected an integer"),
        (None, "token None (NoneType), expected an integer"),
    ],
)
def test_another_token_is_refused_and_named(token: object, message: str) -> None:
    with pytest.raises(InvalidTokenError, match=f"^node 1: {re.escape(message)}$"):
        require_token(token, 3, "node 1")
