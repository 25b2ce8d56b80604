"""Numbers beside the numbers they should be: one row each, printed and written."""

import csv
import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np


@dataclass(frozen=True, slots=True)
class Measured:
    """One number, found here and stated elsewhere.

    Attributes
    ----------
    table : str
        Which table it belongs to.
    quantity : str
    stated : float or None
        What was to be reproduced; ``None`` where nothing was stated.
    found : float
    error : float
        Two standard errors of the simulation; zero where nothing is simulated.
    remark : str
    """

    table: str
    quantity: str
    stated: float | None
    found: float
    error: float = 0.0
    remark: str = ""


def show(row: Measured, *, heading: bool) -> None:
    """Print a row, under the heading of its table if it is the first of it."""
    if heading:
        print(f"\n{row.table}\n  {'':46} {'stated':>9} {'found':>9} {'+-':>8}")
    stated = "" if row.stated is None else f"{row.stated:.3g}"
    line = f"  {row.quantity:46} {stated:>9} {row.found:>9.3g} {row.error:>8.1g}  {row.remark}"
    print(line.rstrip(), flush=True)


def write(rows: Sequence[Measured], path: Path) -> None:
    """Write rows as CSV."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([one.name for one in fields(Measured)])
        writer.writerows(astuple(row) for row in rows)


def share(hits: int, runs: int) -> tuple[float, float]:
    """Return a frequency and two standard errors of it, never less than that of one hit."""
    found = hits / runs
    return found, 2 * math.sqrt(max(found * (1 - found), 1 / runs) / runs)


def quantile(times: np.ndarray, level: float) -> tuple[float, float]:
    """Return a quantile of run lengths, and half of its 95 % interval by order statistics."""
    ordered, runs = np.sort(times), len(times)
    spread = 2 * math.sqrt(level * (1 - level) * runs)
    low, at, high = (
        min(runs - 1, max(0, math.floor(level * runs + shift))) for shift in (-spread, 0, spread)
    )
    return float(ordered[at]), float(ordered[high] - ordered[low]) / 2
