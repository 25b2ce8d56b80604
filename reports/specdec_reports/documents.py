"""A run as one JSON document, and back: the form that every other report can be made from.

The document mirrors `Run` field for field, so that nothing is lost: a fraction is a string such as
``"41/256"``, what was not found is ``null``, and a run that was read back equals the one that was
written.  Reading is strict, for a report made of half a run would look like a whole one.
"""

import json
import math
import re
from dataclasses import fields, is_dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache
from types import GenericAlias, NoneType, UnionType
from typing import TYPE_CHECKING, Final, TypeAlias, get_args, get_type_hints

from specdec_verification.results import Run

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Kind: TypeAlias = type | GenericAlias | UnionType
"""What a field is declared with: a type, a tuple of one, or a choice."""

SCHEMA_VERSION: Final = 3
"""Of the document; 1 had no reader, 2 no laws."""

WRITTEN_FRACTION: Final = re.compile(r"-?[0-9]{1,4000}(/0*[1-9][0-9]{0,3999})?", re.ASCII)

WORDS: Final[dict[type, str]] = {
    bool: "true or false",
    dict: "an object",
    float: "a number",
    int: "an integer",
    list: "a list",
    Fraction: 'a fraction such as "1/3"',
    NoneType: "null",
    str: "a string",
}
"""What is expected, in words."""


class InvalidResultsError(ValueError):
    """A text is no document that `as_json` writes."""


def as_json(run: Run) -> str:
    """Return a run as JSON, with the version of its form."""
    return json.dumps({"schema_version": SCHEMA_VERSION, **_record(run)}, indent=1) + "\n"


def run_from_json(text: str) -> Run:
    """Return the run that `as_json` wrote.

    Raises
    ------
    InvalidResultsError
        If the text is not JSON, of another version of the form, or if a key is missing, unknown
        or twice there, or a value of the wrong type.  The message names the place.
    """
    document = _parsed(text)
    if not isinstance(document, dict) or "schema_version" not in document:
        raise InvalidResultsError("no results of a run: expected an object with a schema_version")
    found = document.pop("schema_version")
    if type(found) is not int or found != SCHEMA_VERSION:
        raise InvalidResultsError(
            f"schema_version is {_shown(found)}, expected {SCHEMA_VERSION}; "
            "`specdec-verify verify --out` writes it anew"
        )
    run = _read_record(Run, document, "")
    assert isinstance(run, Run)
    return run


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return _record(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Fraction | StrEnum) else value


def _record(value: "DataclassInstance") -> dict[str, object]:
    return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}


def _parsed(text: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refused)
    except json.JSONDecodeError as error:
        raise InvalidResultsError(f"not JSON: {error}") from None
    except RecursionError:
        raise InvalidResultsError("nested too deeply") from None
    except InvalidResultsError:
        raise
    except ValueError as error:  # a number of more digits than Python reads
        raise InvalidResultsError(str(error).partition(";")[0]) from None


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidResultsError(f"key {_shown(twice)} stands twice in one object")
    return record


def _refused(name: str) -> object:
    raise InvalidResultsError(f"{name} stands in it, expected finite numbers")


def _read(kind: Kind, value: object, place: str) -> object:
    """Return what a value says as the type that a field is declared with."""
    choices = get_args(kind) if isinstance(kind, UnionType) else (kind,)
    for choice in choices:
        if type(value) in _json_types(choice):
            return _as(choice, value, place)
    raise _unexpected(value, place, " or ".join(_words(choice) for choice in choices))


def _as(kind: type | GenericAlias, value: object, place: str) -> object:
    """Return a value that JSON has in the right type as one of our own."""
    if isinstance(value, list):
        item = get_args(kind)[0]
        return tuple(_read(item, one, f"{place}[{i}]") for i, one in enumerate(value))
    assert isinstance(kind, type)
    if isinstance(value, dict):
        return _read_record(kind, value, place)
    if isinstance(value, str):
        return _read_string(kind, value, place)
    return _finite(value, place) if kind is float and isinstance(value, int | float) else value


def _read_record(kind: type, record: dict[str, object], place: str) -> object:
    declared = _declared(kind)
    where = f" in {place}" if place else ""
    for name in declared:
        if name not in record:
            raise InvalidResultsError(f"key {name!r} is missing{where}")
    for name in record:
        if name not in declared:
            raise InvalidResultsError(f"key {_shown(name)}{where} is unknown")
    prefix = f"{place}." if place else ""
    return kind(**{name: _read(declared[name], record[name], prefix + name) for name in declared})


def _read_string(kind: type, text: str, place: str) -> object:
    if kind is Fraction and not WRITTEN_FRACTION.fullmatch(text):
        raise _unexpected(text, place, WORDS[Fraction])
    if issubclass(kind, StrEnum) and text not in list(kind):
        raise _unexpected(text, place, f"one of {', '.join(kind)}")
    return kind(text)


def _finite(value: float, place: str) -> float:
    """Return a number as a float; JSON's own may be larger than any."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidResultsError(f"{place} is too large for a float")
    return number


@cache
def _declared(kind: type) -> dict[str, Kind]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _json_types(kind: type | GenericAlias) -> tuple[type, ...]:
    """Return what a value of a type can be in JSON: a number is no boolean."""
    if isinstance(kind, GenericAlias):
        return (list,)
    if is_dataclass(kind):
        return (dict,)
    if kind is float:
        return (int, float)
    return (str,) if issubclass(kind, Fraction | StrEnum) else (kind,)


def _words(kind: type | GenericAlias) -> str:
    if isinstance(kind, type) and kind in WORDS:
        return WORDS[kind]
    return WORDS[_json_types(kind)[0]]


def _unexpected(value: object, place: str, expected: str) -> InvalidResultsError:
    return InvalidResultsError(f"{place} is {_shown(value)}, expected {expected}")


def _shown(value: object) -> str:
    """Return a value as JSON has it if it is short, else its kind."""
    if isinstance(value, dict | list):
        return WORDS[type(value)]
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
