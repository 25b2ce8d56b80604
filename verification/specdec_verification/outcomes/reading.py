"""A file of outcomes, counted: all of it, or an error that names the line and nothing counted.

The file's ending says what it is (`FORMATS`).  A file is read once, piece by piece, so that it may
be larger than the memory; what is kept are the counts.

Every file belongs to an instance: it names one, or the caller does.  The most tokens that an
outcome can have is part of the claim, and not read off the outcomes that happened to come: the file
says it, or it is ``gamma + 1``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from specdec_core.errors import InvalidOutcomesError
from specdec_core.instances import Instance, loads, read_instance
from specdec_core.models import Context
from specdec_verification.outcomes.array_files import open_npz
from specdec_verification.outcomes.batches import Batch, Opened, Said
from specdec_verification.outcomes.counting import (
    Coding,
    OutcomeCounter,
    malformed,
    no_outcome,
)
from specdec_verification.outcomes.parquet_files import open_parquet
from specdec_verification.outcomes.text_files import open_csv, open_jsonl

FORMATS: Mapping[str, Callable[[Path, IO[bytes]], Opened]] = {
    ".jsonl": open_jsonl,
    ".csv": open_csv,
    ".npz": open_npz,
    ".parquet": open_parquet,
}
"""From a file's ending to what opens it."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What a file holds.

    Attributes
    ----------
    instance : Instance
        What the outcomes were drawn on.
    longest : int
        The most tokens that one can have.
    counts : mapping of tuple of int to int
        How often each came.
    """

    instance: Instance
    longest: int
    counts: Mapping[Context, int]

    @property
    def draws(self) -> int:
        """How many outcomes there are."""
        return sum(self.counts.values())


def is_outcome_file(path: Path) -> bool:
    """Return whether a file's ending is that of a file of outcomes."""
    return path.suffix in FORMATS


def read_outcomes(path: Path, instance: Instance | None = None) -> Outcomes:
    """Read and count a file of outcomes.

    Parameters
    ----------
    path : Path
        Ends in ``.jsonl``, ``.csv``, ``.npz`` or ``.parquet``.
    instance : Instance or None
        Takes the place of the one that the file names.

    Raises
    ------
    InvalidOutcomesError
        If the file cannot be read or names no instance, or a row of it is malformed: the message
        says which.
    InvalidInstanceError
        If the instance that it names cannot be read.
    InvalidParameterError
        If the file is Parquet, and pyarrow is not installed.
    """
    if not is_outcome_file(path):
        raise InvalidOutcomesError(f"{path}: expected a name that ends in {', '.join(FORMATS)}")
    try:
        with path.open("rb") as file:
            opened = FORMATS[path.suffix](path, file)
            chosen = _instance(path, opened.said) if instance is None else instance
            longest = _longest(path, opened.said, chosen)
            counter = OutcomeCounter(Coding(chosen.vocab_size, longest))
            for batch in opened.batches(counter.coding):
                _require_outcomes(path, batch, counter.coding)
                _counted(path, batch, counter)
    except OSError as error:
        raise InvalidOutcomesError(f"{path}: {error.strerror}") from None
    found = Outcomes(chosen, longest, counter.counts())
    if opened.said.outcomes not in (None, found.draws):
        raise InvalidOutcomesError(
            f"{path}: {found.draws} outcomes, but it says that there are {opened.said.outcomes}"
        )
    return found


def _counted(path: Path, batch: Batch, counter: OutcomeCounter) -> None:
    try:
        counter.add(batch.tokens, batch.counts)
    except InvalidOutcomesError as error:
        raise InvalidOutcomesError(f"{path}: {error}") from None


def _instance(path: Path, said: Said) -> Instance:
    if said.instance is None:
        raise InvalidOutcomesError(f"{path}: names no instance, and none was given (--instance)")
    if said.instance.lstrip().startswith("{"):
        return loads(said.instance)
    return read_instance(path.parent / said.instance)


def _longest(path: Path, said: Said, instance: Instance) -> int:
    if said.longest is not None:
        return said.longest
    if "gamma" in instance.parameters:
        return instance.integer("gamma", minimum=0) + 1
    raise InvalidOutcomesError(
        f"{path}: says nothing of 'longest', the most tokens of an outcome, and the instance has "
        "no gamma"
    )


def _require_outcomes(path: Path, batch: Batch, coding: Coding) -> None:
    """Raise, naming the row, unless every row is an outcome."""
    width = batch.tokens.shape[1]
    bad = malformed(batch.tokens, coding.vocab_size)
    if width > coding.longest:
        bad |= (batch.tokens[:, coding.longest :] >= 0).any(axis=1)
    for row in np.flatnonzero(bad):
        told = no_outcome(batch.tokens[row].tolist(), coding)
        raise InvalidOutcomesError(f"{path}: {batch.place(int(row))}: {told}")
    if width > coding.longest:
        raise InvalidOutcomesError(
            f"{path}: rows of {width} tokens, expected at most {coding.longest}"
        )
