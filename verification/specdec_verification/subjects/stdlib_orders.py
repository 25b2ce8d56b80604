"""What Python picks and puts in order, on symbols: ``max``, ``min``, ``sorted``, `heapq`'s few.

Python's own compare two items after another, each time with what came of the comparison before:
among symbols that would be a race over noise that has raced.  Here it is one race, or one after
another among those left.  Where there are no two symbols, the real functions answer.

Not here: ``list.sort`` and a heap of symbols, which are written in C and hold their races alone.
"""

from collections.abc import Callable, Iterable
from typing import Any

from specdec_verification.subjects.curves import Item
from specdec_verification.subjects.noise import Symbol
from specdec_verification.subjects.races import ascending, ranking, winner

Key = Callable[[Any], Any] | None
"""What items are compared by; themselves, if it is none."""


def extreme(real: Callable[..., Any], largest: bool) -> Callable[..., Any]:
    """Return `max` or `min`."""

    def function(*items: Item, key: Key = None, **default: Item) -> Item:
        if len(items) > 1 and key is None and not any(isinstance(item, Symbol) for item in items):
            return real(*items)
        listed, values = _keyed(items if len(items) > 1 else items[0], key)
        symbols = [value for value in values if isinstance(value, Symbol)]
        if len(symbols) > 1:
            return listed[winner(values, largest=largest)]
        if key is None and len(symbols) == 1 < len(listed):
            bound = real(value for value in values if not isinstance(value, Symbol))
            return symbols[0].at_least(bound) if largest else symbols[0].at_most(bound)
        if not listed:
            return real(listed, **default)
        return listed[real(range(len(values)), key=values.__getitem__)]

    return function


def in_order(real: Callable[..., Any]) -> Callable[..., Any]:
    """Return `sorted`: every order of symbols is a path."""

    def function(items: Iterable[Item], /, *, key: Key = None, reverse: bool = False) -> Item:
        listed, values = _keyed(items, key)
        if _racing(values):
            places = ascending(values)[:: -1 if reverse else 1]
        else:
            places = real(range(len(values)), key=values.__getitem__, reverse=reverse)
        return [listed[place] for place in places]

    return function


def first_few(real: Callable[..., Any], largest: bool) -> Callable[..., Any]:
    """Return `heapq.nlargest` or `heapq.nsmallest`, which rank no more than are asked for."""

    def function(n: int, iterable: Iterable[Item], key: Key = None) -> Item:
        listed, values = _keyed(iterable, key)
        if _racing(values):
            places = ranking(values, largest=largest, count=max(n, 0))
        else:
            places = real(n, range(len(values)), key=values.__getitem__)
        return [listed[place] for place in places]

    return function


def _keyed(items: Iterable[Item], key: Key) -> tuple[list[Any], list[Any]]:
    """Return the items, and what they are compared by."""
    listed = list(items)
    return listed, listed if key is None else list(map(key, listed))


def _racing(values: list[Any]) -> bool:
    return sum(isinstance(value, Symbol) for value in values) > 1
