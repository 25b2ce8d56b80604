"""Outcomes as Parquet: needs pyarrow, the extra ``parquet``.

A column ``tokens``, of lists of integers, and a column ``count`` of integers, or none where each
row is one outcome.  The schema's metadata may hold ``instance``, ``longest`` and ``outcomes``.  Row
groups are read one after another, and a row is named by its number from 1.

A changed byte is found if the file was written with checksums (in pyarrow,
``write_page_checksum=True``), or if it changes the number of outcomes that the file states.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

from specdec_core.errors import InvalidOutcomesError, InvalidParameterError
from specdec_verification.outcomes.batches import (
    Batch,
    Opened,
    Said,
    number_said,
    require_counts,
)
from specdec_verification.outcomes.counting import PADDING, Coding, no_outcome

_INTEGER = re.compile(r"[0-9]{1,18}")

ROWS = 1 << 18
"""Read together."""


def open_parquet(path: Path, file: IO[bytes]) -> Opened:
    """Open a Parquet file.

    Raises
    ------
    InvalidParameterError
        If pyarrow is not installed.
    InvalidOutcomesError
        If it is no such file, or a column is of another kind.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise InvalidParameterError(
            f"{path}: Parquet needs pyarrow: pip install 'specdec-verify[parquet]'"
        ) from None
    try:
        opened = parquet.ParquetFile(file, page_checksum_verification=True)
        schema = opened.schema_arrow
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # a name that is no text
        raise InvalidOutcomesError(f"{path}: no Parquet file: {error}") from None
    _require_columns(path, schema, pa.types)
    numbers = (_number(path, schema, name) for name in ("longest", "outcomes"))
    said = Said(_metadata(path, schema, "instance"), *numbers)
    return Opened(said, partial(_batches, path, opened, pa.ArrowException))


def _number(path: Path, schema: Any, name: str) -> int | None:  # noqa: ANN401  (pyarrow's)
    text = _metadata(path, schema, name)
    number = int(text) if text is not None and _INTEGER.fullmatch(text) else text
    return number_said(number, name, str(path))


def _metadata(path: Path, schema: Any, name: str) -> str | None:  # noqa: ANN401  (pyarrow's)
    value: bytes | None = (schema.metadata or {}).get(name.encode())
    try:
        return None if value is None else value.decode()
    except UnicodeDecodeError:
        raise InvalidOutcomesError(f"{path}: {name} is {value!r}, expected a text") from None


def _require_columns(path: Path, schema: Any, types: Any) -> None:  # noqa: ANN401  (pyarrow's)
    names = set(schema.names)
    once = len(names) == len(schema.names)
    if "tokens" not in names or not names <= {"tokens", "count"} or not once:
        raise InvalidOutcomesError(
            f"{path}: columns {', '.join(schema.names)}; expected tokens, and count or no other, "
            "each once"
        )
    kind = schema.field("tokens").type
    listed = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    if not listed or not types.is_integer(kind.value_type):
        raise InvalidOutcomesError(f"{path}: tokens is {kind}, expected lists of integers")
    if "count" in names and not types.is_integer(schema.field("count").type):
        raise InvalidOutcomesError(
            f"{path}: count is {schema.field('count').type}, expected integers"
        )


def _batches(
    path: Path,
    opened: Any,  # noqa: ANN401  (pyarrow's)
    broken: type[Exception],
    coding: Coding,
) -> Iterator[Batch]:
    start = 0
    try:
        for part in opened.iter_batches(batch_size=ROWS):
            yield _batch(path, part, start, coding)
            start += part.num_rows
    except (broken, OSError) as error:
        if isinstance(error, InvalidOutcomesError):
            raise
        raise InvalidOutcomesError(f"{path}: a broken file, after row {start}: {error}") from None


def _batch(path: Path, part: Any, start: int, coding: Coding) -> Batch:  # noqa: ANN401  (pyarrow's)
    def place(row: int) -> str:
        return f"row {start + row + 1}"

    for name in part.schema.names:
        for row in np.flatnonzero(part.column(name).is_null().to_numpy(zero_copy_only=False)):
            raise InvalidOutcomesError(f"{path}: {place(int(row))}: no {name}")
    lists = part.column("tokens")
    values, lengths = lists.flatten(), lists.value_lengths().to_numpy()
    for token in np.flatnonzero(values.is_null().to_numpy(zero_copy_only=False)):
        at = int(np.searchsorted(np.cumsum(lengths), token, side="right"))
        position = token - lengths[:at].sum()
        raise InvalidOutcomesError(f"{path}: {place(at)}: a token is missing at place {position}")
    counts = None
    if "count" in part.schema.names:
        counts = part.column("count").to_numpy()
        require_counts(counts, lambda row: f"{path}: {place(row)}")
    for row in np.flatnonzero(lengths > coding.longest):
        told = no_outcome(lists[int(row)].as_py(), coding)
        raise InvalidOutcomesError(f"{path}: {place(int(row))}: {told}")
    return Batch(_padded(values.to_numpy(), lengths), counts, place)


def _padded(values: Any, lengths: Any) -> Any:  # noqa: ANN401  (ndarrays, of whatever integers)
    """Return lists that lie end to end as rows, padded after the last token."""
    longest = max(int(lengths.max(initial=0)), 1)
    if len(values) == longest * len(lengths):
        return values.reshape(len(lengths), longest)
    tokens = np.full((len(lengths), longest), PADDING, dtype=np.int64)
    tokens[np.arange(longest) < lengths[:, None]] = values
    return tokens
