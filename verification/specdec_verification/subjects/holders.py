"""Where objects are held, and other ones put in their place while code is followed.

A generator that was made before an exploration is held somewhere: by a module, a class, an
instance, a closure, a default argument, a list; or one of its methods is, as after
``draw = rng.random``.  What modules hold by name is put elsewhere (`patching`); all others are
found by the garbage collector, and hold a followed generator until the exploration ends.

Not here: what cannot be changed and nobody who can holds (a `functools.partial`, a frozenset).
What is held there stays, and whoever put it there has to watch it.
"""

import gc
import sys
from collections.abc import Container, Mapping, Sequence
from itertools import compress
from types import BuiltinMethodType, CellType, FunctionType, MemberDescriptorType, MethodType
from typing import Any, NamedTuple


class Swap(NamedTuple):
    """An object, and what is put in its place."""

    old: Any
    new: Any


def existing(kinds: Container[type]) -> list[Any]:
    """Return every object whose type is exactly one of some kinds."""
    objects = gc.get_objects()  # hundreds of thousands: looked through without a loop of Python's
    return list(compress(objects, map(kinds.__contains__, map(type, objects))))


def methods_of(owners: Sequence[Any], held: Sequence[Any]) -> list[Any]:
    """Return the bound methods of some objects, of all that are held."""
    wanted = set(map(id, owners))
    kinds = (MethodType, BuiltinMethodType)
    return [one for one in held if isinstance(one, kinds) and id(one.__self__) in wanted]


def swap(swaps: Sequence[Swap], known: int = 1) -> None:
    """Put other objects wherever some are held.

    All of memory is searched for who holds them, and only if anyone does.

    Parameters
    ----------
    swaps : sequence of Swap
        What to put in the place of what.
    known : int
        How many references to each old object are not to be changed: its swaps'.
    """
    swaps = [one for one in swaps if sys.getrefcount(one.old) > known + _OF_THE_COUNT]
    by_id = {id(old): new for old, new in swaps}
    held = [old for old, _ in swaps]
    holders = _holders(held)
    tuples = [holder for holder in holders if type(holder) is tuple]
    for holder in holders:
        _put(holder, by_id)
    # A tuple cannot be changed, but another one can be put in its place.
    others = {id(old): tuple(by_id.get(id(item), item) for item in old) for old in tuples}
    for holder in _holders(tuples):
        _put(holder, others)


_OF_THE_COUNT = 1
"""References to an object from the function that counts them."""


def _holders(held: list[Any]) -> list[Any]:
    return [one for one in gc.get_referrers(*held) if one is not held] if held else []


def _put(holder: Any, by_id: Mapping[int, Any]) -> None:  # noqa: ANN401  (whatever holds one)
    if isinstance(holder, CellType):
        holder.cell_contents = by_id[id(holder.cell_contents)]
    elif isinstance(holder, list):
        holder[:] = [by_id.get(id(item), item) for item in holder]
    elif isinstance(holder, dict):
        _put_into_names(holder, {k: by_id[id(v)] for k, v in holder.items() if id(v) in by_id})
    elif isinstance(holder, FunctionType):
        if id(holder.__defaults__) in by_id:
            holder.__defaults__ = by_id[id(holder.__defaults__)]
    else:
        for name in _attributes(holder):
            if id(getattr(holder, name, None)) in by_id:
                object.__setattr__(holder, name, by_id[id(getattr(holder, name))])


def _put_into_names(names: dict[Any, Any], changed: Mapping[Any, Any]) -> None:
    """Change a dictionary; if it is a class's, by way of the class, which remembers its names."""
    owner = _class_of(names) if "__module__" in names else None
    if owner is None:
        names.update(changed)
        return
    for name, new in changed.items():
        setattr(owner, name, new)


def _class_of(names: dict[Any, Any]) -> type | None:
    """Return the class that a dictionary belongs to, if it belongs to one."""
    named = getattr(names.get("__dict__"), "__objclass__", None)
    if named is not None:
        return named  # type: ignore[no-any-return]
    owners = gc.get_referrers(names)  # a class that inherits its `__dict__`: all of memory tells
    return next((one for one in owners if isinstance(one, type)), None)


def _attributes(holder: Any) -> list[str]:  # noqa: ANN401
    """Return the names of what an instance holds, in its dictionary or in slots."""
    slots = [
        name
        for owner in type(holder).__mro__
        for name, value in vars(owner).items()
        if isinstance(value, MemberDescriptorType) and "__slots__" in vars(owner)
    ]
    return [*slots, *getattr(holder, "__dict__", ())]
