"""Units: every cell in one of them, in order, and whole when they end."""

import pickle
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.rules.token_rejection import TokenRejection
from specdec_verification.plan import Section, plan
from specdec_verification.profiles import QUICK
from specdec_verification.results import CheckResult, Verdict
from specdec_verification.units import (
    FIRST,
    MOST,
    SECONDS,
    Finished,
    Pace,
    Unit,
    fail_unit,
    run_unit,
    units,
)


def sections_of(sizes: list[int]) -> list[Section]:
    def check(number: int, line: str) -> CheckResult:
        raise ValueError(line)

    return [Section("p", f"exact_law/{place}/x", size, check) for place, size in enumerate(sizes)]


@pytest.mark.hypothesis
@given(
    first=st.integers(0, 5),
    size=st.integers(0, 5000),
    cell=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=9),
)
def test_units_hold_every_cell_once_in_order_whatever_they_take(
    first: int, size: int, cell: list[float]
) -> None:
    """The times of cells are those listed, again and again."""
    (section,) = sections_of([first + size])
    pace, made, timed = Pace(), [], 0
    for unit in units(7, section, range(first, first + size), pace):
        assert 1 <= len(unit.cells) <= max(FIRST, min(timed, MOST))
        made += unit.cells
        seconds = sum(cell[number % len(cell)] for number in unit.cells)
        pace.note(Finished(unit, fail_unit(unit, "").results, seconds))
        timed += len(unit.cells)
    assert made == list(range(first, first + size))


@pytest.mark.parametrize(("cell", "cells"), [(0.0, MOST), (SECONDS / 7.5, 7), (SECONDS * 3, 1)])
def test_units_come_to_take_the_time_that_they_should(cell: float, cells: int) -> None:
    (section,) = sections_of([10 * MOST])
    pace, unit = Pace(), None
    for unit in units(0, section, range(section.size), pace):
        results = (fail_unit(Unit(0, section, range(1)), "").results[0],) * len(unit.cells)
        pace.note(Finished(unit, results, cell * len(unit.cells)))
        if unit.cells.start > 5 * MOST:
            break
    assert unit is not None
    assert len(unit.cells) == cells


def test_units_of_a_billion_cells_are_made_one_at_a_time() -> None:
    (section,) = sections_of([10**9])
    assert next(units(0, section, range(section.size), Pace())).cells == range(FIRST)


def test_a_unit_finds_what_its_cells_find_alone() -> None:
    (section,) = [one for one in plan(QUICK, (TokenRejection(),)) if one.name.endswith("/random")][
        :1
    ]
    unit = Unit(3, section, range(5, 9))
    assert run_unit(unit).results == tuple(section.run(number) for number in range(5, 9))
    assert [one.results for one in map(run_unit, unit.one_by_one())] == [
        (section.run(number),) for number in range(5, 9)
    ]


def test_one_cell_that_raises_costs_no_other(found: Callable[..., CheckResult]) -> None:
    def check(number: int, line: str) -> CheckResult:
        if number == 1:
            raise ValueError
        return found()

    finished = run_unit(Unit(0, Section("p", "a", 3, check), range(3)))
    assert [one.verdict for one in finished.results] == ["PASSED", "INCONCLUSIVE", "PASSED"]


def test_a_unit_that_cannot_be_run_has_the_reason_in_every_cell() -> None:
    unit = Unit(0, sections_of([9])[0], range(2, 4))
    results = fail_unit(unit, "why").results
    assert [(one.verdict, one.detail) for one in results] == [(Verdict.INCONCLUSIVE, "why")] * 2
    assert [one.labels.instance for one in results] == ["x/2", "x/3"]


def test_a_unit_of_a_plan_can_be_sent() -> None:
    unit = Unit(0, plan(QUICK, (TokenRejection(),))[0], range(2))
    assert run_unit(pickle.loads(pickle.dumps(unit))).results == run_unit(unit).results
