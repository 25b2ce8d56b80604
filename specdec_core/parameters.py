"""The check that every integer parameter goes through at the boundary."""

import numpy as np

from specdec_core.errors import InvalidParameterError


def require_integer(value: object, name: str, *, minimum: int) -> int:
    """Return the value as an int, or raise `InvalidParameterError`.

    Examples
    --------
    >>> require_integer(3, "depth", minimum=1)
    3
    >>> require_integer(0, "depth", minimum=1)
    Traceback (most recent call last):
        ...
    specdec_core.errors.InvalidParameterError: depth is 0, expected at least 1
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InvalidParameterError(
            f"{name} is {value!r} ({type(value).__name__}), expected an integer"
        )
    if value < minimum:
        raise InvalidParameterError(f"{name} is {value}, expected at least {minimum}")
    return int(value)
