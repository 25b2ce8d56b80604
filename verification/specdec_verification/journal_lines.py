"""What a journal says of the cells of a unit: one line, in which nothing is said twice.

A line holds a column for each field of the results, and a field that is the same in all of them
once.  The line that reproduces a cell follows from the cell's name, and is left out.  So a cell
takes some seventy bytes instead of four hundred, and a run of a million is read in seconds.

Not here: the file, and to which run it belongs (`specdec_verification.journal`).
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from fractions import Fraction
from functools import lru_cache
from typing import Any

from specdec_verification.plan import Section
from specdec_verification.results import CheckResult, Evidence, Labels, Risk, Verdict
from specdec_verification.units import Finished

FIELDS = (
    "check",
    "subject",
    "claim",
    "instance",
    "parameters",
    "reproduce",
    "verdict",
    "evidence",
    "total_variation",
    "size",
    "detail",
    "risk",
)
"""Of a result, in the order in which `_row` returns them."""


def line_of(finished: Finished) -> bytes:
    """Return the line of a unit."""
    section, cells = finished.unit.section, finished.unit.cells
    rows = [
        _row(result, section.line(number))
        for number, result in zip(cells, finished.results, strict=True)
    ]
    columns = dict(zip(FIELDS, map(_said_once, zip(*rows, strict=True)), strict=True))
    head = {"section": section.name, "first": cells.start, "cells": len(cells)}
    return json.dumps({**head, **columns}, separators=(",", ":")).encode() + b"\n"


def results_of(record: dict[str, Any], section: Section) -> Iterator[tuple[int, CheckResult]]:
    """Yield the number of each cell of a line, and its result.

    Raises
    ------
    LookupError, TypeError, ValueError
        If the line is none that `line_of` has made of this section.
    """
    first, count = record["first"], record["cells"]
    cells = range(section.size)[first : first + count]
    if not first >= 0 or not 1 <= count == len(cells):
        raise LookupError(f"cells {first} to {first + count - 1} of {section.size}")
    columns = (_said_for_all(record[name], count) for name in FIELDS)
    for number, *values in zip(cells, *columns, strict=True):
        yield number, _result(values, section, number)


def _row(result: CheckResult, line: str) -> tuple[Any, ...]:
    """Return the fields of a result as JSON has them: a fraction as text, a float as a number."""
    labels, distance = result.labels, result.total_variation
    return (
        result.check,
        labels.subject,
        labels.claim,
        labels.instance,
        labels.parameters,
        None if labels.reproduce == line else labels.reproduce,
        result.verdict,
        result.evidence,
        str(distance) if isinstance(distance, Fraction) else distance,
        result.size,
        result.detail,
        None if result.risk is None else asdict(result.risk),
    )


def _said_once(column: Sequence[Any]) -> Any:  # noqa: ANN401
    return column[0] if all(value == column[0] for value in column) else list(column)


def _said_for_all(field: Any, count: int) -> Sequence[Any]:  # noqa: ANN401
    return field if isinstance(field, list) else (field,) * count


def _result(values: Sequence[Any], section: Section, number: int) -> CheckResult:
    """Return the result that a row was made of."""
    check, subject, claim, instance, parameters, reproduce, *found = values
    verdict, evidence, distance, size, detail, risk = found
    return CheckResult(
        check,
        Labels(subject, claim, instance, parameters, reproduce or section.line(number)),
        Verdict(verdict),
        Evidence(evidence),
        _fraction(distance) if isinstance(distance, str) else distance,
        size,
        detail,
        None if risk is None else Risk(**risk),
    )


@lru_cache(maxsize=1024)  # nearly all of them are zero
def _fraction(text: str) -> Fraction:
    return Fraction(text)
