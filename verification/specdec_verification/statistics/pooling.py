"""Cells for a chi-square test: outcomes too rare to stand alone are pooled.

The chi-square law is the limit of many counts in every cell, and its far tail, where a rate such
as 1e-9 sits, is the last part to get there.  So outcomes are sorted by expected count, and from
the rarest up they are pooled until a cell expects `MIN_EXPECTED_COUNT`.  The small ones left over
that do not add up to that are the *rest*: a cell of its own, never dropped, and never merged with
a common outcome, which it would hide.  The cells depend on the law and the number of draws, not on
what was drawn.

What happens *inside* a pooled cell cannot be seen: a subject may give all of its probability to one
of its outcomes.  So `min_detectable_tv` of the pooled law holds for the law itself only after the
pooled probability is added to it, which is what `detectable_tv` does.

Not here: outcomes of probability zero.  They are in no cell, and one observation rejects.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic

from specdec_verification.statistics.power import min_detectable_tv
from specdec_verification.statistics.sampled import Demand, Outcome, Tally

MIN_EXPECTED_COUNT = 50
"""What a cell expects at the least, but for the rest."""


@dataclass(frozen=True, slots=True)
class Cell(Generic[Outcome]):
    """One cell of a chi-square test.

    Attributes
    ----------
    outcomes : tuple
        What falls into the cell, the least expected first; at least one, each of nonzero
        probability.
    got : int
        How many of the draws did.
    expected : float
        How many the law expects, positive unless there is no draw.
    prob : float
        Their probability under the law claimed, in ``(0, 1]``.
    """

    outcomes: tuple[Outcome, ...]
    got: int
    expected: float
    prob: float

    @property
    def pooled(self) -> bool:
        """Whether the cell holds more than one outcome."""
        return len(self.outcomes) > 1

    def __str__(self) -> str:
        if self.pooled:
            return f"{self.outcomes[0]!r} and {len(self.outcomes) - 1} more"
        return repr(self.outcomes[0])


def pool(tally: Tally[Outcome]) -> tuple[Cell[Outcome], ...]:
    """Return the cells of a tally, in which at most one expects less than the minimum.

    Parameters
    ----------
    tally : Tally
        Unlawful outcomes are left out; they are in no cell.

    Returns
    -------
    tuple of Cell
        The pooled cells, then the rest if there is one, then the outcomes that stand alone;
        together they expect every draw.

    Examples
    --------
    >>> tally = Tally({"a": 800, "b": 200}, {"a": 0.875, "b": 0.0625, "c": 0.03125, "d": 0.03125})
    >>> [(str(cell), cell.got, cell.expected) for cell in pool(tally)]
    [("'c' and 1 more", 0, 62.5), ("'b'", 200, 62.5), ("'a'", 800, 875.0)]
    """
    cells = sorted(_single_cells(tally), key=lambda cell: cell.expected)
    small = [cell for cell in cells if cell.expected < MIN_EXPECTED_COUNT]
    return (*map(_merged, _groups(small)), *cells[len(small) :])


def detectable_tv(cells: Sequence[Cell[Outcome]], draws: int, demand: Demand) -> float:
    """Return the smallest total variation of the *unpooled* law that a test cannot miss.

    Parameters
    ----------
    cells : sequence of Cell
        From `pool`.
    draws : int
        Outcomes drawn.
    demand : Demand
        The error rates.

    Returns
    -------
    float
        In ``(0, 1]``: what `power.min_detectable_tv` says of the cells, plus the probability of
        the pooled ones.

    Notes
    -----
    Inside the pooled cells a law can differ by their probability at most, on top of what it
    differs by on the cells as wholes.  A rest is weighed as if it expected the minimum (see
    `chi_square.pearson_terms`), which by Cauchy-Schwarz divides the noncentrality by
    ``1 + missing / draws`` at most, where ``missing`` is what the rest lacks of the minimum.
    """
    missing = math.ceil(math.fsum(max(0.0, MIN_EXPECTED_COUNT - cell.expected) for cell in cells))
    seen = min_detectable_tv(
        draws * draws // (draws + missing),
        len(cells),
        **demand.rates,
    )
    return min(1.0, seen + math.fsum(cell.prob for cell in cells if cell.pooled))


def _single_cells(tally: Tally[Outcome]) -> Iterator[Cell[Outcome]]:
    draws = tally.draws
    for outcome, prob in tally.law.items():
        if prob:
            got = tally.counts.get(outcome, 0)
            yield Cell((outcome,), got, float(draws * prob), float(prob))


def _groups(cells: Iterable[Cell[Outcome]]) -> Iterator[list[Cell[Outcome]]]:
    """Yield runs of cells that together expect the minimum, and last those that do not."""
    group: list[Cell[Outcome]] = []
    expected = 0.0
    for cell in cells:
        group.append(cell)
        expected += cell.expected
        if expected >= MIN_EXPECTED_COUNT:
            yield group
            group, expected = [], 0.0
    if group:
        yield group


def _merged(cells: Sequence[Cell[Outcome]]) -> Cell[Outcome]:
    return Cell(
        tuple(outcome for cell in cells for outcome in cell.outcomes),
        sum(cell.got for cell in cells),
        math.fsum(cell.expected for cell in cells),
        math.fsum(cell.prob for cell in cells),
    )
