"""Units run by a Dask cluster: a scheduler that is already there, and its workers.

Dask gives a unit whose worker died to another worker, and counts the deaths; a unit that took too
many with it (`distributed.scheduler.allowed-failures`) comes back as an error, and is then split
and run alone like any other that was lost (`specdec_verification.workers`).

The workers must run the source that is run here, to the byte: what one version finds says nothing
of another.  Those that are there at the start are asked; give those that join later the same
environment.

Not here: starting a scheduler or workers (``dask scheduler``, ``dask worker``, or what your cluster
has for them).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from typing import Any

from specdec_core.errors import InvalidParameterError
from specdec_verification.journal import source_digest
from specdec_verification.workers import Workers

PATIENCE = 20.0
"""Seconds to wait for the scheduler, and then for its first worker."""


@contextmanager
def cluster(address: str, patience: float = PATIENCE) -> Iterator[Workers]:
    """Connect to a scheduler, and yield its workers; they are left running.

    Parameters
    ----------
    address : str
        Of the scheduler, such as ``"tcp://10.0.0.1:8786"``.
    patience : float
        Seconds to wait for the scheduler, and then for its first worker.

    Raises
    ------
    InvalidParameterError
        If Dask is not installed, nothing answers in time, or a worker has another version of this
        package or none.
    """
    if find_spec("distributed") is None:
        raise InvalidParameterError(
            f"scheduler {address!r}: distributed is not installed; "
            "expected pip install 'specdec-verify[dask]'"
        )
    client = _connected(address, patience)
    with client:
        _require_same_source(client, address)
        threads = sum(client.nthreads().values())
        # Not pure: a unit that is run again is another task, and not the answer to the first.
        yield Workers(partial(client.get_executor, pure=False), threads)


def _connected(address: str, patience: float) -> Any:  # noqa: ANN401
    """Return a client of a scheduler that has a worker."""
    from distributed import Client

    try:
        client = Client(address, timeout=patience)
    except (OSError, ValueError) as error:
        raise InvalidParameterError(
            f"scheduler {address!r}: expected a Dask scheduler there ({error})"
        ) from None
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
