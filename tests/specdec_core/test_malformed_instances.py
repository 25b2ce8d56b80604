"""Thousands of malformed instance documents: each is refused by name, or is an instance after all.

Every document is a valid one with one thing changed, and they are enumerated, not drawn, so a
failure comes back.  What each fault is called is `test_instances`' business; here it is only asked
that nothing but a `SpecdecError` comes out, that it comes at once, and that what is accepted is
whole: written and read again, it is the same.
"""

import json
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from specdec_core.errors import SpecdecError
from specdec_core.instances import Instance, dumps, loads, read_instance

Place: TypeAlias = tuple[str | int, ...]
"""Keys and indices, from the root of a document down to one value."""

ONE_DRAFT: dict[str, Any] = {
    "version": 1,
    "vocab_size": 2,
    "parameters": {"gamma": 2, "rho": "3/2"},
    "target": {"": ["1/3", "2/3"], "0": ["1/2", "1/2"], "1": [1, 0]},
    "draft": {"": [0.25, 0.75], "0": ["1", "0"], "1": ["0", "1"]},
}
SEVERAL_DRAFTS: dict[str, Any] = {
    "version": 1,
    "vocab_size": 3,
    "parameters": {"k": 2, "mode": "word", "flag": True},
    "target": {"": ["1/3", "1/3", "1/3"], "2,0": [0.5, 0.5, 0.0]},
    "drafts": [{"": ["1/6", "1/3", "1/2"]}, {"*": ["0", "0", "1"]}],
}
VALID = [ONE_DRAFT, SEVERAL_DRAFTS]

DIGITS = ("9" * 400, "1" + "0" * 998, "7" * 5000)
"""Too large for a float, as long as a number may be, and longer than Python itself reads."""

FRAGMENTS = [
    "", "null", "true", "false", "NaN", "Infinity", "-Infinity", "nan", "None", "True", "undefined",
    "0", "-0", "1", "-1", "2", "3", "0.0", "-0.0", "0.5", "1.0", "-0.5", "1.5", "1e0", "1E0",
    "1e-1", "5e-324", "1e-999999999", "1e308", "1e309", "-1e309", "1e999999999", "-1e999999999",
    "1e+400", "0.1e1", "01", "00", "+1", ".5", "5.", "-", "1e", "1e+", "0x10", "1_000", "１", "½",
    "٣", *DIGITS, *(f"-{digits}" for digits in DIGITS),
    *(f"{digits}.5" for digits in DIGITS), *(f"0.{digits}" for digits in DIGITS),
    *(f"1e-{digits}" for digits in DIGITS), *(f"1e{digits}" for digits in DIGITS),
    *(f'"{digits}"' for digits in DIGITS), *(f'"1/{n}"' for n in DIGITS),
    *(f'".{digits}"' for digits in DIGITS), *(f'"{n}/{n}"' for n in DIGITS),
    '""', '" "', '"0"', '"1"', '"-0"', '"1/1"', '"0/1"', '"1/2"', '"2/4"', '"1/0"', '"0/0"',
    '"1/00"', '"-1/2"', '"1/-2"', '"+1/2"', '" 1/3"', '"1/3 "', '"1/3\\n"', '"1 /3"', '"1//3"',
    '"1/2/3"', '"/"', '"1/"', '"/3"', '"0.5"', '".5"', '"5."', '"."', '"1e0"', '"1e-1"',
    '"1e999999999"', '"1e-999999999"', '"nan"', '"inf"', '"-inf"', '"Infinity"', '"0x1"', '"1_0"',
    '"１/３"', '"٣/٤"', '"½"', '"1\\u0000"', '"\\ud800"', '"\\udfff\\ud800"', '"\\x"', '"', "'1'",
    '"*"', '"true"', '"null"', "[]", "[[]]", "[1]", "[1, 0]", "[0, 1, 0]", "[1, 0, 0, 0]", "[0, 0]",
    "[1e308, 1e308]", "[1e308, 1e308, 1e308]",
    "[1, 1]", "[0.5, 0.5]", "[0.3333, 0.6667]", '["1/2", 0.5]', "[0.5, 0.5000001]", "[null, 1]",
    "[true, false]", "[[1], 0]", "[1, 0,]", "[,1]", "[1 0]", "{}", '{"": [1, 0]}', '{"*": [1, 0]}',
    '{"*": [1, 0, 0]}', '{"*": [0, 0, 1], "": [0, 0, 1]}', '{"": {}}', '{"0": []}', "{1: 2}", "{,}",
    '{"a": 1, "a": 1}', '{"": [1, 0], "": [1, 0]}', '{"gamma": 1e999}', '{"gamma": []}', "[" * 50,
    "// 1", "/* */ 1", "#", "\\", "\x00", "\ufeff", "\u2028", "}", "]", "]}", ",",
]  # fmt: skip
"""JSON, or nearly, to stand in the place of any value."""

KEYS = [
    "", " ", "*", "**", "0", "1", "2", "00", "-1", "+1", "0,0", "2,0", "0,", ",0", ",", "0,,1",
    "0, 1", "0 ", "1.0", "1e0", "a", "version", "Version", "vocab_size", "target", "draft",
    "drafts", "parameters", "gamma", "１", "0,٣", "\u0000", "\ud800", "é", "null", "[]", "\n",
    "0\n", "9" * 400, "9" * 5000, ",".join("0" * 5000), "__class__",
]  # fmt: skip

CHARACTERS = '",:[]{}0-e.\\/ \n\x00١'

DEPTHS = [*range(1, 12), 100, *range(900, 1010), 5_000, 100_000]

MARK = "put something here"


def places(value: object, place: Place = ()) -> Iterator[Place]:
    """Yield every place of a document, the root included."""
    yield place
    keys = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    for key in keys:
        yield from places(value[key], (*place, key))


def inner_places(document: dict[str, Any]) -> Iterator[Place]:
    """Yield every place but the root."""
    yield from (place for place in places(document) if place)


def holder(document: dict[str, Any], place: Place) -> Any:  # noqa: ANN401
    """Return the object or list that the last step of a place leads into."""
    for step in place[:-1]:
        document = document[step]
    return document


def with_fragment(document: dict[str, Any], place: Place, fragment: str) -> str:
    """Return the text of a document with a text in the place of one value."""
    changed = {"root": deepcopy(document)}
    whole = ("root", *place)
    holder(changed, whole)[whole[-1]] = MARK
    return json.dumps(changed["root"]).replace(json.dumps(MARK), fragment)


def value_at(document: dict[str, Any], place: Place) -> str:
    return json.dumps(holder({"root": document}, ("root", *place))[("root", *place)[-1]])


def other_values() -> Iterator[str]:
    """Yield documents in which one value is another, or is no value at all."""
    for document in VALID:
        for place in places(document):
            yield from (with_fragment(document, place, fragment) for fragment in FRAGMENTS)


def other_keys() -> Iterator[str]:
    """Yield documents in which one key is another, and stands where it stood."""
    for document in VALID:
        for place in inner_places(document):
            if isinstance(place[-1], str):
                text = with_fragment(document, place, MARK)
                value = value_at(document, place)
                for key in KEYS:
                    old = f"{json.dumps(place[-1])}: {MARK}"
                    yield text.replace(old, f"{json.dumps(key)}: {value}")


def missing_entries() -> Iterator[str]:
    """Yield documents that lack one key, or one entry of a list."""
    for document in VALID:
        for place in inner_places(document):
            changed = deepcopy(document)
            del holder(changed, place)[place[-1]]
            yield json.dumps(changed)


def repeated_entries() -> Iterator[str]:
    """Yield documents in which one key, or one entry of a list, stands twice."""
    for document in VALID:
        for place in inner_places(document):
            value = value_at(document, place)
            key = f"{json.dumps(place[-1])}: " if isinstance(place[-1], str) else ""
            yield with_fragment(document, place, f"{value}, {key}{value}")
            yield with_fragment(document, place, f"{value}, {key}null")


def deep_nesting() -> Iterator[str]:
    """Yield documents in which one value is buried in lists or objects."""
    for place in [(), ("version",), ("vocab_size",), ("parameters", "gamma"), ("target", "0", 1)]:
        for depth in DEPTHS:
            yield with_fragment(ONE_DRAFT, place, "[" * depth + "]" * depth)
            yield with_fragment(ONE_DRAFT, place, '{"":' * depth + "1" + "}" * depth)


def broken_text() -> Iterator[str]:
    """Yield texts that are cut short, or lack one character, or have another one there."""
    for document in VALID:
        text = json.dumps(document)
        for i in range(len(text)):
            yield text[:i]
            yield text[:i] + text[i + 1 :]
            yield from (text[:i] + other + text[i + 1 :] for other in CHARACTERS)


def large_documents() -> Iterator[str]:
    """Yield documents whose arithmetic is heavy: many long numbers, or many entries."""
    for size in (1, 10, 40):
        long = [f"1/{10**990 + 2 * i + 1}" for i in range(size)]
        row = json.dumps(long)
        yield f'{{"version": 1, "vocab_size": {size}, "target": {{"*": {row}}}, "draft": {{}}}}'
    for size in (10_000, 10**6, 10**900):
        yield json.dumps({**ONE_DRAFT, "vocab_size": size})
    row = ["1"] + ["0"] * 9_999
    yield json.dumps({"version": 1, "vocab_size": 10_000, "target": {"*": row}, "draft": {"": row}})


FAMILIES: list[Callable[[], Iterator[str]]] = [
    other_values,
    other_keys,
    missing_entries,
    repeated_entries,
    deep_nesting,
    broken_text,
    large_documents,
]


def answer(read: Callable[[], Instance]) -> str:
    """Return what reading a document came to; any word but these two is a fault of ours."""
    started = time.perf_counter()
    try:
        instance = read()
    except SpecdecError as error:
        came_to = "refused" if str(error) else "refused without a word"
    except Exception as error:
        came_to = repr(error)
    else:
        came_to = "an instance" if loads(dumps(instance)) == instance else "half an instance"
    took = time.perf_counter() - started
    return came_to if took < 5 else f"{came_to} after {took:.0f} seconds"


def faults(answers: dict[str, str]) -> dict[str, str]:
    """Return the documents, shortened, that came to anything unforeseen."""
    expected = {"refused", "an instance"}
    return {text[:500]: came_to for text, came_to in answers.items() if came_to not in expected}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_a_malformed_document_is_refused_or_whole(family: Callable[[], Iterator[str]]) -> None:
    answers = {text: answer(lambda text=text: loads(text)) for text in family()}
    assert faults(answers) == {}
    assert "refused" in answers.values()


def test_there_are_ten_thousand_of_them() -> None:
    documents = {text for family in FAMILIES for text in family()}
    assert len(documents - {json.dumps(document) for document in VALID}) >= 10_000


@pytest.mark.parametrize("document", VALID, ids=["one draft", "several drafts"])
def test_unchanged_they_are_instances(document: dict[str, Any]) -> None:
    assert answer(lambda: loads(json.dumps(document))) == "an instance"


def broken_bytes() -> Iterator[bytes]:
    """Yield files that are no UTF-8, or another encoding, or cut, or marked with a BOM."""
    content = json.dumps({**ONE_DRAFT, "parameters": {"naïve": "½"}}, ensure_ascii=False).encode()
    for i in range(len(content)):
        for byte in (b"\x00", b"\x80", b"\xc3", b"\xff", b"\xed\xa0\x80"):
            yield content[:i] + byte + content[i + 1 :]
        yield content[:i]
    for encoding in ("utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252"):
        yield content.decode().encode(encoding)


def test_a_malformed_file_is_refused_or_whole(tmp_path: Path) -> None:
    path = tmp_path / "instance.json"

    def read(content: bytes) -> Instance:
        path.write_bytes(content)
        return read_instance(path)

    answers = {
        repr(content): answer(lambda content=content: read(content)) for content in broken_bytes()
    }
    assert faults(answers) == {}
    assert "refused" in answers.values()
