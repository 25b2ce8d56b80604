"""Limits of time and memory for one cell, kept by the process that runs it.

Time is kept twice.  When it is up, a timer interrupts the cell, wherever in Python it is, and the
cell is over.  One that goes on all the same, since it swallows the interrupt or sits in a call of a
compiled library, or in a thread that no timer reaches, is ended a grace later with its process;
what is lost with that is found by whoever sent it (`specdec_verification.workers`).  Memory is the
address space that the process may have beyond what it has when the cell begins.  That counts what
is reserved as well as what is used: a thread, or a library that a cell is the first to load, takes
a hundred MiB or more.

Without being asked for, there is no limit: what a cell takes depends on the machine and on what
else it does, and a run's verdict should not.

Not here: two cells at once in one process, whose time and memory cannot be told apart.
"""

import faulthandler
import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import FrameType
from typing import IO, TypeVar

from specdec_core.errors import CellLimitError, InvalidParameterError

Found = TypeVar("Found")
"""What a call returns."""

MEBIBYTE = 1 << 20

GRACE = 0.5
"""Seconds from the interrupt to the end of the process; enough to clean up."""

AGAIN = 0.2
"""Seconds from one interrupt to the next, if the cell swallows the first."""

ADDRESSES = Path("/proc/self/statm")
"""Where Linux tells the address space of a process."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one cell may take.

    Attributes
    ----------
    seconds : float or None
        Of wall time, above zero; without a limit if ``None``.
    mebibytes : float or None
        Of memory, above zero; without a limit if ``None``.
    note : Path or None
        A file for the last words of a process that is ended, if its folder is there.

    Raises
    ------
    InvalidParameterError
        If one is not a finite number above zero.

    Examples
    --------
    >>> Limits(seconds=0.01).run(lambda: next(n for n in iter(int, 1) if n))
    Traceback (most recent call last):
        ...
    specdec_core.errors.CellLimitError: ran past its limit of 0.01 s
    """

    seconds: float | None = None
    mebibytes: float | None = None
    note: Path | None = None

    def __post_init__(self) -> None:
        for limit, unit in ((self.seconds, "s"), (self.mebibytes, "MiB")):
            if limit is not None and not (limit > 0 and math.isfinite(limit)):
                raise InvalidParameterError(
                    f"a limit of {limit:g} {unit} a cell: expected a finite number above zero"
                )

    @property
    def late(self) -> str:
        """What is said of a cell that took too long."""
        return f"ran past its limit of {self.seconds:g} s"

    def run(self, call: Callable[[], Found]) -> Found:
        """Return what a call returns within the limits, or end the process.

        Raises
        ------
        CellLimitError
            If the call takes more.
        """
        return _in_memory(self, partial(_in_time, self, call))


UNLIMITED = Limits()


def require_keepable(limits: Limits) -> None:
    """Refuse limits that this platform cannot keep.

    Raises
    ------
    InvalidParameterError
        If there is a limit of time, and no timer that signals; or one of memory, and no Linux.
    """
    if limits.seconds is not None and not hasattr(signal, "setitimer"):
        raise InvalidParameterError(
            f"a limit of {limits.seconds:g} s a cell: {sys.platform} has no timer to keep it; "
            "expected none, or a POSIX system"
        )
    if limits.mebibytes is not None and not ADDRESSES.exists():
        raise InvalidParameterError(
            f"a limit of {limits.mebibytes:g} MiB a cell: {sys.platform} does not say what a "
            "process takes; expected none, or Linux"
        )


class _Overrun(BaseException):  # not an Exception: what is checked catches those
    """The time is up."""


def _in_memory(limits: Limits, call: Callable[[], Found]) -> Found:
    """Return what a call returns with so much memory beyond what the process has."""
    if limits.mebibytes is None:
        return call()
    import resource  # is not there on Windows

    before = resource.getrlimit(resource.RLIMIT_AS)
    allowed = _address_space() + int(limits.mebibytes * MEBIBYTE)
    if before[0] != resource.RLIM_INFINITY:
        allowed = min(allowed, before[0])
    resource.setrlimit(resource.RLIMIT_AS, (allowed, before[1]))
    try:
        return call()
    except MemoryError:
        raise CellLimitError(f"asked for more than its limit of {limits.mebibytes:g} MiB") from None
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _in_time(limits: Limits, call: Callable[[], Found]) -> Found:
    """Return what a call returns in time; what is late is interrupted, then ended."""
    if limits.seconds is None:
        return call()
    with _ended_after(limits.seconds + GRACE, limits.note):
        if threading.current_thread() is not threading.main_thread():
            return call()  # no interrupt reaches it
        return _interrupted(limits, limits.seconds, call)


@contextmanager
def _ended_after(seconds: float, note: Path | None) -> Iterator[None]:
    """End the process when the time is up, whatever it does."""
    with ExitStack() as opened:
        if note is not None and note.parent.is_dir():
            last_words: IO[bytes] | int = opened.enter_context(note.open("wb"))
        else:
            last_words = _nowhere()
        faulthandler.dump_traceback_later(seconds, exit=True, file=last_words)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()


def _interrupted(limits: Limits, seconds: float, call: Callable[[], Found]) -> Found:
    """Return what a call returns, unless it is interrupted.

    The time may be up at any point, and Python may tell of it later still.  So every point at which
    the interrupt is raised lies within this function's own ``try``: none in a context manager,
    which is left by way of the library's code.
    """
    armed, late = True, False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal late
        if armed:
            late = True
            raise _Overrun

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
            found = call()
        finally:
            armed = False
        if late:
            raise _Overrun  # again, for the cell has swallowed it: what it found is of no worth
        return found
    except _Overrun:
        raise CellLimitError(limits.late) from None
    finally:
        armed = False  # once more: the time may have been up just before
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _address_space() -> int:
    """Return how many bytes of addresses this process has."""
    return int(ADDRESSES.read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")


@cache
def _nowhere() -> int:
    """Return a file that swallows what is said of a process when it is ended; opened once."""
    return os.open(os.devnull, os.O_WRONLY)
