"""A journal of finished cells, so that a run that was killed goes on where it stopped.

The file is text: a line that says what was run, then a line a unit of cells, appended when they
are finished and never changed.  A run that is killed loses the cells in hand.  If it was killed
within a line, the torn line is cut off and its cells are run again; a cell that stands there twice,
as when two runs wrote to one journal, is counted once.

A cell that did not end is not finished: one that raised, ran past its limit of time or memory, or
was lost with its worker has no line, and a run that is resumed tries it again, be it with other
limits.

What was found by one version says nothing of another.  The first line holds the version, the
profile, the rules, the sections of the plan and a digest of the source; if one differs, the journal
is refused, and the message names the first difference.  Rules from outside this package are known
by name, claim and parameters, not by their source.

Not here: what was drawn of a sampler from run to run (`specdec_verification.ledger`).
"""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

import specdec_core
import specdec_grids
from specdec_core.errors import JournalError
from specdec_verification.cells import ended
from specdec_verification.journal_lines import line_of, results_of
from specdec_verification.plan import Plan
from specdec_verification.results import CheckResult
from specdec_verification.tally import Position
from specdec_verification.units import Finished, Unit

FORM = 2
"""Of the lines."""

LONGEST_HEAD = 1 << 20
"""Bytes of the first line; a file whose first line is longer is no journal."""

BLOCK = 1 << 16
"""Bytes that are looked through at once for the end of the last whole line."""


class Journal:
    """An open journal of a plan; made if the file does not exist.

    Parameters
    ----------
    path : Path
    plan : Plan
        What is run.

    Raises
    ------
    JournalError
        If the file is no journal, is one of something else, or cannot be read or written.
    """

    def __init__(self, path: Path, plan: Plan) -> None:
        self._path = path
        self._sections = plan.sections
        self._places = {section.name: place for place, section in enumerate(plan.sections)}
        head = json.loads(json.dumps(_head(plan)))
        try:
            if not path.exists() or not path.stat().st_size:
                _create(path, _line(head))
            _cut_torn(path)
            _require_same(path, head)
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            raise JournalError(f"{path}: {error.strerror}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._file.close()

    def results(self) -> Iterator[tuple[Position, CheckResult]]:
        """Yield what was found before, in the order in which it was.

        Raises
        ------
        JournalError
            If a line is none that a run writes.
        """
        with self._path.open("rb") as file:
            next(file)
            for number, line in enumerate(file, start=2):
                try:
                    record = json.loads(line)
                    place = self._places[record["section"]]
                    for at, result in results_of(record, self._sections[place]):
                        yield Position(place, at), result
                except (ValueError, LookupError, TypeError) as error:
                    raise JournalError(
                        f"{self._path}, line {number}: no finished cells of this plan ({error})"
                    ) from None

    def append(self, finished: Finished) -> None:
        """Add the cells of a unit that ended; when this returns, no end of the process loses them.

        Raises
        ------
        JournalError
            If they cannot be written.
        """
        lines = b"".join(map(line_of, _ended(finished)))
        try:
            written = self._file.write(lines)
        except OSError as error:
            raise JournalError(f"{self._path}: {error.strerror}") from None
        if written != len(lines):
            raise JournalError(f"{self._path}: wrote {written} bytes of {len(lines)}")


def _head(plan: Plan) -> dict[str, object]:
    """Return what a run's results depend on; what says most stands first."""
    return {
        "journal": FORM,
        "version": version("specdec-verify"),
        "profile": asdict(plan.profile),
        "rules": {
            rule.name: {"lossless": rule.lossless, "parameters": str(dict(rule.parameters))}
            for rule in plan.rules
        },
        "sections": {section.name: section.size for section in plan.sections},
        "numpy": np.__version__,  # its generators may draw otherwise in another version
        "source": source_digest(),
    }


def source_digest() -> str:
    """Return a digest of every file that a result of this package can depend on."""
    digest = hashlib.sha256()
    for folder in (specdec_core.__file__, specdec_grids.__file__, __file__):
        parent = Path(str(folder)).parent
        for path in sorted(parent.rglob("*")):
            if path.suffix in {".py", ".json"}:
                digest.update(f"{path.relative_to(parent)}\0".encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _create(path: Path, head: bytes) -> None:
    """Make a journal under another name first, so that its first line is never torn."""
    half = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        half.write_bytes(head)
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)


def _cut_torn(path: Path) -> None:
    """Cut off what comes after the last whole line, if anything does."""
    with path.open("rb+") as file:
        end = file.seek(0, os.SEEK_END)
        while end:  # of what has no line at all, nothing is ours to cut
            start = max(0, end - BLOCK)
            file.seek(start)
            newline = file.read(end - start).rfind(b"\n")
            if newline >= 0:
                file.truncate(start + newline + 1)
                return
            end = start


def _require_same(path: Path, here: dict[str, object]) -> None:
    """Refuse what another run has written, or no run."""
    with path.open("rb") as file:
        first = file.readline(LONGEST_HEAD)
    try:
        there = json.loads(first)
    except ValueError:
        there = None
    if not isinstance(there, dict) or there.get("journal") != FORM:
        raise JournalError(f"{path}: no journal of a run, of form {FORM}")
    difference = _difference(there, here, "")
    if difference:
        raise JournalError(f"{path}: cannot be resumed: {difference}")


def _difference(there: object, here: object, place: str) -> str:
    """Return the first difference of two documents in words; nothing if there is none."""
    if there == here:
        return ""
    if not isinstance(there, dict) or not isinstance(here, dict):
        return f"{place} was {there!r}, and is {here!r}"
    for key in (*here, *there):
        name = f"{place} {key}".strip()
        if key not in there:
            return f"{name} was not there"
        if key not in here:
            return f"{name} is not there any more"
        found = _difference(there[key], here[key], name)
        if found:
            return found
    return ""


def _line(document: dict[str, object]) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode() + b"\n"


def _ended(finished: Finished) -> Iterator[Finished]:
    """Yield the parts of a unit whose checks ended."""
    place, section = finished.unit.key[0], finished.unit.section
    pairs = zip(finished.unit.cells, finished.results, strict=True)
    for whole, part in groupby(pairs, key=lambda pair: ended(pair[1])):
        if whole:
            numbers, results = zip(*part, strict=True)
            cells = range(numbers[0], numbers[-1] + 1)
            yield Finished(Unit(place, section, cells), results)
