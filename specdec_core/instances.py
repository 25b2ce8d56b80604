"""Instances: what a rule is run on, and how an instance is written down.

An instance is a vocabulary size, a target model, one or several draft models, and the rule's own
parameters.  As JSON, fractions are strings, and a context is its token ids, counted from the
round's start and joined by commas (``""`` is the start itself)::

    {"version": 1, "vocab_size": 2, "parameters": {"gamma": 1},
     "target": {"": ["1/3", "2/3"], "0": ["1/2", "1/2"], "1": ["1", "0"]},
     "draft": {"": ["2/3", "1/3"]}}

Several drafters stand under ``"drafts"``, a list; a context-independent model may say
``{"*": [...]}``.  A number that is not a string is a float, unless it is a whole one.  A context
that is needed and missing is an error when it is asked for, never a default.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from specdec_core import strict_json
from specdec_core.distributions import Prob, Row
from specdec_core.errors import InvalidInstanceError, InvalidParameterError, ShapeError
from specdec_core.models import ConstantModel, Context, TableModel, context_key
from specdec_core.parameters import (
    require_fraction,
    require_integer,
    require_positive_fraction,
)
from specdec_core.strict_json import bounded, shown

VERSION = 1
"""Of the JSON form."""

Parameter: TypeAlias = int | Fraction | float | bool | str
Model: TypeAlias = TableModel | ConstantModel

_FRACTION = re.compile(r"-?(\d+(/0*[1-9]\d*)?|\d*\.\d+)", re.ASCII)
_CONTEXT = re.compile(r"((0|[1-9]\d*)(,(0|[1-9]\d*))*)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Instance:
    """What a rule is run on.

    Attributes
    ----------
    target : TableModel or ConstantModel
        The law to be reproduced.
    drafts : tuple of TableModel or ConstantModel
        At least one; most rules take exactly one, `draft`.
    parameters : mapping of str to int, Fraction, float, bool or str
        The rule's own, such as ``gamma``.  Copied.

    Raises
    ------
    ShapeError
        If there is no draft model, or two models differ in vocabulary size.
    """

    target: Model
    drafts: tuple[Model, ...]
    parameters: Mapping[str, Parameter] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.drafts:
            raise ShapeError("drafts is empty, expected at least one draft model")
        for i, draft in enumerate(self.drafts):
            if draft.vocab_size != self.vocab_size:
                raise ShapeError(
                    f"drafts[{i}] has {draft.vocab_size} tokens, "
                    f"but the target has {self.vocab_size}"
                )
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Instance, (self.target, self.drafts, dict(self.parameters))

    @property
    def vocab_size(self) -> int:
        """The number of tokens, ``V``."""
        return self.target.vocab_size

    @property
    def draft(self) -> Model:
        """The one draft model, or `InvalidInstanceError` if there are several."""
        if len(self.drafts) != 1:
            raise InvalidInstanceError(
                f"the instance has {len(self.drafts)} draft models, expected exactly one"
            )
        return self.drafts[0]

    @property
    def label(self) -> str:
        """The size and the parameters in one short line, such as ``V=3 gamma=2``."""
        shown = (f"{name}={value}" for name, value in sorted(self.parameters.items()))
        return " ".join((f"V={self.vocab_size}", *shown))

    def integer(self, name: str, *, minimum: int) -> int:
        """Return an integer parameter.

        Raises
        ------
        InvalidParameterError
            If it is missing, no integer, or below ``minimum``.
        """
        return require_integer(self._parameter(name), f"parameter {name!r}", minimum=minimum)

    def fraction(
        self, name: str, *, minimum: Fraction | int, maximum: Fraction | int | None = None
    ) -> Fraction:
        """Return a parameter that is a number, as a fraction.

        Raises
        ------
        InvalidParameterError
            If it is missing, no finite number, below ``minimum``, or above ``maximum``.
        """
        value = self._parameter(name)
        return require_fraction(value, f"parameter {name!r}", minimum=minimum, maximum=maximum)

    def positive_fraction(self, name: str, *, maximum: Fraction | int | None = None) -> Fraction:
        """Return a parameter that is a number above zero, as a fraction.

        Raises
        ------
        InvalidParameterError
            If it is missing, no finite number, not above zero, or above ``maximum``.
        """
        value = self._parameter(name)
        return require_positive_fraction(value, f"parameter {name!r}", maximum=maximum)

    def _parameter(self, name: str) -> Parameter:
        if name not in self.parameters:
            given = ", ".join(sorted(self.parameters)) or "none"
            raise InvalidParameterError(f"parameter {name!r} is missing (given: {given})")
        return self.parameters[name]


def read_instance(path: Path) -> Instance:
    """Read an instance file.

    Raises
    ------
    InvalidInstanceError
        If the file cannot be read, or does not have the form that this module describes.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # a path, too, can be no text
        raise InvalidInstanceError(f"{path}: cannot be read: {error}") from None
    try:
        return loads(text)
    except (ValueError, LookupError) as error:
        raise InvalidInstanceError(f"{path}: {error}") from None


def loads(text: str) -> Instance:
    """Return the instance that a JSON text describes.

    Raises
    ------
    InvalidInstanceError
        If the text is no JSON, repeats a key, or does not have the form described above.
    InvalidDistributionError, InvalidTokenError, ShapeError
        If a row is no distribution, a context leaves the vocabulary, or sizes disagree.
    """
    return _instance(strict_json.parse(text, InvalidInstanceError))


def dumps(instance: Instance) -> str:
    """Return the instance as JSON; `loads` gives back an equal one.

    >>> third = Row([Fraction(1, 3), Fraction(2, 3)])
    >>> toy = Instance(ConstantModel(third), (ConstantModel(third),), {"gamma": 1})
    >>> loads(dumps(toy)) == toy
    True
    """
    drafts = [_model_json(draft) for draft in instance.drafts]
    return json.dumps(
        {
            "version": VERSION,
            "vocab_size": instance.vocab_size,
            "parameters": {
                name: str(value) if isinstance(value, Fraction) else value
                for name, value in instance.parameters.items()
            },
            "target": _model_json(instance.target),
            **({"draft": drafts[0]} if len(drafts) == 1 else {"drafts": drafts}),
        },
        indent=1,
    )


def _model_json(model: Model) -> dict[str, list[str | float]]:
    if isinstance(model, ConstantModel):
        return {"*": _row_json(model.row)}
    return {context_key(context): _row_json(row) for context, row in model.table.items()}


def _row_json(row: Row) -> list[str | float]:
    return [str(prob) if isinstance(prob, Fraction) else prob for prob in row]


def _instance(document: object) -> Instance:
    if not isinstance(document, dict):
        raise InvalidInstanceError(f"the document is {shown(document)}, expected an object")
    _require_keys(document)
    if type(document["version"]) is not int or document["version"] != VERSION:
        raise InvalidInstanceError(f"version is {document['version']!r}, expected {VERSION}")
    vocab_size = document["vocab_size"]
    if type(vocab_size) is not int or vocab_size < 1:
        raise InvalidInstanceError(f"vocab_size is {vocab_size!r}, expected a positive integer")
    target = _model(document["target"], "target", vocab_size)
    drafts = _drafts(document, vocab_size)
    return Instance(target, drafts, _parameters(document.get("parameters", {})))


def _require_keys(document: dict[str, object]) -> None:
    known = {"version", "vocab_size", "parameters", "target", "draft", "drafts"}
    for key in document:
        if key not in known:
            raise InvalidInstanceError(f"unknown key {key!r}, expected {', '.join(sorted(known))}")
    for key in ("version", "vocab_size", "target"):
        if key not in document:
            raise InvalidInstanceError(f"key {key!r} is missing")
    if ("draft" in document) == ("drafts" in document):
        raise InvalidInstanceError("expected exactly one of the keys 'draft' and 'drafts'")


def _drafts(document: dict[str, object], vocab_size: int) -> tuple[Model, ...]:
    if "draft" in document:
        return (_model(document["draft"], "draft", vocab_size),)
    drafts = document["drafts"]
    if not isinstance(drafts, list) or not drafts:
        raise InvalidInstanceError("drafts: expected a list of at least one draft model")
    return tuple(_model(draft, f"drafts[{i}]", vocab_size) for i, draft in enumerate(drafts))


def _model(document: object, name: str, vocab_size: int) -> Model:
    if not isinstance(document, dict) or not document:
        raise InvalidInstanceError(f"{name}: expected an object from contexts to rows")
    if "*" in document:
        if len(document) > 1:
            raise InvalidInstanceError(f"{name}: '*' stands for every context, so it stands alone")
        return ConstantModel(_row(document["*"], f"{name}['*']", vocab_size))
    table = {
        _context(key, name): _row(row, f"{name}[{key!r}]", vocab_size)
        for key, row in document.items()
    }
    return TableModel(table, name)


def _context(key: str, name: str) -> Context:
    if not _CONTEXT.fullmatch(key):
        raise InvalidInstanceError(
            f"{name}: {key!r} is no context, expected token ids joined by commas"
        )
    return (
        tuple(int(bounded(token, InvalidInstanceError)) for token in key.split(",")) if key else ()
    )


def _row(document: object, place: str, vocab_size: int) -> Row:
    if not isinstance(document, list):
        raise InvalidInstanceError(f"{place}: {shown(document)}, expected a list of probabilities")
    if len(document) != vocab_size:
        raise ShapeError(f"{place} has {len(document)} tokens, but vocab_size is {vocab_size}")
    return Row([_prob(prob, f"{place}[{token}]") for token, prob in enumerate(document)], place)


def _prob(document: object, place: str) -> Prob:
    if isinstance(document, str):
        return _fraction(document, place)
    if isinstance(document, bool) or not isinstance(document, int | float):
        raise InvalidInstanceError(f"{place}: {shown(document)}, expected a fraction or a number")
    return document


def _fraction(text: str, place: str) -> Fraction:
    if not _FRACTION.fullmatch(bounded(text, InvalidInstanceError)):
        raise InvalidInstanceError(f"{place}: {text!r} is no fraction, expected one like '1/3'")
    return Fraction(text)


def _parameters(document: object) -> dict[str, Parameter]:
    if not isinstance(document, dict):
        raise InvalidInstanceError(f"parameters: {shown(document)}, expected an object")
    return {name: _parameter(value, name) for name, value in document.items()}


def _parameter(document: object, name: str) -> Parameter:
    if isinstance(document, str) and _FRACTION.fullmatch(document):
        return _fraction(document, f"parameter {name!r}")
    if not isinstance(document, bool | int | float | str):
        raise InvalidInstanceError(
            f"parameter {name!r}: {shown(document)}, expected a number or a word"
        )
    return document
