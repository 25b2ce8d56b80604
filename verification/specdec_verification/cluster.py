"""Units run by a Dask cluster: a scheduler that is already there, and its workers.

Dask gives a unit whose worker died to another worker, and counts the deaths; a unit that took too
many with it (`distributed.scheduler.allowed-failures`) comes back as an error, and is then split
and run alone like any other that was lost (`specdec_verification.workers`).  A scheduler that goes
away takes all that it was given with it; if it comes back in time, at its address and with a
worker, it is given that again, and what was found before stands.

The workers must run the source that is run here, to the byte: what one version finds says nothing
of another.  Those that are there at the start are asked; give those that join later the same
environment.

Not here: starting a scheduler or workers (``dask scheduler``, ``dask worker``, or what your cluster
has for them).
"""

import logging
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from time import perf_counter
from typing import Any

from specdec_core.errors import InvalidParameterError
from specdec_verification.journal import source_digest
from specdec_verification.limits import UNLIMITED, Limits, require_keepable
from specdec_verification.workers import Workers

PATIENCE = 20.0
"""Seconds to wait for the scheduler, and then for its first worker."""

ATTEMPT = 2.0
"""Of those, how many a client waits; one that lost its scheduler waits as long, and is replaced."""

LOGGERS = ("distributed.batched", "distributed.client")
"""Of Dask, which show a traceback where a scheduler is lost; what matters of it is said here."""


@contextmanager
def cluster(
    address: str, limits: Limits = UNLIMITED, patience: float = PATIENCE
) -> Iterator[Workers]:
    """Connect to a scheduler, and yield its workers; they are left running.

    Parameters
    ----------
    address : str
        Of the scheduler, such as ``"tcp://10.0.0.1:8786"``.
    limits : Limits
        Of each cell; they take workers of one thread each.  Each ends with a cell that is late, so
        it needs a nanny that starts it again, as ``dask worker`` has by itself.
    patience : float
        Seconds to wait for the scheduler, and then for its first worker; likewise if it is lost.

    Raises
    ------
    InvalidParameterError
        If Dask is not installed, nothing answers in time, or a worker has another version of this
        package or none, or cannot keep the limits.
    """
    if find_spec("distributed") is None:
        raise InvalidParameterError(
            f"scheduler {address!r}: distributed is not installed; "
            "expected pip install 'specdec-verify[dask]'"
        )
    connection = _Connection(address, limits, patience)
    try:
        yield Workers(connection.executor, connection.threads(), limits)
    finally:
        connection.close()


@dataclass(slots=True)
class _Connection:
    """A client of a scheduler, and a new one if that loses it."""

    address: str
    limits: Limits
    patience: float
    _client: Any = field(init=False, default=None)

    def executor(self) -> Executor:
        """Return an executor of the scheduler's workers."""
        # Not pure: a unit that is run again is another task, and not the answer to the first.
        executor: Executor = self._live().get_executor(pure=False)
        return executor

    def threads(self) -> int:
        """Return how many units are run at once."""
        return sum(self._live().nthreads().values())

    def close(self) -> None:
        """Leave the scheduler, and what it still runs of ours."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _live(self) -> Any:  # noqa: ANN401
        if self._client is None or self._client.status != "running":
            self.close()
            self._client = _connected(self.address, self.patience)
            _require_same_source(self._client, self.address)
            _require_keepable(self._client, self.address, self.limits)
        return self._client


def _client(address: str, until: float) -> Any:  # noqa: ANN401
    """Return a client of a scheduler, which may come up until then."""
    from distributed import Client

    for name in LOGGERS:  # not before Dask has set them, as it is imported
        logging.getLogger(name).setLevel(logging.CRITICAL)
    while True:
        try:
            return Client(address, timeout=min(ATTEMPT, max(until - perf_counter(), 0.1)))
        except (OSError, ValueError) as error:
            if perf_counter() > until or isinstance(error, ValueError):
                raise InvalidParameterError(
                    f"scheduler {address!r}: expected a Dask scheduler there ({error})"
                ) from None


def _connected(address: str, patience: float) -> Any:  # noqa: ANN401
    """Return a client of a scheduler that has a worker."""
    client = _client(address, perf_counter() + patience)
    try:
        client.wait_for_workers(1, timeout=patience)
    except TimeoutError:
        client.close()
        raise InvalidParameterError(
            f"scheduler {address!r}: it has no worker after {patience:g} s, expected at least one"
        ) from None
    return client


def _require_same_source(client: Any, address: str) -> None:  # noqa: ANN401
    digest = source_digest()
    for worker, found in client.run(source_digest, on_error="return").items():
        if isinstance(found, Exception):
            raise InvalidParameterError(
                f"scheduler {address!r}: worker {worker} cannot run specdec-verify "
                f"({type(found).__name__}: {found})"
            )
        if found != digest:
            raise InvalidParameterError(
                f"scheduler {address!r}: worker {worker} has another specdec-verify, "
                "expected the source that is run here"
            )


def _require_keepable(client: Any, address: str, limits: Limits) -> None:  # noqa: ANN401
    """Refuse limits that a worker cannot keep: one runs a cell at a time, on a system that can."""
    if limits == UNLIMITED:
        return
    for worker, threads in client.nthreads().items():
        if threads != 1:
            raise InvalidParameterError(
                f"scheduler {address!r}: worker {worker} has {threads} threads, expected one "
                "where a cell has limits (dask worker --nthreads 1)"
            )
    for worker, found in client.run(require_keepable, limits, on_error="return").items():
        if isinstance(found, Exception):
            raise InvalidParameterError(f"scheduler {address!r}: worker {worker}: {found}")
