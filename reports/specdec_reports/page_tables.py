"""Frames as tables of a page: what each cell shows, and what it is sorted by.

A cell that shows ``41/256``, ``1,499 of 1,500`` or ``12,000`` is sorted by its number.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import pandas as pd

from specdec_reports.tables import numeric, shown

QUANTITY: Final = re.compile(r"(?P<number>-?[0-9][0-9,]*)(/(?P<parts>[0-9]*[1-9][0-9]*)| of [0-9,]+)?")


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
        A class of the style sheet, or empty.
    shade : float or None
        How much of the column's colour lies behind the text, in ``[0, 1]``.
    """

    text: str
    order: float | None
    style: str = ""
    shade: float | None = None


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table under its heads; `name` says what it holds, to those who hear it.

    Attributes
    ----------
    name : str
    heads : tuple of str
    right : tuple of bool
        Which columns are numbers, and stand to the right.
    rows : tuple of tuple of Cell
    """

    name: str
    heads: tuple[str, ...]
    right: tuple[bool, ...]
    rows: tuple[tuple[Cell, ...], ...]


def page_table(name: str, frame: pd.DataFrame) -> PageTable:
    """Return a frame as a table of the page."""
    return _page_table(name, frame, _cell)


def shaded_table(name: str, frame: pd.DataFrame, powers: pd.DataFrame) -> PageTable:
    """Return a frame as a table of the page, its last columns shaded by how much a check sees."""
    first = len(frame.columns) - len(powers.columns)
    shades = powers.to_numpy(dtype=float)

    def cell(head: str, value: object, text: str, place: tuple[int, int]) -> Cell:
        row, column = place
        if column < first:
            return _cell(head, value, text, place)
        power = float(shades[row, column - first])
        return Cell(text, -1.0, "") if math.isnan(power) else Cell(text, power, "power", power)

    return _page_table(name, frame, cell)


def _page_table(
    name: str, frame: pd.DataFrame, cell: Callable[[str, object, str, tuple[int, int]], Cell]
) -> PageTable:
    texts = shown(frame)
    pairs = zip(frame.itertuples(index=False), texts.itertuples(index=False), strict=True)
    return PageTable(
        name=name,
        heads=tuple(map(str, texts)),
        right=tuple(numeric(frame)),
        rows=tuple(
            tuple(
                cell(head, value, text, (row, column))
                for column, (head, value, text) in enumerate(zip(frame, *cells, strict=True))
            )
            for row, cells in enumerate(pairs)
        ),
    )


def _cell(head: str, value: object, text: str, place: tuple[int, int]) -> Cell:
    if head == "verdict":
        return Cell(text, None, f"verdict {text.lower()}")
    return Cell(text, _order(value), head if head in ("detail", "reproduce") else "")


def _order(value: object) -> float | None:
    """Return the number that a value is or begins with, as far as a float can hold it."""
    try:
        if isinstance(value, int | float):
            return float(value)
        match = QUANTITY.fullmatch(str(value))
        if match is None:
            return None
        return float(Fraction(int(match["number"].replace(",", "")), int(match["parts"] or 1)))
    except OverflowError:
        return math.inf
