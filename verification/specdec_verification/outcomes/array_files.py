"""Outcomes as arrays: NPZ.

``numpy.savez(path, tokens=..., counts=..., instance=..., longest=...)``: ``tokens`` is ``(n, L)``,
padded with -1, and of whatever integers; ``counts`` is ``(n,)``, or left out where each row is one
outcome; ``instance`` is a text, ``longest`` a number, and both may be left out.

Arrays are read by pieces from inside the archive, so that a file may be larger than the memory;
an archive that ends early, or whose bytes were changed, fails its checksum at the end of the piece.
Nothing is unpickled.
"""

import math
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from specdec_core.errors import InvalidOutcomesError
from specdec_verification.outcomes.batches import (
    Batch,
    Opened,
    Said,
    number_said,
    require_counts,
)

ROWS = 1 << 18
"""Read together, at most."""

PIECE = 1 << 26
"""Bytes of tokens that are read together, at most, but for a single row."""

_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    ValueError,
    OSError,
    RuntimeError,  # an archive that says it is encrypted, or made in some way zipfile knows not
)
"""What reading a broken archive raises."""

_KNOWN = {"tokens", "counts", "instance", "longest"}


def open_npz(path: Path, file: IO[bytes]) -> Opened:
    """Open an NPZ file.

    Raises
    ------
    InvalidOutcomesError
        If it is no such archive, or an array has another shape; of a row, its number from 1.
    """
    try:
        archive = zipfile.ZipFile(file)
    except _BROKEN as error:
        raise InvalidOutcomesError(f"{path}: no NPZ archive: {error}") from None
    members = archive.namelist()
    names = {name.removesuffix(".npy") for name in members if name.endswith(".npy")}
    if "tokens" not in names or not names <= _KNOWN or len(names) < len(members):
        raise InvalidOutcomesError(
            f"{path}: holds {', '.join(sorted(members))}; expected tokens, and none but "
            f"{', '.join(sorted(_KNOWN))}, each once and as NPY"
        )
    scalars = {name: _scalar(path, archive, name) for name in names & {"instance", "longest"}}
    instance = scalars.get("instance")
    if instance is not None and not isinstance(instance, str):
        raise InvalidOutcomesError(f"{path}: instance is {instance!r}, expected a text")
    said = Said(instance, number_said(scalars.get("longest"), "longest", str(path)))
    return Opened(said, lambda coding: _batches(path, archive, "counts" in names))


@dataclass(frozen=True, slots=True)
class _Stored:
    """An array inside an archive: its form, and the stream of its numbers."""

    stream: IO[bytes]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def row_bytes(self) -> int:
        """How many bytes a row has."""
        return math.prod(self.shape[1:]) * self.dtype.itemsize

    def rows(self, size: int) -> NDArray[Any]:
        """Return the next rows."""
        content = self.stream.read(size * self.row_bytes)
        if len(content) != size * self.row_bytes:
            raise EOFError("the array ends early")
        return np.frombuffer(content, dtype=self.dtype).reshape(size, *self.shape[1:])


def _batches(path: Path, archive: zipfile.ZipFile, counted: bool) -> Iterator[Batch]:
    with ExitStack() as stack:
        try:
            names = ("tokens", "counts") if counted else ("tokens",)
            stored = [_stored(stack.enter_context(archive.open(f"{n}.npy"))) for n in names]
            _require_shapes(path, stored)
            size = stored[0].shape[0]
            together = min(ROWS, max(1, PIECE // stored[0].row_bytes))
            for start in range(0, size, together):
                parts = [array.rows(min(together, size - start)) for array in stored]
                yield _batch(path, parts, start)
            for array in stored:
                if array.stream.read(1):  # and the last read checks the checksum
                    raise EOFError("bytes are left over")
        except _BROKEN as error:
            if isinstance(error, InvalidOutcomesError):
                raise
            raise InvalidOutcomesError(f"{path}: a broken archive: {error}") from None


def _batch(path: Path, parts: list[NDArray[Any]], start: int) -> Batch:
    def place(row: int) -> str:
        return f"row {start + row + 1}"

    counts = parts[1] if len(parts) > 1 else None
    if counts is not None:
        require_counts(counts, lambda row: f"{path}: {place(row)}")
    return Batch(parts[0], counts, place)


def _stored(stream: IO[bytes]) -> _Stored:
    version = npy.read_magic(stream)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, dtype = read(stream)
    if min(shape, default=0) < 0:
        raise ValueError(f"an array of shape {shape}")
    if fortran and len(shape) > 1 and min(shape) > 1:
        raise ValueError("an array in Fortran order, expected its rows one after another")
    return _Stored(stream, shape, dtype)


def _require_shapes(path: Path, stored: list[_Stored]) -> None:
    tokens = stored[0]
    if len(tokens.shape) != 2 or not tokens.shape[1] or tokens.dtype.kind not in "iu":
        raise InvalidOutcomesError(
            f"{path}: tokens is {tokens.dtype} of shape {tokens.shape}, expected integers of (n, L)"
        )
    for counts in stored[1:]:
        if counts.shape != tokens.shape[:1] or counts.dtype.kind not in "iu":
            raise InvalidOutcomesError(
                f"{path}: counts is {counts.dtype} of shape {counts.shape}, expected integers of "
                f"{tokens.shape[:1]}"
            )


def _scalar(path: Path, archive: zipfile.ZipFile, name: str) -> object:
    try:
        with archive.open(f"{name}.npy") as stream:
            return npy.read_array(stream, allow_pickle=False).item()
    except _BROKEN as error:
        raise InvalidOutcomesError(f"{path}: {name}: {error}") from None
