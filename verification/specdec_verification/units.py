"""Units of work: contiguous ranges of a section's cells, run in one go wherever there is room.

A unit is a value, and so are its results: either can be sent to another process or machine.  Units
are small, since the last of a run is waited for by all, and since what is lost with a worker is run
again from the unit's start.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from specdec_verification.cells import run_cell, unended
from specdec_verification.plan import Section
from specdec_verification.results import CheckResult

CELLS = 4
"""In a unit: enough that a unit takes longer than it takes to send, few enough to share out."""


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
    """A unit and what its cells found, in order."""

    unit: Unit
    results: tuple[CheckResult, ...]


def units(sections: Sequence[Section], cells: int = CELLS) -> Iterator[Unit]:
    """Yield the cells of every section in order, so many at a time."""
    for place, section in enumerate(sections):
        for start in range(0, section.size, cells):
            yield Unit(place, section, range(start, min(start + cells, section.size)))


def run_unit(unit: Unit) -> Finished:
    """Run every cell of a unit; one that raises is a result too."""
    return Finished(unit, tuple(run_cell(unit.section, number) for number in unit.cells))


def fail_unit(unit: Unit, detail: str) -> Finished:
    """Return a unit none of whose cells could be run, with the reason."""
    return Finished(unit, tuple(unended(unit.section, number, detail) for number in unit.cells))
