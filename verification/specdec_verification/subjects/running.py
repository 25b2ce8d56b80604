"""The run at hand: where the replaced functions of a library find the draws to hand out.

A library (the standard one, numpy, torch) is patched once for a whole exploration and restored
when it ends, however it ends.  While a run goes on, `current` is its draws.  After each run the
states of the library's real generators are compared: one that moved was drawn from behind our
back, and the law found would miss its randomness.
"""

import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NoReturn

from specdec_core.errors import NondeterminismError, OpaqueDrawError
from specdec_grids.affine import users_line
from specdec_verification.subjects.holders import Swap, existing, swapped
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
    held : frozenset of type
        What of the objects that exist it asks for: its generators, and their methods.
    replaced : callable
        From those objects to a context in which its functions give symbols, and which says what
        to put in the place of those objects.
    state : callable
        Returns the states of its real generators, to be compared with ``==``.
    """

    name: str
    needs: str
    understood: str
    held: frozenset[type]
    replaced: Callable[[Sequence[Any]], AbstractContextManager[Sequence[Swap]]]
    state: Callable[[], Hashable]


@dataclass(slots=True)
class _Running:
    """The draws of the run at hand, where it runs, and what was refused elsewhere."""

    draws: StreamDraws
    place: tuple[int, int]
    refused: list[OpaqueDrawError]


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
    if running.place != _here():
        error = OpaqueDrawError(
            f"a draw in another thread or process at {users_line()}: they draw in an order that "
            "cannot be followed"
        )
        running.refused.append(error)
        raise error
    return running.draws


def _here() -> tuple[int, int]:
    return os.getpid(), threading.get_ident()


@contextmanager
def running(draws: StreamDraws) -> Iterator[None]:
    """Make draws the current ones; what was refused in another thread is raised in the end."""
    run = _Running(draws, _here(), [])
    _RUNNING.append(run)
    try:
        yield
    finally:
        _RUNNING.pop()
    if run.refused:
        raise run.refused[0]


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
        held = existing(frozenset().union(*(library.held for library in libraries)))
        swaps = [
            swap for library in libraries for swap in stack.enter_context(library.replaced(held))
        ]
        del held
        stack.enter_context(swapped(swaps))  # of all libraries at once: it searches all of memory
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


def _ours(module: ModuleType) -> bool:
    return module.__name__.partition(".")[0] in ("specdec_verification", "specdec_grids")
