"""Frames as tables of a page: what each cell shows, and what it is sorted by.

A cell that shows ``41/256``, ``1,499 of 1,500`` or ``12,000`` is sorted by its number.
"""

import math
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

import pandas as pd

from specdec_reports.tables import shown

QUANTITY: Final = re.compile(
    r"(?P<number>-?([0-9]{1,400}|[0-9]{1,3}(,[0-9]{3}){1,130}))"
    r"(/(?P<parts>[0-9]{0,400}[1-9][0-9]{0,400})| of [0-9,]+)?",
    re.ASCII,
)
"""A number as tables show it: an integer, a fraction, or how many of how many."""

LONG: Final = 32
"""Characters that a cell may have and still stand on one line."""

SEQUENCES: Final = ("prefix", "path")
"""Columns of tokens: one of one token is no number."""

NOT_ASKED: Final = -1.0
"""What an empty cell of a matrix is sorted by: below never."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell.

    Attributes
    ----------
    text : str
        What it shows.
    order : float or None
        What it is sorted by, if that is a number.
    style : str
        Classes of the style sheet, or nothing.
    shade : float or None
        How much of a bar, or of a colour, lies behind the text, in ``[0, 1]``.
    """

    text: str
    order: float | None
    style: str = ""
    shade: float | None = None


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table under its heads.

    Attributes
    ----------
    name : str
        What it holds.
    heads : tuple of str
    ordered : tuple of bool
        Which columns are sorted by number, and stand to the right.
    rows : tuple of tuple of Cell
    """

    name: str
    heads: tuple[str, ...]
    ordered: tuple[bool, ...]
    rows: tuple[tuple[Cell, ...], ...]


def page_table(name: str, frame: pd.DataFrame) -> PageTable:
    """Return a frame as a table of the page."""
    texts, names = shown(frame), list(map(str, frame))
    pairs = zip(frame.itertuples(index=False), texts.itertuples(index=False), strict=True)
    rows = [tuple(map(_cell, names, *pair)) for pair in pairs]
    ordered = tuple(map(_are_numbers, zip(*rows, strict=True))) or (False,) * len(texts.columns)
    return PageTable(
        name=name,
        heads=tuple(map(str, texts)),
        ordered=ordered,
        rows=tuple(tuple(map(_kept, row, ordered)) for row in rows),
    )


def matrix_table(name: str, frame: pd.DataFrame, powers: pd.DataFrame) -> PageTable:
    """Return a frame whose last columns show the powers given, shaded by them."""
    table = page_table(name, frame)
    first = len(table.heads) - len(powers.columns)
    rows = zip(table.rows, powers.to_numpy(dtype=float).tolist(), strict=True)
    return replace(
        table,
        ordered=(*table.ordered[:first], *(True for _ in powers)),
        rows=tuple((*row[:first], *map(_power_cell, row[first:], values)) for row, values in rows),
    )


def bar_table(name: str, frame: pd.DataFrame) -> PageTable:
    """Return counts by prefix, with a bar below what was expected and below what was observed."""
    table = page_table(name, frame[["prefix", "expected", "observed"]])
    rows = zip(table.rows, frame["points"].tolist(), strict=True)
    return replace(
        table,
        ordered=(False, True, True),
        rows=tuple(
            (
                prefix,
                _bar_cell(expected, "expected", points),
                _bar_cell(observed, "observed", points),
            )
            for (prefix, expected, observed), points in rows
        ),
    )


def _cell(head: str, value: object, text: str) -> Cell:
    if head == "verdict":
        return Cell(text, None, f"verdict {text.lower()}")
    if head in SEQUENCES:
        return Cell(text, None)
    return Cell(text, _order(value), "long" if len(text) > LONG else "")


def _are_numbers(column: Iterable[Cell]) -> bool:
    """Return whether every cell that shows anything is sorted by a number, and some does."""
    shown = [cell for cell in column if cell.text]
    return bool(shown) and all(cell.order is not None for cell in shown)


def _kept(cell: Cell, ordered: bool) -> Cell:
    return cell if ordered else replace(cell, order=None)


def _power_cell(cell: Cell, power: float) -> Cell:
    if math.isnan(power):
        return replace(cell, order=NOT_ASKED)
    return replace(cell, order=power, style="power", shade=power)


def _bar_cell(cell: Cell, head: str, points: int) -> Cell:
    return replace(cell, style=f"bar {head}", shade=(cell.order or 0.0) / max(points, 1))


def _order(value: object) -> float | None:
    """Return the number that a value is or begins with, as far as a float can hold it.

    >>> _order("1/4"), _order("1,499 of 1,500"), _order("V=2")
    (0.25, 1499.0, None)
    """
    if isinstance(value, int | float):
        return _float(value)
    match = QUANTITY.fullmatch(str(value))
    if match is None:
        return None
    return _float(Fraction(int(match["number"].replace(",", "")), int(match["parts"] or 1)))


def _float(number: float | Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return sys.float_info.max
