"""What the readers of outcome files hand on: what a file says of itself, and batches of rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from specdec_core.errors import InvalidOutcomesError
from specdec_verification.outcomes.counting import Coding


@dataclass(frozen=True, slots=True)
class Said:
    """What a file says of itself, before its first outcome.

    Attributes
    ----------
    instance : str or None
        An instance as JSON, or the path of its file, relative to the outcomes' own.
    longest : int or None
        The most tokens that an outcome can have.
    outcomes : int or None
        How many it holds, counts counted.
    """

    instance: str | None = None
    longest: int | None = None
    outcomes: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Rows of a file that are counted together.

    Attributes
    ----------
    tokens : (n, L) ndarray of int
        Padded with -1 after the last token.
    counts : (n,) ndarray of int or None
        How often each row came; once, if nothing is said.
    place : callable
        From the number of a row in this batch to where it stands in the file.
    """

    tokens: NDArray[np.integer]
    counts: NDArray[np.integer] | None
    place: Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Opened:
    """A file of outcomes, open.

    Attributes
    ----------
    said : Said
    batches : callable
        From how outcomes are coded to the batches, each read when it is asked for; a row that is
        too long for the coding may be named before it is handed on.
    """

    said: Said
    batches: Callable[[Coding], Iterator[Batch]]


def number_said(value: object, name: str, place: str) -> int | None:
    """Return a number that a file says of itself, checked."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 1):
        return value
    raise InvalidOutcomesError(f"{place}: {name} is {value!r}, expected a positive integer")


def require_counts(counts: NDArray[np.integer], place: Callable[[int], str]) -> None:
    """Raise `InvalidOutcomesError` unless every count is a nonnegative integer."""
    if counts.dtype.kind not in "iu":
        raise InvalidOutcomesError(f"{place(0)}: counts of {counts.dtype}, expected integers")
    for row in np.flatnonzero(counts < 0):
        raise InvalidOutcomesError(f"{place(int(row))}: count {counts[row]}, expected at least 0")
