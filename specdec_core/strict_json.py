"""JSON that says each thing once and says it in bounds: what instance and record files are read by.

Python's own reader takes the last of two equal keys, reads ``NaN``, and turns ``1e999`` into
infinity.  Here each of these is an error, and so is what would take for ever to read.
"""

import json
from collections.abc import Callable
from typing import Any

from specdec_core.errors import SpecdecError

MAX_NUMBER_LENGTH = 1000
"""Characters in one number: past it, arithmetic alone could take for ever."""


def parse(text: str, error: type[SpecdecError]) -> object:
    """Return what a JSON text says; every fault of it is an ``error``.

    Examples
    --------
    >>> from specdec_core.errors import InvalidInstanceError
    >>> parse('{"a": 1, "a": 2}', InvalidInstanceError)
    Traceback (most recent call last):
        ...
    specdec_core.errors.InvalidInstanceError: key 'a' stands twice in one object
    """
    if not isinstance(text, str):
        raise error(f"the document is {shown(text)}, expected a JSON text")
    try:
        return json.loads(
            text,
            object_pairs_hook=_object(error),
            parse_constant=_constant(error),
            parse_int=lambda number: int(bounded(number, error)),
            parse_float=_float(error),
        )
    except json.JSONDecodeError as fault:
        raise error(f"not JSON: {fault}") from None
    except RecursionError:
        raise error("nested too deeply") from None


def bounded(number: str, error: type[SpecdecError]) -> str:
    """Return the text of a number, or raise if it is too long to compute with."""
    if len(number) > MAX_NUMBER_LENGTH:
        raise error(f"a number of {len(number)} characters, expected at most {MAX_NUMBER_LENGTH}")
    return number


def shown(value: object) -> str:
    """Return a value for an error message: as JSON names its kind, or as itself if it is short."""
    kinds: dict[type, str] = {dict: "an object", list: "a list", type(None): "null"}
    text = kinds.get(type(value)) or repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _object(error: type[SpecdecError]) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        document: dict[str, Any] = {}
        for key, value in pairs:
            if key in document:
                raise error(f"key {shown(key)} stands twice in one object")
            document[key] = value
        return document

    return unique


def _constant(error: type[SpecdecError]) -> Callable[[str], object]:
    def refuse(name: str) -> object:
        raise error(f"{name} stands in it, expected finite numbers")

    return refuse


def _float(error: type[SpecdecError]) -> Callable[[str], float]:
    def finite(number: str) -> float:
        value = float(bounded(number, error))
        if abs(value) == float("inf"):
            raise error(f"{shown(number)} is too large for a float")
        return value

    return finite
