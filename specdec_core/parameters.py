"""The checks that numbers go through at the boundary: parameters and tokens."""

import math
from fractions import Fraction

import numpy as np

from specdec_core.errors import InvalidParameterError, InvalidTokenError

_INTEGERS = (int, np.integer)  # a union would be built anew for every token


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


def require_fraction(
    value: object, name: str, *, minimum: Fraction | int, maximum: Fraction | int | None = None
) -> Fraction:
    """Return the value as a fraction, or raise `InvalidParameterError`.

    A float is the rational number that it is.

    Examples
    --------
    >>> require_fraction(0.25, "lenience", minimum=0, maximum=1)
    Fraction(1, 4)
    >>> require_fraction(2, "lenience", minimum=0, maximum=1)
    Traceback (most recent call last):
        ...
    specdec_core.errors.InvalidParameterError: lenience is 2, expected at most 1
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction | np.integer):
        raise InvalidParameterError(
            f"{name} is {value!r} ({type(value).__name__}), expected a fraction or a number"
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidParameterError(f"{name} is {value}, expected a finite number")
    fraction = Fraction(int(value) if isinstance(value, np.integer) else value)
    if fraction < minimum:
        raise InvalidParameterError(f"{name} is {value}, expected at least {minimum}")
    if maximum is not None and fraction > maximum:
        raise InvalidParameterError(f"{name} is {value}, expected at most {maximum}")
    return fraction


def require_positive_fraction(
    value: object, name: str, *, maximum: Fraction | int | None = None
) -> Fraction:
    """Return the value as a fraction above zero, or raise `InvalidParameterError`."""
    fraction = require_fraction(value, name, minimum=0, maximum=maximum)
    if not fraction:
        raise InvalidParameterError(f"{name} is {value}, expected more than 0")
    return fraction


def require_token(token: object, vocab_size: int, place: str) -> None:
    """Raise `InvalidTokenError` unless ``token`` is an integer in ``[0, vocab_size)``."""
    if isinstance(token, bool) or not isinstance(token, _INTEGERS):
        raise InvalidTokenError(
            f"{place}: token {token!r} ({type(token).__name__}), expected an integer"
        )
    if not 0 <= token < vocab_size:
        raise InvalidTokenError(f"{place}: token {token}, expected 0 to {vocab_size - 1}")
