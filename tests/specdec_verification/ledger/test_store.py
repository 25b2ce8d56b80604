"""A report is whole or not there: with other writers, a full disk, a file of someone else."""

import multiprocessing
import resource
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from specdec_core.errors import InvalidParameterError, LedgerError
from specdec_verification.ledger.store import MAX_DRAWS, Ledger, existing_ledger
from specdec_verification.ledger.streams import Standing, Stream

STREAM = Stream("sampler", "1.0", "toy", "batch number is the seed")
LATER = Stream("sampler", "1.1", "toy", "batch number is the seed")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger"


def test_counts_add_up_over_batches_and_runs(path: Path) -> None:
    with Ledger(path) as ledger:
        assert ledger.report(STREAM, "0", {(0, 1): 3, (2,): 1})
    with Ledger(path) as ledger:
        assert ledger.report(STREAM, "1", {(2,): 5, (0,): 0})
        assert ledger.counts(STREAM) == {(0, 1): 3, (2,): 6}
        assert ledger.keys(STREAM) == {"0", "1"}


def test_a_batch_reported_again_is_counted_once(path: Path) -> None:
    with Ledger(path) as ledger:
        assert ledger.report(STREAM, "0", {(1,): 2, (0,): 1})
        assert not ledger.report(STREAM, "0", {(0,): 1, (1,): 2})
        assert ledger.counts(STREAM) == {(0,): 1, (1,): 2}


def test_other_counts_under_one_key_are_an_error_and_change_nothing(path: Path) -> None:
    with Ledger(path) as ledger:
        ledger.report(STREAM, "0", {(1,): 2})
        with pytest.raises(LedgerError, match="'sampler' was reported before with other"):
            ledger.report(STREAM, "0", {(1,): 3})
        assert ledger.counts(STREAM) == {(1,): 2}
        assert ledger.report(STREAM, "1", {(1,): 1})


def test_streams_are_kept_apart(path: Path) -> None:
    with Ledger(path) as ledger:
        ledger.report(LATER, "0", {(1,): 5})
        ledger.report(STREAM, "0", {(1,): 2})
        ledger.report(STREAM, "1", {(1,): 2})
        assert ledger.counts(STREAM) == {(1,): 4}
        assert ledger.standings() == (Standing(STREAM, 2, 4), Standing(LATER, 1, 5))


def test_a_stream_that_was_never_reported_has_no_counts(path: Path) -> None:
    with Ledger(path) as ledger:
        assert (ledger.counts(STREAM), ledger.keys(STREAM), ledger.standings()) == ({}, set(), ())


def test_a_batch_of_no_outcomes_is_a_batch(path: Path) -> None:
    with Ledger(path) as ledger:
        assert ledger.report(STREAM, "0", {})
        assert ledger.standings() == (Standing(STREAM, 1, 0),)


@pytest.mark.parametrize("counts", [{(1,): -1}, {(1,): 1.5}, {(1,): True}, {(): 1}], ids=str)
def test_counts_that_are_none_are_an_error_and_nothing_is_written(
    path: Path, counts: dict[Any, Any]
) -> None:
    with Ledger(path) as ledger:
        with pytest.raises(InvalidParameterError):
            ledger.report(STREAM, "0", counts)
        assert ledger.standings() == ()


def report_many(path: Path, first: int, batches: int) -> None:
    with Ledger(path) as ledger:
        for number in range(first, first + batches):
            ledger.report(STREAM, str(number), {(number % 3,): number + 1})


def test_concurrent_writers_lose_nothing(path: Path) -> None:
    """Four processes make the file at once; the ranges overlap, and each batch counts once."""
    context = multiprocessing.get_context("forkserver")
    starts = (0, 10, 20, 10)
    writers = [context.Process(target=report_many, args=(path, start, 20)) for start in starts]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * 4
    with Ledger(path) as ledger:
        assert ledger.keys(STREAM) == set(map(str, range(40)))
        assert sum(ledger.counts(STREAM).values()) == sum(range(1, 41))


def report_until_full(path: Path, sending: Any) -> None:  # noqa: ANN401
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    wide = {(token,): token + 1 for token in range(500)}
    with Ledger(path) as ledger:
        for number in range(1000):
            try:
                ledger.report(STREAM, str(number), wide)
            except LedgerError as error:
                sending.send(str(error))
                return
            sending.send(number)


def test_a_full_disk_is_an_error_and_what_was_reported_stays(path: Path) -> None:
    context = multiprocessing.get_context("forkserver")
    receiving, sending = context.Pipe(duplex=False)
    writer = context.Process(target=report_until_full, args=(path, sending))
    writer.start()
    sending.close()
    *reported, error = _until_closed(receiving)
    writer.join()
    assert error.startswith(f"{path}: ")
    assert len(reported) > 3
    with Ledger(path) as ledger:
        assert ledger.keys(STREAM) == set(map(str, reported))
        assert ledger.counts(STREAM)[499,] == 500 * len(reported)
        assert ledger.report(STREAM, "after", {(1,): 1})


def _until_closed(receiving: Any) -> list[Any]:  # noqa: ANN401
    said = []
    while True:
        try:
            said.append(receiving.recv())
        except EOFError:
            return said


@pytest.mark.parametrize(
    "content", [b"counts,and,more\n" * 100, b""], ids=["text", "a database of another"]
)
def test_a_file_of_someone_else_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    if not content:
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE theirs (x)")
        database.close()
    before = path.read_bytes()
    with pytest.raises(LedgerError, match=r"no ledger of version 1|not a database"):
        Ledger(path)
    assert path.read_bytes() == before


def test_a_folder_is_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="unable to open"):
        Ledger(tmp_path)


@pytest.mark.parametrize(
    ("column", "value"), [("draws", "4"), ("counts", "'{\"1\":'"), ("counts", "'[1]'")]
)
def test_a_batch_that_was_tampered_with_is_an_error(path: Path, column: str, value: str) -> None:
    with Ledger(path) as ledger:
        ledger.report(STREAM, "0", {(1,): 3})
    with sqlite3.connect(path) as database:
        database.execute(f"UPDATE batches SET {column} = {value}")
    database.close()
    with Ledger(path) as ledger, pytest.raises(LedgerError):
        ledger.counts(STREAM)


def test_the_counts_can_be_read_without_us(path: Path) -> None:
    with Ledger(path) as ledger:
        ledger.report(STREAM, "0", {(1,): 3, (0, 2): 1})
        ledger.report(STREAM, "1", {(1,): 4})
    with sqlite3.connect(path) as database:
        rows = database.execute(
            "SELECT j.key, sum(j.value) FROM batches, json_each(counts) AS j GROUP BY j.key"
        ).fetchall()
    database.close()
    assert dict(rows) == {"1": 7, "0,2": 1}


@pytest.mark.parametrize(
    ("batch", "counts", "said"),
    [
        ("0", {(0,): 1 << 63}, "has 9223372036854775808 draws, at most 281474976710656"),
        ("0", {(-1,): 1}, "a token of"),
        ("0", {("a",): 1}, "a token of"),
        ("0", {(0.5,): 1}, "a token of"),
        (0, {(0,): 1}, "batch is 0, expected a text"),
        ("", {(0,): 1}, "batch is '', expected a text"),
        ("\ud800", {(0,): 1}, "expected a text"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(
    path: Path,
    batch: Any,  # noqa: ANN401
    counts: Any,  # noqa: ANN401
    said: str,
) -> None:
    with Ledger(path) as ledger:
        with pytest.raises(InvalidParameterError, match=said):
            ledger.report(STREAM, batch, counts)
        assert ledger.standings() == ()


def test_many_of_the_largest_batches_have_a_sum(path: Path) -> None:
    with Ledger(path) as ledger:
        for number in range(3):
            ledger.report(STREAM, str(number), {(0,): MAX_DRAWS})
        assert ledger.standings() == (Standing(STREAM, 3, 3 * MAX_DRAWS),)


@pytest.mark.parametrize("text", ["[1", "5", '{"0": 1.5}', '{"a": 2}', '{"-1":2}', '{" 0":2}'])
def test_counts_that_are_not_as_written_name_the_batch(path: Path, text: str) -> None:
    with Ledger(path) as ledger:
        ledger.report(STREAM, "first", {(0,): 2})
    with sqlite3.connect(path) as database:
        database.execute("UPDATE batches SET counts = ?", (text,))
    database.close()
    with Ledger(path) as ledger, pytest.raises(LedgerError, match="batch 'first': its counts are"):
        ledger.counts(STREAM)


def test_every_path_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What SQLite calls ``:memory:`` would be lost."""
    monkeypatch.chdir(tmp_path)
    with Ledger(Path(":memory:")) as ledger:
        ledger.report(STREAM, "first", {(0,): 2})
    with existing_ledger(tmp_path / ":memory:") as ledger:
        assert ledger.counts(STREAM) == {(0,): 2}
    with pytest.raises(LedgerError, match="null"):
        Ledger(tmp_path / "a\0b")


def test_an_empty_file_is_no_ledger_and_stays_empty(path: Path) -> None:
    path.touch()
    with pytest.raises(LedgerError, match="an empty file"):
        existing_ledger(path)
    assert not path.stat().st_size
