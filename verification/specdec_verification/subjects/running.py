"""The run at hand: where the replaced functions of a library find the draws to hand out.

A library (the standard one, numpy, torch) is patched once for a whole exploration and restored
when it ends, however it ends.  While a run goes on, `current` is its draws.  After each run the
states of the library's real generators are compared: one that moved was drawn from behind our
back, and the law found would miss its randomness.
"""

import math
import os
import signal
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

from specdec_core.errors import NondeterminismError, OpaqueDrawError
from specdec_grids.affine import users_line
from specdec_verification.subjects.holders import existing
from specdec_verification.subjects.patching import Replacement, patched
from specdec_verification.subjects.streams import StreamDraws

AT_ONCE = 1e-6
"""Seconds, for a timer that is due: zero would switch it off."""


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
        From those objects to a context in which its functions give symbols, once the replacement
        that it says is made.
    state : callable
        Returns the states of its real generators, to be compared with ``==``.
    """

    name: str
    needs: str
    understood: str
    held: frozenset[type]
    replaced: Callable[[Sequence[Any]], AbstractContextManager[Replacement]]
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
    return _FORKS, threading.get_ident()


_FORKS = 0
"""How many forks lie between this process and the first: asking for its number takes longer."""


def _note_fork() -> None:
    global _FORKS
    _FORKS += 1


os.register_at_fork(after_in_child=_note_fork)


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
    """Stop what runs inside after so many seconds, by `TookTooLong`, even if it catches that.

    Python stops only its main thread, and only between two of its own steps: elsewhere there is
    no limit.  A timer that was set before, as of a cell or of a test, goes on in the end.
    """
    if seconds == math.inf or threading.current_thread() is not threading.main_thread():
        yield
        return
    late = False

    def stop(number: int, frame: object) -> NoReturn:
        nonlocal late
        late = True
        raise TookTooLong

    before, began = signal.signal(signal.SIGALRM, stop), time.monotonic()
    left, every = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            remaining = left - (time.monotonic() - began)
            signal.setitimer(signal.ITIMER_REAL, max(remaining, AT_ONCE), every)
    if late:
        raise TookTooLong  # again, for a bare ``except`` may have caught it


@contextmanager
def replacing(libraries: Sequence[Library]) -> Iterator[None]:
    """Patch every library, and restore them all in the end."""
    with ExitStack() as stack:
        held = existing(frozenset().union(*(library.held for library in libraries)))
        replacements = [stack.enter_context(library.replaced(held)) for library in libraries]
        held.clear()  # what is referred to from here would seem to be held somewhere
        attributes = [one for replacement in replacements for one in replacement.attributes]
        swaps = [one for replacement in replacements for one in replacement.swaps]
        stack.enter_context(patched(attributes, swaps))
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
