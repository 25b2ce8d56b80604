from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.distributions import Row
from specdec_core.draws import Draws
from specdec_core.errors import GridTooLargeError, ShapeError
from specdec_core.rules.deterministic_candidates import DeterministicCandidates
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_core.sampling import accepts, sample
from specdec_grids.generated import RandomInstances
from specdec_grids.lattices import Lattice, count, least_lattice, midpoint_lattice, visit
from specdec_grids.paths import exact_law, paths
from specdec_grids.populations import BATCH, merge_counts
from specdec_grids.programs import completed_round
from specdec_grids.resolutions import LatticeAxis, LeftEndpoints, Midpoints
from tests.specdec_grids.conftest import (
    MAX_DRAWS,
    TreeProgram,
    brute_force,
    mapped,
    points_of,
    tree_programs,
)

KINDS = [Midpoints, LeftEndpoints]
RULES = (TokenRejection(), TokenRejectionBonus(), DeterministicCandidates())
AXIS = st.builds(lambda kind, n: kind(n), st.sampled_from(KINDS), st.integers(1, 5))
lattices = st.lists(AXIS, min_size=MAX_DRAWS, max_size=MAX_DRAWS).map(
    lambda axes: Lattice(tuple(axes))
)


def quarter(draws: Draws) -> bool:
    return accepts(draws.uniform(), 1, 4)


# Points.


@given(st.lists(AXIS, max_size=4).map(lambda axes: Lattice(tuple(axes))))
def test_points_are_numbered_with_the_last_axis_fastest(lattice: Lattice) -> None:
    points = list(product(*points_of(lattice)))
    assert lattice.size == len(points)
    assert [lattice.point(number) for number in range(lattice.size)] == points


@given(lattices, st.data())
def test_a_column_holds_a_draw_of_each_point(lattice: Lattice, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, lattice.size - 1))
    stop = data.draw(st.integers(start + 1, lattice.size))
    for index in range(MAX_DRAWS):
        column = lattice.column(index, start, stop)
        assert [Fraction(int(n), column.denominator) for n in column.numerators] == [
            lattice.point(number)[index] for number in range(start, stop)
        ]


@pytest.mark.parametrize("number", [-1, 6])
def test_there_is_no_point_outside(number: int) -> None:
    with pytest.raises(IndexError, match=f"point {number}, expected 0 to 5"):
        midpoint_lattice([2, 3]).point(number)


def test_a_lattice_without_axes_has_one_point() -> None:
    lattice = midpoint_lattice([])
    assert (lattice.size, lattice.point(0)) == (1, ())
    assert count(lambda _: "x", lattice).counts == visit(lambda _: "x", lattice).counts == {"x": 1}


# Splitting, visiting, and brute force.


def test_probability_one_quarter_counts_a_quarter() -> None:
    """The contract's own case: 2500 of 10000."""
    lattice = midpoint_lattice([100, 100])
    assert count(quarter, lattice).counts == {True: 2500, False: 7500}
    assert visit(quarter, lattice).counts == {True: 2500, False: 7500}


@given(tree_programs(), lattices)
def test_splitting_visiting_and_brute_force_count_alike(
    program: TreeProgram, lattice: Lattice
) -> None:
    expected = brute_force(program, lattice)
    assert count(program, lattice).counts == expected
    assert visit(program, lattice).counts == expected


@pytest.mark.parametrize("kind", KINDS)
@given(program=tree_programs(number=float, denominators=(8,)))
def test_in_floats_too_where_nothing_is_rounded(
    kind: type[Midpoints | LeftEndpoints], program: TreeProgram
) -> None:
    """Eighths, and left endpoints on them."""
    lattice = Lattice(tuple(map(kind, (8, 4, 8))))
    expected = brute_force(program, lattice, float)
    assert count(program, lattice).counts == expected
    assert visit(program, lattice).counts == expected


@pytest.mark.parametrize("kind", KINDS)
@given(
    program=tree_programs(number=float, denominators=(5, 6, 10)),
    factor=st.sampled_from([1.0, 0.1, 1 / 3]),
)
def test_visiting_rounds_as_a_replay_does(
    kind: type[Midpoints | LeftEndpoints], program: TreeProgram, factor: float
) -> None:
    """A left endpoint and its threshold are often one rounding apart, or none."""
    program = mapped(program, lambda number: number * factor)  # type: ignore[arg-type,return-value]
    lattice = Lattice((kind(program.denominator),) * MAX_DRAWS)
    assert visit(program, lattice).counts == brute_force(program, lattice, float)


@pytest.mark.parametrize("kind", KINDS)
@given(
    program=tree_programs(number=float, denominators=(5, 6, 10), rows=False),
    factor=st.sampled_from([1.0, 0.1, 1 / 3]),
)
def test_splitting_takes_a_float_for_the_number_that_it_is(
    kind: type[Midpoints | LeftEndpoints], program: TreeProgram, factor: float
) -> None:
    program = mapped(program, lambda number: number * factor)  # type: ignore[arg-type,return-value]
    lattice = Lattice((kind(program.denominator),) * MAX_DRAWS)
    rational = mapped(program, Fraction)
    assert count(program, lattice).counts == brute_force(rational, lattice)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
@pytest.mark.parametrize("index", range(0, 12, 3))
@pytest.mark.parametrize("kind", KINDS)
def test_a_rule_counts_alike_both_ways(rule: Any, index: int, kind: Any) -> None:  # noqa: ANN401
    program = completed_round(rule, RandomInstances(rule, 12)[index])
    draws = len(least_lattice(program).axes)
    lattice = Lattice(tuple(kind(2 + j % 3) for j in range(draws)))
    assert count(program, lattice) == visit(program, lattice)


@given(tree_programs(), lattices, st.data())
def test_visits_of_adjoining_ranges_add_up(
    program: TreeProgram, lattice: Lattice, data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, lattice.size), max_size=4)))
    shards = [
        visit(program, lattice, start=start, stop=stop).counts
        for start, stop in zip([0, *cuts], [*cuts, lattice.size], strict=True)
    ]
    assert merge_counts(shards) == visit(program, lattice)


def test_visits_of_several_batches_add_up() -> None:
    lattice = midpoint_lattice([7, BATCH // 4])
    assert lattice.size > BATCH
    program = lambda draws: (quarter(draws), quarter(draws))  # noqa: E731
    assert visit(program, lattice) == count(program, lattice)
    assert visit(program, lattice, start=5, stop=BATCH + 6).points == BATCH + 1


def test_a_huge_lattice_is_split_in_no_time() -> None:
    size = 10**8
    counts = count(
        lambda draws: sum(quarter(draws) for _ in range(5)), midpoint_lattice([size] * 5)
    )
    assert counts.points == 10**40
    assert counts[5] == (size // 4) ** 5
    assert counts[1] == 5 * (size // 4) * (3 * size // 4) ** 4


def test_the_start_of_a_huge_lattice_can_be_visited() -> None:
    lattice = midpoint_lattice([10**8] * 5)
    last = lambda draws: [quarter(draws) for _ in range(5)][-1]  # noqa: E731
    assert visit(last, lattice, stop=10**5).counts == {True: 10**5}
    start = 10**8 // 4 - 7
    assert visit(last, lattice, start=start, stop=start + 10).counts == {True: 7, False: 3}
    second_to_last = lambda draws: [2 * 10**8 * draws.uniform() <= 1 for _ in range(5)][-2]  # noqa: E731
    start = 10**8 - 7
    assert visit(second_to_last, lattice, start=start, stop=start + 10).counts == {
        True: 7,
        False: 3,
    }


@pytest.mark.parametrize("kind", KINDS)
def test_the_axes_of_real_generators_can_be_visited(kind: Callable[[int], LatticeAxis]) -> None:
    n = (1 << 53) // kind(1).denominator
    lattice = Lattice((kind(n),))
    row = Row([Fraction(1, 2), Fraction(1, 2)])
    for program in (
        lambda draws: sample(row, draws.uniform()),
        lambda draws: draws.uniform() >= 0.5,
    ):
        counts = visit(program, lattice, start=n // 2 - 4, stop=n // 2 + 6)
        assert counts.counts == {0: 4, 1: 6}


def test_an_axis_finer_than_floats_is_not_visited() -> None:
    lattice = midpoint_lattice([2, (1 << 52) + 1])
    program = lambda draws: (quarter(draws), quarter(draws))  # noqa: E731
    with pytest.raises(GridTooLargeError, match="the axis of draw 2 has 4503599627370497 points"):
        visit(program, lattice, stop=10)
    assert count(program, lattice).points == lattice.size


def test_a_visit_too_large_says_what_to_do_instead() -> None:
    lattice = midpoint_lattice([10] * 3)
    with pytest.raises(
        GridTooLargeError, match="1000 points to visit, at most 999; `count` splits"
    ):
        visit(quarter, lattice, max_points=999)
    assert visit(quarter, lattice, max_points=1000).points == 1000
    assert visit(quarter, lattice, start=1, max_points=999).points == 999


def test_points_beyond_numpys_integers_are_not_visited() -> None:
    lattice = midpoint_lattice([10] * 40)
    with pytest.raises(GridTooLargeError, match="1 points to visit"):
        visit(quarter, lattice, start=2**63 - 1, stop=2**63)
    assert visit(quarter, lattice, start=2**63 - 2, stop=2**63 - 1).points == 1


@pytest.mark.parametrize(("start", "stop"), [(-1, 2), (3, 2), (0, 9), (9, 9)])
def test_a_range_outside_the_lattice_is_refused(start: int, stop: int) -> None:
    with pytest.raises(
        ShapeError, match=f"points {start} to {stop}, expected a range inside 0 to 8"
    ):
        visit(quarter, midpoint_lattice([8]), start=start, stop=stop)


def test_an_empty_range_counts_nothing() -> None:
    assert visit(quarter, midpoint_lattice([8]), start=8).points == 0


@pytest.mark.parametrize("way", [count, visit])
def test_a_draw_without_an_axis_is_refused(way: Callable[..., Any]) -> None:
    message = "the program asks for draw 3, but the lattice has 2 axes"
    with pytest.raises(ShapeError, match=message):
        way(lambda draws: sum(quarter(draws) for _ in range(3)), midpoint_lattice([2, 2]))


# The least lattice.


def test_the_least_lattice_has_the_denominators_of_the_thresholds() -> None:
    def program(draws: Draws) -> tuple[Any, ...]:
        if draws.uniform() < Fraction(1, 6):  # type: ignore[operator]
            return (draws.uniform() < Fraction(2, 3),)  # type: ignore[operator]
        _, last = draws.uniform(), draws.uniform()
        return (sample(Row([Fraction(1, 4), Fraction(1, 10), Fraction(13, 20)]), last),)

    assert least_lattice(program) == midpoint_lattice([6, 3, 20])
    assert least_lattice(lambda _: 0) == Lattice(())


@given(tree_programs())
def test_on_the_least_lattice_counts_are_points_times_the_law(program: TreeProgram) -> None:
    lattice, law = least_lattice(program), exact_law(program).law
    expected = {outcome: law[outcome] * lattice.size for outcome in law}
    assert count(program, lattice).counts == expected
    assert visit(program, lattice).counts == expected


@given(tree_programs(half_open=True))
def test_and_on_its_left_endpoints_too_if_cells_are_half_open(program: TreeProgram) -> None:
    lattice = Lattice(tuple(LeftEndpoints(axis.n) for axis in least_lattice(program).axes))
    law = exact_law(program).law
    assert count(program, lattice).counts == {o: law[o] * lattice.size for o in law}


def shares(program: TreeProgram, lattice: Lattice) -> list[tuple[int, Fraction]]:
    return [(path.outcome, path.weight) for path in paths(program, lattice.axis)]


@given(tree_programs())
def test_no_axis_of_the_least_lattice_can_be_smaller(program: TreeProgram) -> None:
    law = [(path.outcome, path.weight) for path in paths(program)]
    axes = least_lattice(program).axes
    assert shares(program, Lattice(axes)) == law
    for j, axis in enumerate(axes):
        for n in range(1, axis.n):
            assert shares(program, Lattice((*axes[:j], Midpoints(n), *axes[j + 1 :]))) != law
        assert shares(program, Lattice((*axes[:j], Midpoints(3 * axis.n), *axes[j + 1 :]))) == law


def test_a_lattice_of_midpoints_that_is_too_coarse_counts_something_else() -> None:
    """The planted fault: a third on a lattice of four."""
    program = lambda draws: accepts(draws.uniform(), 1, 3)  # noqa: E731
    assert count(program, midpoint_lattice([4])).law[True] == Fraction(1, 4)
    assert count(program, midpoint_lattice([6])).law[True] == Fraction(1, 3)


def test_a_fault_at_a_threshold_shows_on_left_endpoints_only() -> None:
    """The planted fault: ``<=`` for ``<``."""
    fault = lambda draws: draws.uniform() * 4 <= 1  # noqa: E731
    assert count(fault, midpoint_lattice([8])) == count(quarter, midpoint_lattice([8]))
    left = Lattice((LeftEndpoints(8),))
    assert count(quarter, left).counts == visit(quarter, left).counts == {True: 2, False: 6}
    assert count(fault, left).counts == visit(fault, left).counts == {True: 3, False: 5}
