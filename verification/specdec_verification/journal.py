"""A journal of finished cells, so that a run that was killed goes on where it stopped.

The file is text: a line that says what was run, then a line a cell, appended when the cell is
finished and never changed.  A run that is killed loses the cells in hand.  If it was killed within
a line, the torn line is cut off and its cell is run again; a cell that stands there twice, as when
two runs wrote to one journal, is counted once.

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
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

import specdec_core
import specdec_grids
from specdec_core.errors import JournalError
from specdec_verification.plan import Plan
from specdec_verification.results import CheckResult, Evidence, Labels, Risk, Verdict
from specdec_verification.tally import Position
from specdec_verification.units import Finished

FORM = 1
"""Of the lines."""

LONGEST_LINE = 1 << 20
"""In bytes; what is torn off at the end is shorter."""


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
        self._places = {section.name: place for place, section in enumerate(plan.sections)}
        self._sizes = [section.size for section in plan.sections]
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
                    yield self._position(record["cell"]), _result(record["result"])
                except (ValueError, LookupError, TypeError) as error:
                    raise JournalError(
                        f"{self._path}, line {number}: no finished cell of this plan ({error})"
                    ) from None

    def append(self, finished: Finished) -> None:
        """Add the cells of a unit; when this returns, an end of the process does not lose them.

        Raises
        ------
        JournalError
            If they cannot be written.
        """
        name, pairs = (
            finished.unit.section.name,
            zip(finished.unit.cells, finished.results, strict=True),
        )
        lines = b"".join(
            _line({"cell": f"{name}/{number}", "result": _record(result)})
            for number, result in pairs
        )
        try:
            written = self._file.write(lines)
        except OSError as error:
            raise JournalError(f"{self._path}: {error.strerror}") from None
        if written != len(lines):
            raise JournalError(f"{self._path}: wrote {written} bytes of {len(lines)}")

    def _position(self, name: str) -> Position:
        section, _, number = name.rpartition("/")
        position = Position(self._places[section], int(number))
        if not 0 <= position.number < self._sizes[position.place]:
            raise LookupError(name)
        return position


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
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - LONGEST_LINE))
        tail = file.read()
        if b"\n" in tail:  # of what has no line at all, nothing is ours to cut
            file.truncate(size - len(tail) + tail.rindex(b"\n") + 1)


def _require_same(path: Path, here: dict[str, object]) -> None:
    """Refuse what another run has written, or no run."""
    with path.open("rb") as file:
        first = file.readline(LONGEST_LINE)
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


def _record(result: CheckResult) -> dict[str, object]:
    """Return a result as JSON: a fraction as text, a float as a number."""
    distance = result.total_variation
    exact = str(distance) if isinstance(distance, Fraction) else distance
    return {**asdict(result), "total_variation": exact}


def _result(record: dict[str, Any]) -> CheckResult:
    """Return the result that a record was made of."""
    distance, risk = record["total_variation"], record["risk"]
    return CheckResult(
        **{
            **record,
            "labels": Labels(**record["labels"]),
            "verdict": Verdict(record["verdict"]),
            "evidence": Evidence(record["evidence"]),
            "total_variation": Fraction(distance) if isinstance(distance, str) else distance,
            "risk": None if risk is None else Risk(**risk),
        }
    )
