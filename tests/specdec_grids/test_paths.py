from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.draws import Draws, ReplayedDraws
from specdec_core.errors import InvalidParameterError, OpaqueDrawError
from specdec_core.laws import Law
from specdec_core.sampling import accepts
from specdec_grids.lattices import Lattice, midpoint_lattice
from specdec_grids.paths import Exploration, Path, exact_law, paths
from specdec_grids.resolutions import Continuous, Interval, LeftEndpoints, Midpoints
from tests.specdec_grids.conftest import (
    MAX_DRAWS,
    TreeProgram,
    brute_force,
    points_of,
    tree_programs,
)

KINDS = [Midpoints, LeftEndpoints]
shares = st.fractions(0, 1, max_denominator=1000).filter(lambda share: 0 < share < 1)
places = st.lists(shares, min_size=MAX_DRAWS, max_size=MAX_DRAWS)


def box(path: Path[int]) -> list[tuple[Fraction, Fraction]]:
    """Return a path's box in the whole cube: draws that it did not take can be anything."""
    rest = [Interval(0, 1, 1)] * (MAX_DRAWS - len(path.box))
    return [(Fraction(low, over), Fraction(high, over)) for low, high, over in (*path.box, *rest)]


def replayed(program: TreeProgram, point: Sequence[Fraction], path: Path[int]) -> int:
    """Return the outcome of the part of a point that the path takes, all of which is used."""
    draws = ReplayedDraws(point[: len(path.box)])
    outcome = program(draws)
    draws.require_all_used()
    return outcome


# The law.


def test_a_law_is_found_by_following_both_sides() -> None:
    def program(draws: Draws) -> str:
        if accepts(draws.uniform(), 1, 4):
            return "kept"
        return "low" if draws.uniform() < Fraction(1, 3) else "high"  # type: ignore[operator]

    assert exact_law(program) == Exploration(
        Law({"kept": Fraction(1, 4), "low": Fraction(1, 4), "high": Fraction(1, 2)}),
        paths=3,
        missing=Fraction(0),
    )


@given(tree_programs())
def test_the_law_is_what_brute_force_counts(program: TreeProgram) -> None:
    """The midpoints of a lattice as fine as the thresholds have the law itself."""
    lattice = midpoint_lattice([program.denominator] * MAX_DRAWS)
    counts = brute_force(program, lattice)
    expected = {outcome: Fraction(count, lattice.size) for outcome, count in counts.items()}
    assert dict(exact_law(program).law.probs) == expected


@given(tree_programs(half_open=True))
def test_with_half_open_cells_left_endpoints_count_the_law_too(program: TreeProgram) -> None:
    lattice = Lattice((LeftEndpoints(program.denominator),) * MAX_DRAWS)
    counts = brute_force(program, lattice)
    law = exact_law(program).law
    assert counts == {outcome: law[outcome] * lattice.size for outcome in law}


@given(tree_programs())
def test_the_law_is_the_sum_of_the_paths(program: TreeProgram) -> None:
    found, followed = exact_law(program), list(paths(program))
    assert found.paths == len(followed)
    assert found.missing == 0
    for outcome in found.law:
        weights = [path.weight for path in followed if path.outcome == outcome]
        assert found.law[outcome] == sum(weights)


@pytest.mark.parametrize("kind", KINDS)
@given(program=tree_programs(), sizes=st.lists(st.integers(1, 5), min_size=3, max_size=3))
def test_on_a_lattice_the_law_is_the_share_of_its_points(
    kind: type[Midpoints | LeftEndpoints], program: TreeProgram, sizes: list[int]
) -> None:
    lattice = Lattice(tuple(map(kind, sizes)))
    counts = brute_force(program, lattice)
    law = exact_law(program, resolution_of=lattice.axis).law
    assert counts == {outcome: law[outcome] * lattice.size for outcome in law}


# The boxes.


@given(tree_programs())
def test_the_boxes_are_disjoint_and_fill_the_cube(program: TreeProgram) -> None:
    followed = list(paths(program))
    volumes = [prod(high - low for low, high in box(path)) for path in followed]
    assert volumes == [path.weight for path in followed]
    assert sum(volumes) == 1
    for one, other in combinations(followed, 2):
        sides = zip(box(one), box(other), strict=True)
        assert any(a[1] <= b[0] or b[1] <= a[0] for a, b in sides)


@given(tree_programs(), places)
def test_any_point_inside_a_box_leads_to_its_outcome(
    program: TreeProgram, places: list[Fraction]
) -> None:
    for path in paths(program):
        sides = zip(box(path), places, strict=True)
        point = [low + (high - low) * share for (low, high), share in sides]
        assert replayed(program, point, path) == path.outcome


@given(tree_programs(half_open=True))
def test_the_corners_of_a_half_open_box_lead_to_its_outcome(program: TreeProgram) -> None:
    for path in paths(program):
        for corner in product(*[(low, high - (high - low) / 10**9) for low, high in box(path)]):
            assert replayed(program, corner, path) == path.outcome


@given(tree_programs())
def test_the_draws_of_a_path_replay_it(program: TreeProgram) -> None:
    for path in paths(program):
        assert replayed(program, path.draws, path) == path.outcome
        assert len(path.draws) == len(path.box)


@pytest.mark.parametrize("kind", KINDS)
@given(program=tree_programs(), n=st.integers(1, 5))
def test_each_point_of_a_lattice_lies_in_one_box_and_leads_to_its_outcome(
    kind: type[Midpoints | LeftEndpoints], program: TreeProgram, n: int
) -> None:
    lattice = Lattice((kind(n),) * MAX_DRAWS)
    axes = points_of(lattice)
    visited = 0
    for path in paths(program, lattice.axis):
        numbers = [
            axis[low // over : high // over]
            for axis, (low, high, over) in zip(axes, path.box, strict=False)
        ]
        assert all(draw in inside for draw, inside in zip(path.draws, numbers, strict=True))
        for point in product(*numbers):
            assert replayed(program, point, path) == path.outcome
            visited += n ** (MAX_DRAWS - len(point))
    assert visited == lattice.size


def test_a_threshold_belongs_to_the_side_that_the_comparison_says() -> None:
    """A box does not say to which side its ends belong: an end has no mass."""
    (below, above) = paths(lambda draws: draws.uniform() <= Fraction(1, 2))  # type: ignore[operator]
    assert (below.outcome, above.outcome) == (True, False)
    assert below.box == (Interval(0, 1, 2),)
    assert above.box == (Interval(1, 2, 2),)


def test_a_draw_that_is_not_asked_about_is_still_in_the_box() -> None:
    (path,) = paths(lambda draws: len([draws.uniform(), draws.uniform()]))
    assert path.box == (Interval(0, 1, 1),) * 2
    assert path.draws == (Fraction(1, 2),) * 2


def test_every_draw_has_the_resolution_of_its_number() -> None:
    def resolution_of(index: int) -> Continuous | LeftEndpoints:
        return LeftEndpoints(2) if index else Continuous()

    def program(draws: Draws) -> tuple[bool, ...]:
        return tuple(draws.uniform() <= Fraction(1, 2) for _ in range(2))  # type: ignore[operator,misc]

    law = exact_law(program, resolution_of=resolution_of).law
    assert dict(law.probs) == {(True, True): Fraction(1, 2), (False, True): Fraction(1, 2)}


# A budget.


@given(tree_programs(), st.data())
def test_a_budget_states_what_it_missed(program: TreeProgram, data: st.DataObject) -> None:
    followed = list(paths(program))
    budget = data.draw(st.integers(1, len(followed) + 1))
    found = exact_law(program, max_paths=budget)
    assert found.paths == min(budget, len(followed))
    assert found.missing == sum(path.weight for path in followed[budget:])
    assert found.law.mass == 1 - found.missing


def test_an_endless_program_is_followed_as_far_as_the_budget_goes() -> None:
    def program(draws: Draws) -> int:
        tries = 1
        while not accepts(draws.uniform(), 1, 2):
            tries += 1
            if tries == 1000:
                break
        return tries

    found = exact_law(program, max_paths=10)
    assert found.missing == Fraction(1, 1 << 10)
    assert found.law[3] == Fraction(1, 8)


@pytest.mark.parametrize("max_paths", [0, -1])
def test_a_budget_of_no_path_is_refused(max_paths: int) -> None:
    with pytest.raises(InvalidParameterError, match=f"max_paths is {max_paths}"):
        exact_law(lambda _: 0, max_paths=max_paths)


# Planted faults.


def test_a_draw_read_as_a_number_is_not_followed() -> None:
    with pytest.raises(OpaqueDrawError, match="float of a draw"):
        exact_law(lambda draws: float(draws.uniform()) < 0.5)  # type: ignore[arg-type]


def test_a_certain_acceptance_written_with_less_or_equal_shows_at_a_left_endpoint() -> None:
    fault = lambda draws: draws.uniform() * 1 <= 0  # noqa: E731
    assert exact_law(fault).law[True] == 0
    torch = exact_law(fault, resolution_of=lambda _: LeftEndpoints(1 << 24))
    assert torch.law[True] == Fraction(1, 1 << 24)
    assert (
        exact_law(
            lambda draws: accepts(draws.uniform(), 0, 1),
            resolution_of=lambda _: LeftEndpoints(1 << 24),
        ).law[True]
        == 0
    )
