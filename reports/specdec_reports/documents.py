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
from types import NoneType, UnionType
from typing import Any, Final, get_args, get_origin, get_type_hints

from specdec_verification.results import Run

SCHEMA_VERSION: Final = 2
"""Of the document; 1 had no reader."""

WRITTEN_FRACTION: Final = re.compile(r"-?[0-9]{1,4000}(/0*[1-9][0-9]{0,3999})?", re.ASCII)

WORDS: Final = {
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
    run: Run = _read(Run, document, "")
    return run


def _plain(value: object) -> object:
    if is_dataclass(value):
        return _record(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Fraction | StrEnum) else value


def _record(value: Any) -> dict[str, object]:
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


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidResultsError(f"key {_shown(twice)} stands twice in one object")
    return record


def _refused(name: str) -> object:
    raise InvalidResultsError(f"{name} stands in it, expected finite numbers")


def _read(kind: Any, value: object, place: str) -> Any:
    """Return what a value says as the type that a field is declared with."""
    choices = get_args(kind) if isinstance(kind, UnionType) else (kind,)
    for choice in choices:
        if type(value) in _json_types(choice):
            return _as(choice, value, place)
    raise _unexpected(value, place, " or ".join(_words(choice) for choice in choices))


def _as(kind: Any, value: Any, place: str) -> Any:
    if is_dataclass(kind):
        return _read_record(kind, value, place)
    if get_origin(kind) is tuple:
        item = get_args(kind)[0]
        return tuple(_read(item, one, f"{place}[{i}]") for i, one in enumerate(value))
    if kind is Fraction and not WRITTEN_FRACTION.fullmatch(value):
        raise _unexpected(value, place, WORDS[Fraction])
    if issubclass(kind, StrEnum) and value not in list(kind):
        raise _unexpected(value, place, f"one of {', '.join(kind)}")
    if kind is float:
        return _finite(value, place)
    return value if kind is NoneType else kind(value)


def _finite(value: float, place: str) -> float:
    """Return a number as a float; JSON's own may be larger than any."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidResultsError(f"{place} is too large for a float")
    return number


def _read_record(kind: Any, record: dict[str, Any], place: str) -> Any:
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


@cache
def _declared(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _json_types(kind: Any) -> tuple[type, ...]:
    """Return what a value of a type can be in JSON: a number is no boolean."""
    if is_dataclass(kind):
        return (dict,)
    if get_origin(kind) is tuple:
        return (list,)
    if kind is float:
        return (int, float)
    return (str,) if issubclass(kind, Fraction | StrEnum) else (kind,)


def _words(kind: Any) -> str:
    return WORDS[kind] if kind in WORDS else WORDS[_json_types(kind)[0]]


def _unexpected(value: object, place: str, expected: str) -> InvalidResultsError:
    return InvalidResultsError(f"{place} is {_shown(value)}, expected {expected}")


def _shown(value: object) -> str:
    """Return a value as JSON has it if it is short, else its kind."""
    if isinstance(value, dict | list):
        return WORDS[type(value)]
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
