"""Attributes that are replaced for a while, and everything else that holds what was there.

Someone who wrote ``from random import random`` holds the function under a name of his own, so every
module's names are searched for the objects that are replaced.  That is quick, and finds most of
them: only for what is held by others as well is all of memory searched (`holders`).
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any, NamedTuple

from specdec_verification.subjects.holders import Swap, swap


class Attribute(NamedTuple):
    """A name of a module or a class, and what is put there."""

    owner: Any
    name: str
    new: Any


class Replacement(NamedTuple):
    """What is put in the place of something else.

    Attributes
    ----------
    attributes : sequence of Attribute
        Wherever a module holds what was there, by whatever name, the new one is put too.
    swaps : sequence of Swap
        Objects with no place of their own: the new ones are put wherever the old ones are held.
    """

    attributes: Sequence[Attribute]
    swaps: Sequence[Swap] = ()


class _Place(NamedTuple):
    """Where a module or a class holds what is swapped."""

    owner: Any
    name: str
    swap: Swap


@contextmanager
def patched(attributes: Iterable[Attribute], swaps: Sequence[Swap] = ()) -> Iterator[None]:
    """Make replacements, and put everything back in the end."""
    named = [
        _Place(owner, name, Swap(getattr(owner, name), new)) for owner, name, new in attributes
    ]
    # No reference to a swapped object may be left in this frame: it would seem to be held.
    everything = {id(one.old): one for one in (*swaps, *(place.swap for place in named))}
    places = [*_also_held(everything), *named]
    inherited = {(id(owner), name) for owner, name, _ in places if name not in vars(owner)}
    try:
        for owner, name, one in places:
            setattr(owner, name, one.new)
        swap(swaps)
        yield
    finally:
        for owner, name, one in reversed(places):
            if (id(owner), name) in inherited:
                delattr(owner, name)
            else:
                setattr(owner, name, one.old)
        swap([Swap(new, old) for old, new in swaps], known=2)


def _also_held(by_id: Mapping[int, Swap]) -> Iterator[_Place]:
    """Yield the places where modules hold what is replaced."""
    for module in list(sys.modules.values()):
        if not isinstance(module, ModuleType) or _ours(module):
            continue
        if by_id.keys().isdisjoint(map(id, vars(module).values())):
            continue  # most hold nothing, and this is how to tell in no time
        for name, value in vars(module).items():
            if id(value) in by_id:
                yield _Place(module, name, by_id[id(value)])


def _ours(module: ModuleType) -> bool:
    return module.__name__.partition(".")[0] in ("specdec_verification", "specdec_grids")
