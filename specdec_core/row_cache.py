"""A cache for pure functions of rows.

Path splitting asks for the same few residuals and plans on every path, and a function of rows is
slow where the rows are fractions.  An exact row and a floating one can be equal, but what is
computed from them is of two kinds; so the kinds are part of the key.
"""

from collections.abc import Callable, Hashable
from functools import lru_cache, wraps
from typing import TypeVar

from specdec_core.distributions import Row

Value = TypeVar("Value")


def cached_on_rows(function: Callable[..., Value]) -> Callable[..., Value]:
    """Return the function with a cache; its arguments are hashable and positional.

    Examples
    --------
    >>> first = cached_on_rows(lambda row: row[0])
    >>> first(Row([1, 0])), first(Row([1.0, 0.0]))
    (Fraction(1, 1), 1.0)
    """

    @lru_cache(maxsize=1 << 14)
    def cached(kinds: tuple[bool, ...], *arguments: Hashable) -> Value:
        return function(*arguments)

    @wraps(function)
    def ask(*arguments: Hashable) -> Value:
        kinds = tuple(argument.exact for argument in arguments if isinstance(argument, Row))
        return cached(kinds, *arguments)

    return ask
