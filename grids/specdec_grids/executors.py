"""Calls handed to an executor, a few at a time, and their results as they come.

Anything that is a `concurrent.futures.Executor` will do: a process pool, ``get_executor()`` of a
Dask client, ``MPIPoolExecutor`` of mpi4py.  It is not known how many workers it has; so as many
calls are handed over as keep all of them busy, and no more, since what waits in an executor cannot
be changed any longer.

Not here: an executor that loses its workers.  What they were doing is lost, and said to be.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from functools import lru_cache
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from specdec_core.errors import InvalidParameterError, WorkersLostError
from specdec_core.parameters import require_integer

Given = TypeVar("Given")
Found = TypeVar("Found")

AHEAD = 2
"""Calls handed over for each worker: one that is run, and one that waits for it."""


def pickled(value: object, name: str) -> bytes:
    """Return a value as it is sent to another process.

    Raises
    ------
    InvalidParameterError
        If it cannot be sent.
    """
    try:
        return pickle.dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InvalidParameterError(
            f"{name} cannot be sent to another process ({error}); expected one made of a module's "
            "functions and classes, of values, and of functools.partial"
        ) from None


@lru_cache(maxsize=4)  # a worker is sent the same program again and again
def unpickled(value: bytes) -> Any:  # noqa: ANN401
    """Return what was pickled, made anew only if it is another than lately."""
    return pickle.loads(value)


class Calls(Generic[Given, Found]):
    """Calls of one function that an executor makes.

    Parameters
    ----------
    function : callable
        Of a module, so that it can be sent.
    executor : Executor
    workers : int
        How many calls it makes at once, at least 1.
    """

    def __init__(
        self, function: Callable[[Given], Found], executor: Executor, workers: int
    ) -> None:
        require_integer(workers, "workers", minimum=1)
        self._function = function
        self._executor = executor
        self.workers = workers
        self._running: dict[Future[Found], Given] = {}
        self._ended: SimpleQueue[Future[Found]] = SimpleQueue()

    def __len__(self) -> int:
        return len(self._running)

    @property
    def room(self) -> int:
        """How many calls can be handed over now."""
        return self.workers * AHEAD - len(self._running)

    def give(self, given: Given) -> None:
        """Hand over one call.

        Raises
        ------
        WorkersLostError
            If the executor is broken.
        """
        try:
            future = self._executor.submit(self._function, given)
        except BrokenExecutor as error:
            raise _lost(error) from None
        self._running[future] = given
        future.add_done_callback(self._ended.put)

    def next(self) -> tuple[Given, Found]:
        """Wait for a call, whichever ends first, and return what it was given and what it found.

        Raises
        ------
        WorkersLostError
            If the executor lost it.
        BaseException
            What the call raised.
        """
        future = self._ended.get()
        given = self._running.pop(future)
        try:
            return given, future.result()
        except (BrokenExecutor, CancelledError) as error:
            raise _lost(error) from None

    def cancel(self) -> None:
        """Take back what has not begun."""
        for future in self._running:
            future.cancel()

    def all_of(self, every: Iterable[Given]) -> Iterator[tuple[Given, Found]]:
        """Yield what each call finds, in the order in which they end."""
        try:
            for given in every:
                if not self.room:
                    yield self.next()
                self.give(given)
            while self._running:
                yield self.next()
        finally:
            self.cancel()


def _lost(error: BaseException) -> WorkersLostError:
    reason = " ".join(str(error).split()) or type(error).__name__
    return WorkersLostError(
        f"the executor lost its work ({reason}); what was found until then is lost too, expected "
        "an executor that lasts: start a new one, and try again"
    )
