"""Files of the same outcomes in every format."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from specdec_core.instances import Instance, dumps

Counts = Mapping[tuple[int, ...], int]
Write = Callable[[Path, Instance, Counts], Path]


def _rows(counts: Counts) -> list[tuple[int, ...]]:
    return [tokens for tokens, count in counts.items() for _ in range(count)]


def _padded(rows: list[tuple[int, ...]]) -> np.ndarray:
    tokens = np.full((len(rows), max(map(len, rows), default=1)), -1, dtype=np.int32)
    for row, outcome in zip(tokens, rows, strict=True):
        row[: len(outcome)] = outcome
    return tokens


def jsonl_outcomes(folder: Path, instance: Instance, counts: Counts) -> Path:
    head = {"instance": dumps(instance), "outcomes": sum(counts.values())}
    lines = [head, *({"tokens": list(row)} for row in _rows(counts))]
    path = folder / "outcomes.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def jsonl_counts(folder: Path, instance: Instance, counts: Counts) -> Path:
    (folder / "toy.json").write_text(dumps(instance))
    lines = [{"tokens": list(tokens), "count": count} for tokens, count in counts.items()]
    path = folder / "counts.jsonl"
    head = {"instance": "toy.json", "longest": 3}
    path.write_text("\n".join(map(json.dumps, [head, *lines])))  # the last without a newline
    return path


def csv_outcomes(folder: Path, instance: Instance, counts: Counts) -> Path:
    (folder / "toy.json").write_text(dumps(instance))
    head = ["# instance: toy.json", f"# outcomes: {sum(counts.values())}", "tokens"]
    lines = [*head, *(" ".join(map(str, row)) for row in _rows(counts))]
    path = folder / "outcomes.csv"
    path.write_bytes("".join(f"{line}\r\n" for line in lines).encode())
    return path


def csv_counts(folder: Path, instance: Instance, counts: Counts) -> Path:
    (folder / "toy.json").write_text(dumps(instance))
    lines = [f"{' '.join(map(str, tokens))},{count}" for tokens, count in counts.items()]
    path = folder / "counts.csv"
    head = ["# instance: toy.json", "# longest: 3", "tokens,count"]
    path.write_text("".join(f"{line}\n" for line in [*head, *lines]))
    return path


def npz_outcomes(folder: Path, instance: Instance, counts: Counts) -> Path:
    path = folder / "outcomes.npz"
    np.savez(path, tokens=_padded(_rows(counts)), instance=dumps(instance))
    return path


def npz_counts(folder: Path, instance: Instance, counts: Counts) -> Path:
    path = folder / "counts.npz"
    tokens, often = _padded(list(counts)), np.array(list(counts.values()), dtype=np.uint32)
    np.savez_compressed(path, tokens=tokens, counts=often, instance=dumps(instance), longest=3)
    return path


def parquet_outcomes(folder: Path, instance: Instance, counts: Counts) -> Path:
    return _parquet(folder / "outcomes.parquet", {"tokens": _rows(counts)}, instance, {})


def parquet_counts(folder: Path, instance: Instance, counts: Counts) -> Path:
    columns = {"tokens": list(counts), "count": list(counts.values())}
    return _parquet(folder / "counts.parquet", columns, instance, {"longest": "3"})


def _parquet(
    path: Path, columns: Mapping[str, list], instance: Instance, metadata: Mapping[str, str]
) -> Path:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    kinds = {"tokens": pa.list_(pa.int32()), "count": pa.int64()}
    table = pa.table(
        {name: pa.array(map(_listed, values), type=kinds[name]) for name, values in columns.items()}
    )
    table = table.replace_schema_metadata({"instance": dumps(instance), **metadata})
    parquet.write_table(table, path, row_group_size=5)
    return path


def _listed(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


WRITERS: dict[str, Write] = {
    writer.__name__: writer
    for writer in (
        jsonl_outcomes,
        jsonl_counts,
        csv_outcomes,
        csv_counts,
        npz_outcomes,
        npz_counts,
        parquet_outcomes,
        parquet_counts,
    )
}


@pytest.fixture(params=WRITERS.values(), ids=WRITERS)
def write(request: pytest.FixtureRequest) -> Write:
    """Return what writes counts of an instance into a folder, in one format after another."""
    return request.param
