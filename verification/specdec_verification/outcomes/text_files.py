r"""Outcomes as lines of text: JSON Lines and CSV.

JSON Lines: ``{"instance": "toy.json", "longest": 3, "outcomes": 13}`` on the first line, and after
it an outcome a line, ``{"tokens": [0, 1]}``, or a count, ``{"tokens": [0, 1], "count": 12}``.

CSV: ``# instance: toy.json``, ``# longest: 3`` and ``# outcomes: 13``, then the header ``tokens``
or ``tokens,count``, then an outcome a line, its tokens parted by spaces: ``0 1,12``.  The last
line ends with a newline like the others: without one, ``0 1`` may be what is left of ``0 1 2``, and
is an error.

``longest`` and ``outcomes`` may be left out; but a file that was cut between two lines can only be
told from a whole one by the number of its outcomes.

A byte-order mark at the beginning is passed over, as editors and shells of Windows write one.

Lines come in chunks, and of equal lines in a chunk only one is parsed: files of outcomes repeat
themselves, and a chunk costs little more than reading it.
"""

import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, TypeAlias

import numpy as np

from specdec_core.errors import InvalidOutcomesError
from specdec_core.models import Context
from specdec_core.strict_json import parse, shown
from specdec_verification.outcomes.batches import Batch, Opened, Said, number_said
from specdec_verification.outcomes.counting import PADDING, Coding, no_outcome, shown_tokens

CHUNK = 1 << 17
"""Lines that are looked at together: some 20 MiB."""

MAX_LINE = 1 << 12
"""Characters of an outcome: 63 tokens of as many digits as there can be are a third of it."""

MAX_HEAD = 1 << 26
"""Characters of a line before the first outcome; it may hold a whole instance."""

MAX_COUNT = 1 << 62
"""Of one line: past it, sums would not fit 63 bits."""

_CSV_LINE = re.compile(rb"(0|[1-9]\d{0,17})( (0|[1-9]\d{0,17}))*(,(0|[1-9]\d{0,17}))?\r?\n?")
_INTEGER = re.compile(r"[0-9]{1,18}")
_COMMENT = re.compile(r"# (instance|longest|outcomes): (.+)")


@dataclass(frozen=True, slots=True)
class Line:
    """One outcome, and how often it came."""

    tokens: Context
    count: int = 1


Parse: TypeAlias = Callable[[bytes], Line]
"""From one line, its newline included, to the outcome; raises `InvalidOutcomesError`."""


def open_jsonl(path: Path, file: IO[bytes]) -> Opened:
    """Open a JSON Lines file.

    Raises
    ------
    InvalidOutcomesError
        If a line is none of those described above, naming it by its number.
    """
    first = _first_line(path, file)
    document = _placed(lambda line: _object(line), first, path, 1) if first else {}
    if "tokens" in document:
        return Opened(
            Said(), partial(_batches, path, chain([first], _lines(file)), (1, _json_line))
        )
    place = f"{path}: line 1"
    head = f"{place}: no key 'tokens', so it is the head"
    _require_keys(document, {"instance", "longest", "outcomes"}, head)
    instance = document.get("instance")
    if instance is not None and not isinstance(instance, str):
        raise InvalidOutcomesError(f"{place}: instance is {shown(instance)}, expected a text")
    numbers = (number_said(document.get(name), name, place) for name in ("longest", "outcomes"))
    return Opened(Said(instance, *numbers), partial(_batches, path, _lines(file), (2, _json_line)))


def open_csv(path: Path, file: IO[bytes]) -> Opened:
    """Open a CSV file.

    Raises
    ------
    InvalidOutcomesError
        If a line is none of those described above, naming it by its number.
    """
    said: dict[str, str] = {}
    lines = chain([_first_line(path, file)], iter(partial(file.readline, MAX_HEAD), b""))
    for number, line in enumerate(lines, start=1):
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if text in _HEADERS:
            numbers = (_number(said, name, path) for name in ("longest", "outcomes"))
            head = Said(said.get("instance"), *numbers)
            form = (number + 1, _HEADERS[text])
            return Opened(head, partial(_batches, path, _lines(file), form))
        comment = _COMMENT.fullmatch(text)
        if comment is None:
            raise InvalidOutcomesError(
                f"{path}: line {number}: {shown(text)}, expected '# instance: FILE', "
                f"'# longest: NUMBER', '# outcomes: NUMBER', or the header {_either()}"
            )
        if comment[1] in said:
            raise InvalidOutcomesError(f"{path}: line {number}: a second '# {comment[1]}: '")
        said[comment[1]] = comment[2]
    raise InvalidOutcomesError(f"{path}: no header, expected {_either()}")


def _number(said: Mapping[str, str], name: str, path: Path) -> int | None:
    text = said.get(name)
    number = int(text) if text is not None and _INTEGER.fullmatch(text) else text
    return number_said(number, name, str(path))


def _first_line(path: Path, file: IO[bytes]) -> bytes:
    line = file.readline(MAX_HEAD)
    if len(line) == MAX_HEAD:
        raise InvalidOutcomesError(
            f"{path}: line 1: {MAX_HEAD} characters or more, expected fewer before an outcome"
        )
    return line.removeprefix(BOM_UTF8)


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield lines, of one that is too long no more than tells so: it need not fit the memory."""
    return iter(partial(file.readline, MAX_LINE + 1), b"")


def _batches(
    path: Path, lines: Iterator[bytes], form: tuple[int, Parse], coding: Coding
) -> Iterator[Batch]:
    """Yield a batch for every chunk of lines, of a form: the number of the first, and a parser."""
    number, parse_line = form
    while chunk := list(islice(lines, CHUNK)):
        counted = Counter(chunk)
        parsed: list[Line] = []
        for line in counted:
            try:
                parsed.append(_fitting(line, parse_line, coding))
            except InvalidOutcomesError as error:
                at = number + chunk.index(line)
                raise InvalidOutcomesError(f"{path}: line {at}: {error}") from None
        yield _batch(path, chunk, counted, parsed, number)
        number += len(chunk)


def _fitting(line: bytes, parse_line: Parse, coding: Coding) -> Line:
    """Return the outcome of a line, which the others of its chunk can be padded to."""
    if len(line) > MAX_LINE:
        raise InvalidOutcomesError(f"more than {MAX_LINE} characters, expected an outcome")
    parsed = parse_line(line)
    if len(parsed.tokens) > coding.longest:
        raise InvalidOutcomesError(no_outcome(parsed.tokens, coding))
    return parsed


def _batch(
    path: Path, chunk: list[bytes], counted: Mapping[bytes, int], parsed: list[Line], number: int
) -> Batch:
    distinct = list(counted)
    tokens = np.full((len(parsed), max(len(line.tokens) for line in parsed)), PADDING)
    for row, line in zip(tokens, parsed, strict=True):
        row[: len(line.tokens)] = line.tokens
    counts = [line.count * counted[text] for line, text in zip(parsed, distinct, strict=True)]
    for row_number, count in enumerate(counts):
        if count > MAX_COUNT:
            at = number + chunk.index(distinct[row_number])
            raise InvalidOutcomesError(
                f"{path}: line {at}: a count of {count}, at most {MAX_COUNT}"
            )
    return Batch(
        tokens,
        np.array(counts, dtype=np.int64),
        lambda row: f"line {number + chunk.index(distinct[row])}",
    )


def _placed(
    function: Callable[[bytes], dict[str, object]], line: bytes, path: Path, number: int
) -> dict[str, object]:
    try:
        return function(line)
    except InvalidOutcomesError as error:
        raise InvalidOutcomesError(f"{path}: line {number}: {error}") from None


def _object(line: bytes) -> dict[str, object]:
    text = line.decode("utf-8", "replace").rstrip("\r\n")
    if not text.strip():
        raise InvalidOutcomesError("an empty line is not JSON, expected an object")
    document = parse(text, InvalidOutcomesError)
    if not isinstance(document, dict):
        raise InvalidOutcomesError(f"{shown(document)}, expected an object")
    return document


def _json_line(line: bytes) -> Line:
    document = _object(line)
    _require_keys(document, {"tokens", "count"}, "")
    tokens = document.get("tokens")
    if not isinstance(tokens, list):
        raise InvalidOutcomesError(f"tokens is {shown(tokens)}, expected a list of integers")
    for token in tokens:
        if type(token) is not int:
            raise InvalidOutcomesError(f"tokens has {shown(token)}, expected a list of integers")
    if not tokens or min(tokens) < 0 or max(tokens) >= 1 << 62:
        raise InvalidOutcomesError(
            f"tokens is {shown_tokens(tokens)}, expected at least one, none negative and none of "
            "2^62 or more"
        )
    count = document.get("count", 1)
    if type(count) is not int or count < 0:
        raise InvalidOutcomesError(f"count is {shown(count)}, expected a nonnegative integer")
    return Line(tuple(tokens), count)


def _csv_line(line: bytes, counted: bool) -> Line:
    text, comma, count = line.strip(b"\r\n").partition(b",")
    if not _CSV_LINE.fullmatch(line) or bool(comma) is not counted:
        form = "tokens parted by spaces" + (", a comma and a count" if counted else "")
        raise InvalidOutcomesError(f"{line.decode('utf-8', 'replace').strip()!r}, expected {form}")
    if not line.endswith(b"\n"):
        raise InvalidOutcomesError(
            f"{line.decode()!r} has no newline, expected one at the end of every line: it may be "
            "the beginning of a longer one"
        )
    return Line(tuple(map(int, text.split())), int(count) if counted else 1)


def _require_keys(document: dict[str, object], known: set[str], place: str) -> None:
    for key in document:
        if key not in known:
            prefix = f"{place}: " if place else ""
            raise InvalidOutcomesError(
                f"{prefix}unknown key {key!r}, expected {' and '.join(sorted(known))}"
            )


_HEADERS: Mapping[str, Parse] = {
    "tokens": partial(_csv_line, counted=False),
    "tokens,count": partial(_csv_line, counted=True),
}
"""From the header of a CSV file to what parses its lines."""


def _either() -> str:
    return " or ".join(map(repr, _HEADERS))
