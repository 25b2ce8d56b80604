"""The ledger's file: batches of counts, each written whole or not at all, and never changed.

The file is a SQLite database with a rollback journal: one file that can be copied or uploaded when
nobody writes to it.  A report is one transaction.  When `report` has returned, the batch is on the
disk; if the process is killed before, or the disk is full, nothing of the batch is there.  Writers
wait for one another.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from types import TracebackType
from typing import Self

from specdec_core.errors import InvalidParameterError, LedgerError
from specdec_core.models import Context, context_key
from specdec_core.parameters import require_integer
from specdec_core.strict_json import parse
from specdec_verification.ledger.streams import Standing, Stream, require_text

VERSION = 1
"""Of the tables."""

APPLICATION = 0x53444C47
"""SQLite's mark of whose file it is: "SDLG" in ASCII."""

MAX_DRAWS = 1 << 48
"""Of one batch; sums of batches fit SQLite's integers."""

PATIENCE = 60.0
"""Seconds that a writer waits for others."""

_TABLES = (
    """
    CREATE TABLE IF NOT EXISTS streams (
        id INTEGER PRIMARY KEY,
        subject TEXT NOT NULL,
        version TEXT NOT NULL,
        instance TEXT NOT NULL,
        seed_policy TEXT NOT NULL,
        UNIQUE (subject, version, instance, seed_policy)
    )""",
    """
    CREATE TABLE IF NOT EXISTS batches (
        stream INTEGER NOT NULL REFERENCES streams,
        key TEXT NOT NULL,
        draws INTEGER NOT NULL,
        counts TEXT NOT NULL,  -- an object from tokens joined by commas to how often they came
        PRIMARY KEY (stream, key)
    )""",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
)
_OURS = [APPLICATION, VERSION]
_FIND = (
    "SELECT id FROM streams WHERE subject = ? AND version = ? AND instance = ? AND seed_policy = ?"
)


class Ledger:
    """An open ledger; made if the file does not exist.

    Parameters
    ----------
    path : Path
        Of the file; on a disk of this machine.

    Raises
    ------
    LedgerError
        If the file is something else, of another version, or cannot be opened.

    Examples
    --------
    >>> import tempfile
    >>> stream = Stream("my sampler", "1.0", "toy", "entropy")
    >>> with tempfile.TemporaryDirectory() as folder, Ledger(Path(folder) / "ledger") as ledger:
    ...     ledger.report(stream, "first", {(0, 1): 3, (1,): 2})
    ...     ledger.report(stream, "first", {(0, 1): 3, (1,): 2})
    ...     ledger.report(stream, "second", {(1,): 1})
    ...     ledger.counts(stream)
    True
    False
    True
    {(0, 1): 3, (1,): 3}
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._explained():
            # Absolute, since ":memory:" is no file to SQLite, and would be lost.
            file = path.absolute()
            self._database = sqlite3.connect(file, timeout=PATIENCE, isolation_level=None)
        try:
            self._require_ours()
        except BaseException:
            self._database.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what was reported stays."""
        self._database.close()

    def report(self, stream: Stream, batch: str, counts: Mapping[Context, int]) -> bool:
        """Add a batch of outcomes, whole or not at all, and return whether it was new.

        Parameters
        ----------
        stream : Stream
        batch : str
            Its key: a batch of that key is counted once.
        counts : mapping of tuple of int to int
            How often each outcome was drawn, at least zero.

        Raises
        ------
        LedgerError
            If it cannot be written, or other counts were reported under that key.
        InvalidParameterError
            If a count is no integer, or negative, or they are more than `MAX_DRAWS`; if an outcome
            is not of tokens; or if the key is no text.
        """
        require_text(batch, "batch")
        text, draws = _written(counts), int(sum(counts.values()))
        if draws > MAX_DRAWS:
            raise InvalidParameterError(f"batch {batch!r} has {draws} draws, at most {MAX_DRAWS}")
        with self._transaction():
            number = self._number(stream)
            if number is None:
                self._database.execute(
                    "INSERT INTO streams (subject, version, instance, seed_policy) "
                    "VALUES (?, ?, ?, ?)",
                    astuple(stream),
                )
                number = self._number(stream)
            known = self._database.execute(
                "SELECT counts FROM batches WHERE stream = ? AND key = ?", (number, batch)
            ).fetchone()
            if known is None:
                self._database.execute(
                    "INSERT INTO batches VALUES (?, ?, ?, ?)", (number, batch, draws, text)
                )
            elif known[0] != text:
                raise LedgerError(
                    f"{self._path}: batch {batch!r} of {stream.subject!r} was reported before with "
                    "other counts: its seed does not determine it, or the version should differ"
                )
        return known is None

    def batches(self, stream: Stream) -> dict[str, dict[Context, int]]:
        """Return the counts of every batch of a stream, by key, in the order of the reports."""
        with self._explained():
            rows = self._database.execute(
                "SELECT key, counts, draws FROM batches WHERE stream = ? ORDER BY rowid",
                (self._number(stream),),
            ).fetchall()
        return {key: self._read(key, text, draws) for key, text, draws in rows}

    def keys(self, stream: Stream) -> frozenset[str]:
        """Return the keys of a stream's batches."""
        with self._explained():
            rows = self._database.execute(
                "SELECT key FROM batches WHERE stream = ?", (self._number(stream),)
            ).fetchall()
        return frozenset(key for (key,) in rows)

    def counts(self, stream: Stream) -> dict[Context, int]:
        """Return how often each outcome of a stream was drawn, in all its batches."""
        total: dict[Context, int] = {}
        for counts in self.batches(stream).values():
            for outcome, count in counts.items():
                total[outcome] = total.get(outcome, 0) + count
        return dict(sorted(total.items()))

    def standings(self) -> tuple[Standing, ...]:
        """Return how far every stream has come, by subject, version, instance and seed policy."""
        with self._explained():
            rows = self._database.execute(
                "SELECT subject, version, instance, seed_policy, count(key), sum(draws) "
                "FROM streams JOIN batches ON stream = id GROUP BY id"
            ).fetchall()
        found = [Standing(Stream(*row[:4]), *row[4:]) for row in rows]
        return tuple(sorted(found, key=lambda standing: standing.stream))

    def _number(self, stream: Stream) -> int | None:
        row = self._database.execute(_FIND, astuple(stream)).fetchone()
        return None if row is None else int(row[0])

    def _read(self, key: str, text: str, draws: int) -> dict[Context, int]:
        counts = _parsed(text, f"{self._path}: batch {key!r}")
        if sum(counts.values()) != draws:
            raise LedgerError(
                f"{self._path}: batch {key!r} says {draws} draws, its counts {sum(counts.values())}"
            )
        return counts

    def _require_ours(self) -> None:
        """Make the tables in a new file; refuse another's."""
        with self._explained():
            if self._marks() == _OURS:
                return
        with self._transaction():
            (tables,) = self._database.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            if not tables:
                for statement in _TABLES:
                    self._database.execute(statement)
            if self._marks() != _OURS:
                raise LedgerError(f"{self._path}: no ledger of version {VERSION}")

    def _marks(self) -> list[int]:
        pragmas = ("PRAGMA application_id", "PRAGMA user_version")
        return [self._database.execute(pragma).fetchone()[0] for pragma in pragmas]

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Write all or nothing; wait for whoever is writing."""
        with self._explained():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:  # SQLite ends it by itself on a full disk
                    self._database.execute("ROLLBACK")
                raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, ValueError) as error:  # a path with a null in it is the latter
            raise LedgerError(f"{self._path}: {error}") from error


def existing_ledger(path: Path) -> Ledger:
    """Return a ledger that is there; none is made.

    Raises
    ------
    LedgerError
        If there is no such file, or nothing in it, or something else.
    """
    if not path.is_file():
        raise LedgerError(f"{path}: no such file")
    if not path.stat().st_size:
        raise LedgerError(f"{path}: an empty file, expected a ledger")
    return Ledger(path)


def _written(counts: Mapping[Context, int]) -> str:
    """Return counts as text, the same for the same counts."""
    kept = {}
    for outcome, count in sorted(counts.items()):
        if not outcome:
            raise InvalidParameterError("counts has an outcome of no token, expected at least one")
        for token in outcome:
            require_integer(token, f"a token of {outcome!r}", minimum=0)
        number = require_integer(count, f"counts[{outcome}]", minimum=0)
        if number:
            kept[context_key(outcome)] = number
    return json.dumps(kept, separators=(",", ":"))


def _parsed(text: str, place: str) -> dict[Context, int]:
    try:
        document = parse(text, LedgerError)
        counts = {
            tuple(map(int, key.split(","))): require_integer(count, place, minimum=1)
            for key, count in document.items()  # type: ignore[attr-defined]
        }
        if _written(counts) == text:
            return counts
    except (AttributeError, ValueError, LedgerError):
        pass  # which of them it is tells nobody anything
    raise LedgerError(f"{place}: its counts are not as they are written")
