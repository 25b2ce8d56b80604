"""The run at hand: where the replaced functions of a library find the draws to hand out.

A library (the standard one, numpy, torch) is patched once for a whole exploration and restored
when it ends, however it ends.  While a run goes on, `current` is its draws.  After each run the
states of the library's real generators are compared: one that moved was drawn from behind our
back, and the law found would miss its randomness.
"""

import gc
import math
import signal
import sys
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from types import CellType, ModuleType
from typing import Any, NoReturn

from specdec_core.errors import NondeterminismError, OpaqueDrawError
from specdec_verification.subjects.streams import StreamDraws


@dataclass(frozen=True, slots=True)
class Library:
    """A source of randomness that subjects draw from.

    Attributes
    ----------
    name : str
        As `specdec-verify subjects` lists it.
    needs : str
        The module that must be there; it is patched only if someone has imported it.
    understood : str
        What of it is followed, for people.
    replaced : callable
        From the running exploration to a context in which its functions give symbols.
    state : callable
        Returns the states of its real generators, to be compared with ``==``.
    """

    name: str
    needs: str
    understood: str
    replaced: Callable[[], AbstractContextManager[None]]
    state: Callable[[], Hashable]


@dataclass(slots=True)
class _Running:
    """The draws of the run at hand, and the thread that it runs in."""

    draws: StreamDraws
    thread: int


_RUNNING: list[_Running] = []


def current() -> StreamDraws:
    """Return the draws of the run at hand.

    Raises
    ------
    OpaqueDrawError
        If none is going on, or another thread asks: in which order threads draw is not ours.
    """
    if not _RUNNING:
        raise OpaqueDrawError("a symbolic generator was used after its exploration had ended")
    running = _RUNNING[-1]
    if running.thread != threading.get_ident():
        raise OpaqueDrawError(
            "a draw in another thread: threads draw in an order that cannot be followed"
        )
    return running.draws


@contextmanager
def running(draws: StreamDraws) -> Iterator[None]:
    """Make draws the current ones."""
    _RUNNING.append(_Running(draws, threading.get_ident()))
    try:
        yield
    finally:
        _RUNNING.pop()


class TookTooLong(BaseException):
    """A run that was stopped; no ``except Exception`` of the user's catches it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Stop what runs inside after so many seconds, by `TookTooLong`.

    Python stops only its main thread, and only between two of its own steps: elsewhere there is
    no limit.
    """
    if seconds == math.inf or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _stop(number: int, frame: object) -> NoReturn:
    raise TookTooLong


@contextmanager
def replacing(libraries: Sequence[Library]) -> Iterator[None]:
    """Patch every library, and restore them all in the end."""
    with ExitStack() as stack:
        for library in libraries:
            stack.enter_context(library.replaced())
        yield


def states(libraries: Sequence[Library]) -> tuple[Hashable, ...]:
    """Return the states of every library's real generators."""
    return tuple(library.state() for library in libraries)


def require_untouched(libraries: Sequence[Library], before: tuple[Hashable, ...]) -> None:
    """Raise `NondeterminismError` if a real generator is not where it was."""
    for library, one, other in zip(libraries, before, states(libraries), strict=True):
        if one != other:
            raise NondeterminismError(
                f"a run drew from a real generator of {library.name}, behind the functions that "
                "are replaced: its randomness is hidden"
            )


@contextmanager
def patched(replacements: Mapping[tuple[Any, str], Any]) -> Iterator[None]:
    """Set attributes of modules and classes, and everywhere else that a module holds the old ones.

    Someone who wrote ``from random import random`` holds the function under a name of his own, so
    every module's names are searched for the functions that are replaced.
    """
    old = {place: getattr(*place) for place in replacements}
    by_id = {id(old[place]): new for place, new in replacements.items()}
    places = [(owner, name, old[owner, name], new) for (owner, name), new in replacements.items()]
    known = {(id(owner), name) for owner, name in replacements}
    for module in list(sys.modules.values()):
        if not isinstance(module, ModuleType) or _ours(module):
            continue
        if by_id.keys().isdisjoint(map(id, vars(module).values())):
            continue  # most hold nothing, and this is how to tell in no time
        for name, value in list(vars(module).items()):
            if id(value) in by_id and (id(module), name) not in known:
                places.append((module, name, value, by_id[id(value)]))
    inherited = {(id(owner), name) for owner, name, *_ in places if name not in vars(owner)}
    try:
        for owner, name, _, new in places:
            setattr(owner, name, new)
        yield
    finally:
        for owner, name, value, _ in reversed(places):
            if (id(owner), name) in inherited:
                delattr(owner, name)
            else:
                setattr(owner, name, value)


@contextmanager
def swapped(pairs: Mapping[int, tuple[Any, Any]]) -> Iterator[None]:
    """Put other objects where some are held: in modules, instances, closures and lists.

    Parameters
    ----------
    pairs : mapping of int to pair
        From an object's id to the object and what is put in its place.
    """
    _swap([old for old, _ in pairs.values()], {id(old): new for old, new in pairs.values()})
    try:
        yield
    finally:
        _swap([new for _, new in pairs.values()], {id(new): old for old, new in pairs.values()})


def _swap(held: list[Any], by_id: Mapping[int, Any]) -> None:
    for holder in gc.get_referrers(*held) if held else ():
        if isinstance(holder, CellType):
            holder.cell_contents = by_id[id(holder.cell_contents)]
        elif isinstance(holder, list) and holder is not held:
            holder[:] = [by_id.get(id(item), item) for item in holder]
        elif isinstance(holder, dict):
            holder.update({k: by_id[id(v)] for k, v in holder.items() if id(v) in by_id})
        elif hasattr(holder, "__dict__"):
            for name, value in list(vars(holder).items()):
                if id(value) in by_id:
                    object.__setattr__(holder, name, by_id[id(value)])


def _ours(module: ModuleType) -> bool:
    return module.__name__.partition(".")[0] in ("specdec_verification", "specdec_grids")
