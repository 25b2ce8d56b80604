"""Units run by any `concurrent.futures.Executor`, and what happens when one loses its workers.

An executor that breaks, as a process pool does when a worker is killed, loses every unit that it
was given, and cannot say which of them was at fault.  A new executor is started, and the lost units
are run alone, one at a time: whatever is lost then was lost by the unit in hand.  Such a unit is
split into its cells; a cell that was alone when an executor broke, twice, is reported with that as
its error.  A worker that was killed from outside costs nothing but time.

A cell that could not be interrupted at its limit of time ends its worker, and is found in the same
way.  The last words of its process tell that from any other end, if they reach this machine.

Not here: how a limit is kept (`specdec_verification.limits`).
"""

import multiprocessing
import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
)
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

from specdec_core.errors import WorkersLostError
from specdec_core.parameters import require_integer
from specdec_grids.executors import AHEAD
from specdec_verification.cells import described
from specdec_verification.limits import UNLIMITED, Limits, require_keepable
from specdec_verification.units import Finished, Unit, fail_unit, run_unit

KILLS = 2
"""How often a cell that is run alone may lose its worker: the last time it is at fault."""

STARTS = 3
"""Pools that are started, if one is lost at once."""


@dataclass(frozen=True, slots=True)
class Workers:
    """Where units are run.

    Attributes
    ----------
    start : callable
        Returns a new executor; called again when one breaks.  An executor is shut down after use.
    count : int
        Units that an executor runs at once, at least one.
    limits : Limits
        Of each cell.  They are kept by the process that runs it, if need be by its end: so there
        are none for threads of this process, nor for several in one worker.

    Raises
    ------
    InvalidParameterError
        If the count is no integer, or less than one.

    Examples
    --------
    Threads do not make it faster, but show how any executor is given: so are
    ``Workers(client.get_executor, 64)`` of a ``distributed.Client``, and ``Workers(MPIPoolExecutor,
    64)`` of mpi4py.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> Workers(ThreadPoolExecutor, 2).count
    2
    """

    start: Callable[[], Executor]
    count: int
    limits: Limits = UNLIMITED

    def __post_init__(self) -> None:
        require_integer(self.count, "count", minimum=1)


def usable_processors() -> int:
    """Return how many processors this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processes(count: int, limits: Limits = UNLIMITED) -> Workers:
    """Return so many processes of this machine, which end when this one does.

    Raises
    ------
    InvalidParameterError
        If the count is none, or this machine cannot keep the limits.
    """
    require_keepable(limits)
    return Workers(partial(_started, count), count, limits)


def process_pool(count: int) -> Executor:
    """Return a pool of so many processes, none of which starts before it is given something."""
    # Neither threads nor handlers of this process come along, as they would in a fork.
    context = multiprocessing.get_context("spawn" if os.name == "nt" else "forkserver")
    context.set_forkserver_preload([__name__])  # imported once, not by every process
    return ProcessPoolExecutor(count, context, _begin)


def _started(count: int) -> Executor:
    """Return a pool that was seen to run something: else every cell would be lost with it.

    Raises
    ------
    WorkersLostError
        If several in turn cannot.
    """
    lost: Exception = BrokenExecutor()
    for _ in range(STARTS):
        executor = process_pool(count)
        try:
            executor.submit(os.getpid).result()
        except (BrokenExecutor, OSError) as error:
            executor.shutdown()
            lost = error
        else:
            return executor
    raise WorkersLostError(
        f"a worker process ends before it is given anything ({described(lost)}): expected a main "
        "module that it can import, a file with its calls under `if __name__ == '__main__':`"
    )


def finish_units(units: Iterator[Unit], workers: Workers) -> Generator[Finished]:
    """Run units by as many executors as it takes, and yield each cell once, in any order.

    Parameters
    ----------
    units : iterator of Unit
        Taken as there is room for them.
    workers : Workers

    Raises
    ------
    BrokenExecutor
        If an executor is broken before it is given anything.
    """
    with TemporaryDirectory() as folder:
        work = _Work(
            units, workers.count * AHEAD, replace(workers.limits, note=Path(folder, "late"))
        )
        while work.remains():
            executor = workers.start()
            try:
                yield from _Shift(executor, work).finished()
            finally:
                executor.shutdown()


@dataclass(slots=True)
class _Work:
    """What remains to be run.

    Attributes
    ----------
    fresh : iterator of Unit
    ahead : int
        Units that an executor may have at once.
    limits : Limits
        Of each cell of a suspect.
    suspects : deque of Unit
        Lost with an executor: each is run alone.
    alone : bool
        Whether the unit that was taken last is a suspect.
    kills : Counter
        How often each unit was lost alone.
    """

    fresh: Iterator[Unit]
    ahead: int
    limits: Limits
    suspects: deque[Unit] = field(init=False, default_factory=deque)
    alone: bool = field(init=False, default=False)
    kills: Counter[tuple[int, range]] = field(init=False, default_factory=Counter)
    _next: Unit | None = field(init=False, default=None)

    def remains(self) -> bool:
        """Return whether there is a unit to run."""
        if not self.suspects and self._next is None:
            self._next = next(self.fresh, None)
        return bool(self.suspects) or self._next is not None

    def has_room(self, running: int) -> bool:
        """Return whether an executor that runs so many units is to be given one more."""
        shared = not self.alone and not self.suspects and running < self.ahead
        return (shared or not running) and self.remains()

    def take(self) -> Unit:
        """Return the next unit: one of the suspects as long as there are any."""
        self.alone = bool(self.suspects)
        if self.suspects:
            return self.suspects.popleft()
        unit, self._next = self._next, None
        assert unit is not None, "taken without asking whether there is one"
        return unit

    def lose(self, unit: Unit, error: Exception) -> Iterator[Finished]:
        """Note a unit that was lost; yield a cell that was lost alone too often."""
        if not self.alone:
            self.suspects.append(unit)
            return
        self.kills[unit.key] += 1
        if len(unit.cells) > 1:
            self.suspects.extendleft(reversed(list(unit.one_by_one())))
        elif self._is_late():
            yield fail_unit(unit, f"{self.limits.late}, and was lost with its worker")
        elif self.kills[unit.key] < KILLS:
            self.suspects.appendleft(unit)
        else:
            yield fail_unit(unit, f"lost with its worker {KILLS} times: {described(error)}")

    def _is_late(self) -> bool:
        """Return whether the process of the last suspect said that its time was up."""
        note = self.limits.note
        return note is not None and note.exists() and note.stat().st_size > 0


@dataclass(slots=True)
class _Shift:
    """One executor's part of the work."""

    executor: Executor
    work: _Work
    broken: bool = field(init=False, default=False)
    given: int = field(init=False, default=0)
    running: dict[Future[Finished], Unit] = field(init=False, default_factory=dict)
    ended: SimpleQueue[Future[Finished]] = field(init=False, default_factory=SimpleQueue)

    def finished(self) -> Iterator[Finished]:
        """Yield what the executor finishes, until nothing remains or it breaks."""
        self._give()
        try:
            while self.running:
                future = self.ended.get()
                yield from self._received(future, self.running.pop(future))
                self._give()
        finally:
            for future in self.running:
                future.cancel()

    def _give(self) -> None:
        while not self.broken and self.work.has_room(len(self.running)):
            unit = self.work.take()
            try:
                future = self._submitted(unit)
            except BrokenExecutor:
                if not self.given:  # another one would be no better
                    raise
                self.work.suspects.append(unit)
                self.broken = True
            else:
                self.given += 1
                self.running[future] = unit
                future.add_done_callback(self.ended.put)

    def _submitted(self, unit: Unit) -> Future[Finished]:
        """Send a unit; only one that is alone may write a note, so that there is one at most."""
        limits = self.work.limits
        if limits.note is not None and self.work.alone:
            limits.note.unlink(missing_ok=True)
        else:
            limits = replace(limits, note=None)
        return self.executor.submit(run_unit, unit, limits)

    def _received(self, future: Future[Finished], unit: Unit) -> Iterator[Finished]:
        error = CancelledError() if future.cancelled() else future.exception()
        if error is None:
            yield future.result()
        elif isinstance(error, Exception):
            # What is cancelled, and not by us, was lost with the executor's own connection.
            self.broken |= isinstance(error, BrokenExecutor | CancelledError)
            yield from self.work.lose(unit, error)
        else:  # an interrupt is nobody's fault
            raise error


def _begin() -> None:
    """Make a new process one that an interrupt ends, and the end of the process that started it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # without a traceback of its own
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Wait for the parent's end: a pool whose owner is killed would wait for work for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "this process was not started by another"
    parent.join()
    os._exit(1)
