"""One run of a callable: what it returned, frozen, or the malfunction that came instead.

A run in which something was refused has no outcome, even if the callable caught the refusal, or
if a thread of its own did.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from specdec_core.errors import OpaqueDrawError
from specdec_grids.affine import nothing_refused, opaque
from specdec_grids.trails import Abandoned, Trail
from specdec_verification.emissions import Malfunction, attempted
from specdec_verification.subjects.arrays import is_symbol
from specdec_verification.subjects.running import TookTooLong, running
from specdec_verification.subjects.streams import StreamDraws

ABANDONED = Malfunction("was not followed to its end")
LATE = Malfunction("did not end in time")


def run_once(emit: Callable[[], Any], draws: StreamDraws) -> Hashable:
    """Run a callable without arguments once, and return the outcome or the malfunction.

    Raises
    ------
    Abandoned
        If the path is not worth following, whether or not the callable let that through.
    OpaqueDrawError
        If a draw met what is not understood.
    """
    draws.begin()
    watched = nothing_refused()
    try:
        with watched, running(draws):
            outcome = _outcome(emit)
    except OpaqueDrawError as error:  # perhaps of a second attempt, after the first was caught
        raise (watched.refusals or [error])[0] from None
    finally:
        draws.end()
    if draws.trail.given_up:
        raise Abandoned  # again, for a bare ``except`` of the callable's may have caught it
    return outcome


def replay(emit: Callable[[], Any], numbers: Sequence[float]) -> Hashable:
    """Return what a callable returns if its draws, in order, are these numbers."""
    try:
        return run_once(emit, StreamDraws(Trail(), numbers=numbers))
    except Abandoned:
        return ABANDONED


def _outcome(emit: Callable[[], Any]) -> Hashable:
    try:
        return attempted(lambda: frozen(emit()))  # type: ignore[no-any-return]
    except TookTooLong:
        return LATE


def frozen(value: Any) -> Hashable:  # noqa: ANN401  (whatever the program returned)
    """Return a value as a hashable one, or the malfunction of having no hash.

    Lists, arrays and iterators become tuples.
    """
    if is_symbol(value):
        opaque("return of a draw itself")
    if hasattr(value, "tolist") and not isinstance(value, np.generic):
        value = value.tolist()
    if isinstance(value, np.generic):
        return value.item()  # type: ignore[no-any-return]
    if isinstance(value, list | tuple | Iterator) and not hasattr(value, "_fields"):
        return tuple(map(frozen, value))
    try:
        hash(value)
    except TypeError as error:
        return Malfunction(f"returned {value!r}: {error}")
    return value  # type: ignore[no-any-return]
