"""Experiment records: what one decoding did, in a form that leaves the process.

As JSON::

    {"version": 1, "target_model": "toy", "prompt": [0, 1], "continuation_length": 1,
     "tokens": [1], "metrics": {"rounds": 1, "target_batches": 1, ...}}

with every field of `DecodeMetrics`, and no other.  What is imported is checked as strictly as what
is built here: a field that is missing, unknown, written twice, of the wrong type or at odds with
another is an error that names it.  Two records are compared only if they name one target model,
one prompt and one continuation length.

Not here: files; the text is the caller's to keep.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from specdec_core import strict_json
from specdec_core.batch_models import checked_context
from specdec_core.decoding import DecodeMetrics, Decoding
from specdec_core.errors import InvalidRecordError
from specdec_core.models import Context
from specdec_core.strict_json import shown

VERSION = 1
"""Of the JSON form."""


@dataclass(frozen=True, slots=True)
class ExperimentRecord:
    """What one decoding did.

    Parameters
    ----------
    target_model : str
        Identifier of the target model; not empty.
    prompt : tuple of int
    continuation_length : int
        How many new tokens were asked for.
    tokens : tuple of int
        The new tokens, ``continuation_length`` of them.
    metrics : DecodeMetrics
        ``emitted`` is ``continuation_length``.

    Raises
    ------
    InvalidRecordError
        Naming the field that is of the wrong type, out of range, or at odds with another.
    """

    target_model: str
    prompt: Context
    continuation_length: int
    tokens: Context
    metrics: DecodeMetrics

    def __post_init__(self) -> None:
        _require_identifier(self.target_model)
        object.__setattr__(self, "prompt", _checked_tokens(self.prompt, "prompt"))
        object.__setattr__(self, "tokens", _checked_tokens(self.tokens, "tokens"))
        _require_count(self.continuation_length, "continuation_length")
        _require_metrics(self.metrics)
        self._require_consistent()

    @classmethod
    def of(cls, target_model: str, prompt: Context, decoding: Decoding) -> Self:
        """Return the record of a decoding."""
        tokens = decoding.tokens
        return cls(target_model, checked_context(prompt), len(tokens), tokens, decoding.metrics)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the record that `to_json` wrote.

        Raises
        ------
        InvalidRecordError
            If the text is no JSON, repeats a key, lacks a field or has one too many, or a field is
            of the wrong type, out of range, or at odds with another.
        """
        document = _object(
            strict_json.parse(text, InvalidRecordError), "the record", ("version", *_names(cls))
        )
        version = document.pop("version")
        if type(version) is not int or version != VERSION:
            raise InvalidRecordError(f"version is {shown(version)}, expected {VERSION}")
        metrics = _object(document.pop("metrics"), "metrics", _names(DecodeMetrics))
        return cls(metrics=DecodeMetrics(**metrics), **document)

    def to_json(self) -> str:
        """Return the record as JSON; `from_json` gives back an equal one."""
        return json.dumps({"version": VERSION, **asdict(self)}, indent=1)

    def _require_consistent(self) -> None:
        for length, name in (
            (len(self.tokens), "the number of tokens"),
            (self.metrics.emitted, "metrics.emitted"),
        ):
            if length != self.continuation_length:
                raise InvalidRecordError(
                    f"{name} is {length}, expected continuation_length, {self.continuation_length}"
                )
        if self.metrics.accepted > min(self.metrics.emitted, self.metrics.proposed):
            raise InvalidRecordError(
                f"metrics.accepted is {self.metrics.accepted}, expected at most "
                f"metrics.emitted, {self.metrics.emitted}, and proposed, {self.metrics.proposed}"
            )


@dataclass(frozen=True, slots=True)
class RecordComparison:
    """Two records of one experiment, put side by side.  Their tokens need not match.

    Parameters
    ----------
    baseline, candidate : ExperimentRecord
        Of one target model, prompt and continuation length.

    Raises
    ------
    InvalidRecordError
        Naming the field in which the two differ.
    """

    baseline: ExperimentRecord
    candidate: ExperimentRecord

    def __post_init__(self) -> None:
        for name in ("target_model", "prompt", "continuation_length"):
            one, other = getattr(self.baseline, name), getattr(self.candidate, name)
            if one != other:
                raise InvalidRecordError(
                    f"{name} is {other!r} in the candidate and {one!r} in the baseline, "
                    "expected one for both"
                )

    @property
    def target_batches_saved(self) -> int:
        """Calls of the target that the baseline took more: calls, not seconds."""
        return self.baseline.metrics.target_batches - self.candidate.metrics.target_batches


def _object(document: object, place: str, names: Sequence[str]) -> dict[str, Any]:
    """Return the document if it is an object of exactly these fields."""
    if not isinstance(document, dict):
        raise InvalidRecordError(f"{place} is {shown(document)}, expected an object")
    for name in names:
        if name not in document:
            raise InvalidRecordError(f"field {name!r} of {place} is missing")
    for name in document:
        if name not in names:
            raise InvalidRecordError(
                f"field {name!r} of {place} is unknown, expected {', '.join(names)}"
            )
    return document


def _names(record: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(record))


def _require_identifier(value: object) -> None:
    if not isinstance(value, str) or not value:
        raise InvalidRecordError(
            f"target_model is {shown(value)}, expected a string that is not empty"
        )


def _checked_tokens(value: object, name: str) -> Context:
    if not isinstance(value, tuple | list):
        raise InvalidRecordError(f"{name} is {shown(value)}, expected a list of tokens")
    for i, token in enumerate(value):
        _require_count(token, f"{name}[{i}]")
    return tuple(value)


def _require_count(value: object, name: str) -> None:
    if type(value) is not int or value < 0:
        raise InvalidRecordError(f"{name} is {shown(value)}, expected an integer of at least 0")


def _require_metrics(value: object) -> None:
    if not isinstance(value, DecodeMetrics):
        raise InvalidRecordError(f"metrics is {shown(value)}, expected DecodeMetrics")
    for name in _names(DecodeMetrics):
        _require_count(getattr(value, name), f"metrics.{name}")
