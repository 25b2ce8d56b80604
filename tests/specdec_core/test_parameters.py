import numpy as np
import pytest

from specdec_core.errors import InvalidParameterError
from specdec_core.parameters import require_integer


@pytest.mark.parametrize("value", [2, 3, np.int64(2)])
def test_an_integer_at_or_above_the_minimum_is_returned_as_an_int(value: int) -> None:
    returned = require_integer(value, "width", minimum=2)
    assert returned == value
    assert type(returned) is int


@pytest.mark.parametrize("value", [1, -5, 2.0, True, "2", None])
def test_anything_else_is_refused_and_named(value: object) -> None:
    with pytest.raises(InvalidParameterError, match=f"width is {value!r}.*expected"):
        require_integer(value, "width", minimum=2)
