import re

import pytest

from specdec_core import strict_json
from specdec_core.errors import InvalidInstanceError, InvalidRecordError, SpecdecError
from specdec_core.strict_json import MAX_NUMBER_LENGTH, bounded, shown

LONGEST = "1" * MAX_NUMBER_LENGTH


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("null", None),
        (
            '{"a": [1, 0.5, "1/3", true], "b": {"a": {}}}',
            {"a": [1, 0.5, "1/3", True], "b": {"a": {}}},
        ),
        ("1e-999999999", 0.0),
        (LONGEST, int(LONGEST)),
        ("0." + LONGEST[2:], float("0." + LONGEST[2:])),
    ],
)
def test_json_is_read(text: str, value: object) -> None:
    assert strict_json.parse(text, InvalidInstanceError) == value


@pytest.mark.parametrize("error", [InvalidInstanceError, InvalidRecordError])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("[1,]", "not JSON"),
        ("\ufeff1", "not JSON: Unexpected UTF-8 BOM"),
        ('{"a": 1, "b": 1, "a": 1}', "key 'a' stands twice in one object"),
        ('[{"": {"x": 1, "x": 2}}]', "key 'x' stands twice in one object"),
        ("[NaN]", "NaN stands in it, expected finite numbers"),
        ("Infinity", "Infinity stands in it, expected finite numbers"),
        ('{"a": -Infinity}', "-Infinity stands in it, expected finite numbers"),
        ("1e309", "'1e309' is too large for a float"),
        ("-1e309", "'-1e309' is too large for a float"),
        (LONGEST + "1", "a number of 1001 characters, expected at most 1000"),
        ("-" + LONGEST, "a number of 1001 characters, expected at most 1000"),
        ("0." + LONGEST, "a number of 1002 characters, expected at most 1000"),
        ("[" * 100_000, "nested too deeply"),
        (b"1", "the document is b'1', expected a JSON text"),
        (None, "the document is null, expected a JSON text"),
    ],
)
def test_what_is_not_strict_is_refused_as_whatever_was_asked_for(
    text: str, message: str, error: type[SpecdecError]
) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        strict_json.parse(text, error)


def test_a_number_within_bounds_is_returned_as_it_is() -> None:
    assert bounded(LONGEST, InvalidInstanceError) is LONGEST


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        ([], "a list"),
        ([1, [2]], "a list"),
        ({"a": 1}, "an object"),
        (1, "1"),
        (True, "True"),
        ("word", "'word'"),
        ("x" * 78, "'" + "x" * 78 + "'"),
        ("x" * 79, "'" + "x" * 76 + "..."),
    ],
)
def test_a_value_is_shown_in_short(value: object, text: str) -> None:
    assert shown(value) == text
