"""Units of work: contiguous ranges of a section's cells, run in one go wherever there is room.

A unit is a value, and so are its results: either can be sent to another process or machine.  Units
are small, since the last of a run is waited for by all, and since what is lost with a worker is run
again from the unit's start.  They are not smaller than that, since each is sent, and its results
are sent back: so a unit has as many cells as take a tenth of a second, by those that came before.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import perf_counter

from specdec_verification.cells import run_cell, unended
from specdec_verification.limits import UNLIMITED, Limits
from specdec_verification.plan import Section
from specdec_verification.results import CheckResult

FIRST = 4
"""Cells in the first units of a section, whose time is not known yet."""

SECONDS = 0.1
"""That a unit is to take: many times what it takes to send, and little to wait for at the end."""

MOST = 1000
"""Cells in a unit: what is lost with a worker, and what is held until it is written down."""

TICK = 1e-6
"""Seconds that any unit takes at least."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Some cells of one section.

    Attributes
    ----------
    place : int
        Of the section in its plan.
    section : Section
    cells : range
        Their numbers.
    """

    place: int
    section: Section
    cells: range

    @property
    def key(self) -> tuple[int, range]:
        """What tells it from every other unit."""
        return self.place, self.cells

    def one_by_one(self) -> Iterator["Unit"]:
        """Yield every cell as a unit of its own."""
        for number in self.cells:
            yield Unit(self.place, self.section, range(number, number + 1))


@dataclass(frozen=True, slots=True)
class Finished:
    """A unit, what its cells found, in order, and the seconds that they took together."""

    unit: Unit
    results: tuple[CheckResult, ...]
    seconds: float = 0.0


@dataclass(slots=True)
class Pace:
    """How many cells of a section make a unit, by the time that its cells have taken so far.

    A unit never has more cells than were timed before it, so that the few that came first are not
    trusted with many more than they are.
    """

    _cells: Counter[int] = field(init=False, default_factory=Counter)
    _seconds: defaultdict[int, float] = field(
        init=False, default_factory=lambda: defaultdict(float)
    )

    def note(self, finished: Finished) -> None:
        """Learn from a unit that was run."""
        place = finished.unit.place
        self._cells[place] += len(finished.results)
        self._seconds[place] += finished.seconds

    def cells(self, place: int) -> int:
        """Return how many cells the next unit of a section is to have, at least one."""
        timed, seconds = self._cells[place], self._seconds[place]
        if not timed:
            return FIRST
        return max(1, min(timed, MOST, int(timed * SECONDS / max(seconds, TICK))))


def units(place: int, section: Section, cells: range, pace: Pace) -> Iterator[Unit]:
    """Yield some cells of a section in order, as many at a time as the pace has it by then."""
    while cells:
        size = pace.cells(place)
        yield Unit(place, section, cells[:size])
        cells = cells[size:]


def run_unit(unit: Unit, limits: Limits = UNLIMITED) -> Finished:
    """Run every cell of a unit within its limits; one that raises is a result too."""
    began = perf_counter()
    results = tuple(run_cell(unit.section, number, limits) for number in unit.cells)
    return Finished(unit, results, perf_counter() - began)


def fail_unit(unit: Unit, detail: str) -> Finished:
    """Return a unit none of whose cells could be run, with the reason."""
    return Finished(unit, tuple(unended(unit.section, number, detail) for number in unit.cells))
