"""Test vectors as files: JSON that any language reads, its schema, and their checksums.

A folder holds three files: ``RULE.json``, ``vectors.schema.json`` (JSON Schema, draft 2020-12,
which describes every key), and ``SHA256SUMS``, which ``sha256sum --check SHA256SUMS`` reads.  The
checksums are written last: a folder without them is not whole.

Uniforms are written with as many digits as bring the same double back.  Probabilities are
fractions in strings, as in instance files (`specdec_core.instances`).
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from specdec_core.errors import InvalidParameterError, InvalidVectorsError
from specdec_core.instances import dumps
from specdec_core.parameters import require_integer
from specdec_core.rules import Rule, Verification
from specdec_core.strict_json import parse
from specdec_verification.boundaries import Point
from specdec_verification.round_laws import round_law
from specdec_verification.vectors.chosen import Vectors, chosen_vectors

VERSION = 1
"""Of the JSON form."""

SCHEMA = "vectors.schema.json"
CHECKSUMS = "SHA256SUMS"
INSTANCES = 12
"""How many a file has unless told otherwise: each kind of instance in several shapes."""


def write_vectors(rule: Rule[Any], folder: Path, *, instances: int = INSTANCES) -> Path:
    """Write a rule's test vectors into a folder, and return the path of the JSON file.

    Parameters
    ----------
    rule : Rule
    folder : Path
        Made if it does not exist; files of these names are replaced, and the vectors of other rules
        stay, with their checksums.
    instances : int
        How many to write vectors for, at least 1.

    Raises
    ------
    InvalidParameterError
        If ``instances`` is no positive integer, or the folder cannot be written.
    """
    require_integer(instances, "instances", minimum=1)
    chosen = tuple(chosen_vectors(rule, instances))
    schema = files(__package__).joinpath(SCHEMA).read_text(encoding="utf-8")
    texts = {f"{rule.name}.json": "".join(_file(rule, chosen)), SCHEMA: schema}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        texts[CHECKSUMS] = "".join(_sums(folder, texts))
        (folder / CHECKSUMS).unlink(missing_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise InvalidParameterError(f"folder {folder}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidParameterError(
            f"folder {folder}: its {CHECKSUMS} is no text, expected another's not to be there"
        ) from None
    return folder / f"{rule.name}.json"


def read_vectors(path: Path) -> dict[str, Any]:
    """Return the document of a vectors file, after its checksum.

    Raises
    ------
    InvalidVectorsError
        If a file is missing or is no JSON, or the file is not the one that the checksum is of.
    """
    try:
        content = path.read_bytes()
        sums = (path.parent / CHECKSUMS).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InvalidVectorsError(f"{path}: cannot be read: {error}") from None
    expected = {line[66:]: line[:64] for line in sums.splitlines()}
    if expected.get(path.name) != _sha256(content):
        raise InvalidVectorsError(
            f"{path}: its SHA-256 is {_sha256(content)}, "
            f"but {CHECKSUMS} says {expected.get(path.name, 'nothing of it')}"
        )
    document = parse(content.decode("utf-8", "replace"), InvalidVectorsError)
    if not isinstance(document, dict) or document.get("version") != VERSION:
        raise InvalidVectorsError(f"{path}: expected an object of version {VERSION}")
    return document


def _sums(folder: Path, texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of the checksums, those of the folder's other files kept."""
    before = folder / CHECKSUMS
    if before.exists():
        lines = before.read_text(encoding="utf-8").splitlines()
        yield from (f"{line}\n" for line in lines if line[66:] not in texts)
    yield from (f"{_sha256(text.encode())}  {name}\n" for name, text in texts.items())


def _file(rule: Rule[Any], chosen: Sequence[Vectors]) -> Iterator[str]:
    """Yield the JSON text in pieces, one vector a line, so that a difference can be read."""
    yield _opened({"version": VERSION, "rule": rule.name, "reference": rule.reference}, "cases")
    for i, vectors in enumerate(chosen):
        found = round_law(rule, vectors.instance)
        head = {
            "instance": json.loads(dumps(vectors.instance)),
            "horizon": rule.horizon(vectors.instance),
            "margin": float(vectors.margin),
            "paths": len(vectors.middles),
            "exact": found.as_document(),
        }
        yield _opened(head, "vectors")
        points = (*vectors.middles, *vectors.boundaries)
        yield ",\n".join(json.dumps(_vector(point)) for point in points)
        yield "\n]}" + ("," if i + 1 < len(chosen) else "") + "\n"
    yield "]}\n"


def _opened(head: dict[str, Any], listed: str) -> str:
    """Return an object up to the beginning of a list that is its last member."""
    return f"{json.dumps(head)[:-1]}, {json.dumps(listed)}: [\n"


def _vector(point: Point[Verification]) -> dict[str, Any]:
    kind = {"weight": str(point.weight)} if point.place is None else {"boundary": str(point.place)}
    return {
        "uniforms": [float(draw) for draw in point.draws],
        "tokens": list(point.outcome.tokens),
        "accepted": len(point.outcome.accepted),
        **kind,
    }


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
