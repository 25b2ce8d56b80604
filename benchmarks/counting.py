"""Counting and testing outcomes: ``python benchmarks/counting.py``.

Tokens that lie in memory are counted three ways: by `collections.Counter` over tuples, as a script
would; by `numpy.unique` over rows; and by `OutcomeCounter`.  Beside it the e-value test of what was
counted.  Then the same outcomes from files, next to a loop that parses a line at a time.  Equal
counts are asserted before anything is timed.  Last, the peak memory of a process that counts and
tests a vocabulary of 128 000 tokens.
"""

import csv
import json
import multiprocessing
import resource
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from side_by_side import median_seconds

from specdec_core.distributions import Row
from specdec_core.instances import Instance, dumps
from specdec_core.models import ConstantModel, Context
from specdec_verification.outcomes.counting import PADDING, Coding, OutcomeCounter
from specdec_verification.outcomes.reading import read_outcomes
from specdec_verification.results import Labels
from specdec_verification.statistics.e_process import check_e_process
from specdec_verification.statistics.sampled import Demand

DEMAND = Demand(false_fail_rate=1e-9, false_pass_rate=0.01, max_tv=0.01)
LABELS = Labels("benchmark", "lossless", "even", "", "")
SHAPES = ((8, 1), (64, 1), (4096, 1), (15, 3), (2, 11))
"""Vocabulary size and tokens in an outcome: from 8 to 4096 cells."""


def main(
    outcomes: int = 10_000_000,
    in_files: int = 1_000_000,
    huge: int = 100_000_000,
    repeats: int = 3,
) -> None:
    """Print the three tables."""
    print(
        f"{'V':>5} {'L':>3} {'Counter/s':>11} {'unique/s':>11} {'ours/s':>12} {'ratio':>6}", end=""
    )
    print(f" {'with test/s':>12}")
    for vocab_size, longest in SHAPES:
        compare_arrays(vocab_size, longest, outcomes, repeats)
    print(f"\n{'file':<9} {'loop/s':>11} {'ours/s':>12} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as folder:
        compare_files(Path(folder), in_files, repeats)
    mebibytes = in_own_process(128_000, huge)
    print(f"\nV = 128,000, {huge:,} outcomes counted and tested: peak {mebibytes:,.0f} MiB")


def compare_arrays(vocab_size: int, longest: int, outcomes: int, repeats: int) -> None:
    """Print one line; the two slow ways count a hundredth of the rows."""
    rng = np.random.default_rng(1)
    tokens = rng.integers(vocab_size, size=(outcomes, longest), dtype=np.int32)
    few = tokens[: max(outcomes // 100, 1)]
    assert with_counter(few) == with_unique(few) == counted(few, vocab_size)
    law = np.full(vocab_size**longest, float(vocab_size) ** -longest)
    ways: list[Callable[[], object]] = [
        lambda: with_counter(few),
        lambda: with_unique(few),
        lambda: counted(tokens, vocab_size),
        lambda: tested(counted(tokens, vocab_size), law, vocab_size, longest),
    ]
    seconds = median_seconds(ways, repeats)
    sizes = (len(few), len(few), outcomes, outcomes)
    rates = [size / each for size, each in zip(sizes, seconds, strict=True)]
    ratio = rates[2] / max(rates[:2])
    print(f"{vocab_size:>5} {longest:>3} {rates[0]:>11,.0f} {rates[1]:>11,.0f}", end="")
    print(f" {rates[2]:>12,.0f} {ratio:>6.0f} {rates[3]:>12,.0f}")


def with_counter(tokens: NDArray[np.integer]) -> Mapping[Context, int]:
    """Count as a script would."""
    return Counter(map(tuple, tokens.tolist()))


def with_unique(tokens: NDArray[np.integer]) -> Mapping[Context, int]:
    """Count by sorting rows."""
    rows, counts = np.unique(tokens, axis=0, return_counts=True)
    return dict(zip(map(tuple, rows.tolist()), counts.tolist(), strict=True))


def counted(tokens: NDArray[np.integer], vocab_size: int) -> Mapping[Context, int]:
    """Count by code."""
    counter = OutcomeCounter(Coding(vocab_size, tokens.shape[1]))
    counter.add(tokens)
    return counter.counts()


def tested(
    counts: Mapping[Context, int], law: NDArray[np.float64], vocab_size: int, longest: int
) -> object:
    """Test counts against the even law, its cells in the order of a dictionary."""
    cells = np.ndindex(*[vocab_size] * longest)
    expected = dict(zip(cells, law.tolist(), strict=True))
    return check_e_process(counts, expected, demand=DEMAND, labels=LABELS)


def compare_files(folder: Path, outcomes: int, repeats: int) -> None:
    """Print a line for each format: outcomes of one to three tokens out of fifteen."""
    rng = np.random.default_rng(2)
    tokens = rng.integers(15, size=(outcomes, 3), dtype=np.int32)
    tokens[np.arange(3) >= rng.integers(1, 4, size=outcomes)[:, None]] = PADDING
    even = ConstantModel(Row([1 / 15] * 15))
    instance = Instance(even, (even,), {"gamma": 2})
    for path, loop in write_files(folder, tokens, instance).items():
        ours = read_outcomes(path).counts
        assert loop(path) == ours
        slow, fast = median_seconds([lambda: loop(path), lambda: read_outcomes(path)], repeats)  # noqa: B023
        print(f"{path.suffix[1:]:<9} {outcomes / slow:>11,.0f} {outcomes / fast:>12,.0f}", end="")
        print(f" {slow / fast:>6.0f}")


Loop = Callable[[Path], Mapping[Context, int]]


def write_files(folder: Path, tokens: NDArray[np.integer], instance: Instance) -> dict[Path, Loop]:
    """Write one file in each format; return each with the loop that would read it."""
    rows = [[token for token in row if token != PADDING] for row in tokens.tolist()]
    text = dumps(instance)
    lines, commas, arrays = (folder / f"outcomes.{ending}" for ending in ("jsonl", "csv", "npz"))
    head = json.dumps({"instance": text})
    lines.write_text("\n".join([head, *(json.dumps({"tokens": row}) for row in rows), ""]))
    (folder / "even.json").write_text(text)
    written = (" ".join(map(str, row)) for row in rows)
    commas.write_text("\n".join(["# instance: even.json", "tokens", *written, ""]))
    np.savez(arrays, tokens=tokens, instance=text)
    loops: dict[Path, Loop] = {lines: loop_jsonl, commas: loop_csv, arrays: loop_npz}
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        return loops
    columns = folder / "outcomes.parquet"
    table = pa.table({"tokens": pa.array(rows, type=pa.list_(pa.int32()))})
    parquet.write_table(table.replace_schema_metadata({"instance": text}), columns)
    return {**loops, columns: loop_parquet}


def loop_jsonl(path: Path) -> Mapping[Context, int]:
    """Parse a line at a time."""
    with path.open() as file:
        next(file)
        return Counter(tuple(json.loads(line)["tokens"]) for line in file)


def loop_csv(path: Path) -> Mapping[Context, int]:
    """Parse a line at a time."""
    with path.open() as file:
        rows = list(csv.reader(file))[2:]
    return Counter(tuple(map(int, row[0].split())) for row in rows)


def loop_npz(path: Path) -> Mapping[Context, int]:
    """Count a row at a time."""
    rows = np.load(path)["tokens"].tolist()
    return Counter(tuple(token for token in row if token != PADDING) for row in rows)


def loop_parquet(path: Path) -> Mapping[Context, int]:
    """Count a row at a time."""
    from pyarrow import parquet

    return Counter(map(tuple, parquet.read_table(path).column("tokens").to_pylist()))


def in_own_process(vocab_size: int, outcomes: int) -> float:
    """Return the peak memory, in MiB, of a process that counts and tests a large vocabulary."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(peak, (vocab_size, outcomes))


def peak(vocab_size: int, outcomes: int) -> float:
    """Count batches of a skewed law, test them, and return this process's peak memory in MiB."""
    rng = np.random.default_rng(3)
    weights = 1 / np.arange(1, vocab_size + 1)
    sums = np.cumsum(weights / weights.sum())
    counter = OutcomeCounter(Coding(vocab_size, 1))
    batch = 1_000_000
    for done in range(0, outcomes, batch):
        drawn = np.searchsorted(sums, rng.random(min(batch, outcomes - done)), side="right")
        counter.add(np.minimum(drawn, vocab_size - 1)[:, None])
    tested(counter.counts(), weights / weights.sum(), vocab_size, 1)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
