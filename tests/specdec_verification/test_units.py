"""Units: every cell in one of them, in order, and whole when they end."""

import pickle
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.rules.token_rejection import TokenRejection
from specdec_verification.plan import QUICK, Section, plan
from specdec_verification.results import CheckResult, Verdict
from specdec_verification.units import Unit, fail_unit, run_unit, units


def sections_of(sizes: list[int]) -> list[Section]:
    def check(number: int, line: str) -> CheckResult:
        raise ValueError(line)

    return [Section("p", f"exact_law/{place}/x", size, check) for place, size in enumerate(sizes)]


@pytest.mark.hypothesis
@given(sizes=st.lists(st.integers(0, 20), max_size=5), cells=st.integers(1, 7))
def test_units_hold_every_cell_once_in_order(sizes: list[int], cells: int) -> None:
    made = list(units(sections_of(sizes), cells))
    assert [(unit.place, number) for unit in made for number in unit.cells] == [
        (place, number) for place, size in enumerate(sizes) for number in range(size)
    ]
    assert all(1 <= len(unit.cells) <= cells for unit in made)
    assert len({unit.key for unit in made}) == len(made)


def test_units_of_a_billion_cells_are_made_one_at_a_time() -> None:
    assert next(units(sections_of([10**9]))).cells == range(4)


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
    unit = next(units(plan(QUICK, (TokenRejection(),))))
    assert run_unit(pickle.loads(pickle.dumps(unit))).results == run_unit(unit).results
