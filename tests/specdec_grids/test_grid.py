from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.errors import InvalidParameterError
from specdec_grids.grid import Axis, Grid
from specdec_grids.simplex import Simplex

SMALL = Grid(dict, (Axis("vocab_size", (2, 3)), Axis("gamma", (1, 2, 4))))


@dataclass(frozen=True)
class Cell:
    a: int
    b: int


@st.composite
def grids(draw: st.DrawFn) -> Grid[dict[str, Any]]:
    sizes = draw(st.lists(st.integers(1, 4), max_size=4))
    axes = (Axis(f"axis {j}", range(10 * j, 10 * j + size)) for j, size in enumerate(sizes))
    return Grid(dict, tuple(axes))


def brute_force(grid: Grid[Any]) -> list[dict[str, Any]]:
    names = [axis.name for axis in grid.axes]
    cells = product(*(axis.values for axis in grid.axes))
    return [dict(zip(names, values, strict=True)) for values in cells]


def test_a_failing_cell_has_a_number() -> None:
    assert len(SMALL) == 6
    assert SMALL[4] == {"vocab_size": 3, "gamma": 2}
    assert SMALL.index_of({"vocab_size": 3, "gamma": 2}) == 4


@given(grids())
def test_it_is_the_product_of_its_axes(grid: Grid[dict[str, Any]]) -> None:
    assert list(grid) == brute_force(grid)
    assert len(grid) == len(brute_force(grid))


@given(grids())
def test_index_of_inverts(grid: Grid[dict[str, Any]]) -> None:
    assert [grid.index_of(grid[number]) for number in range(len(grid))] == list(range(len(grid)))


@given(grids(), st.data())
def test_it_is_indexed_and_sliced_as_a_list_is(
    grid: Grid[dict[str, Any]], data: st.DataObject
) -> None:
    cells, size = brute_force(grid), len(grid)
    index = data.draw(st.integers(-size, size - 1))
    assert grid[index] == cells[index]
    part = data.draw(st.slices(size))
    assert grid[part] == cells[part]


@pytest.mark.parametrize("index", [6, -7, 100])
def test_there_is_no_cell_outside(index: int) -> None:
    with pytest.raises(IndexError):
        SMALL[index]


def test_a_grid_without_axes_has_one_cell() -> None:
    empty: Grid[dict[str, Any]] = Grid(dict, ())
    assert (len(empty), empty[0], empty.index_of({})) == (1, {}, 0)


def test_cells_are_made_by_name() -> None:
    grid = Grid(Cell, (Axis("b", (1, 2)), Axis("a", (3, 4))))
    assert list(grid) == [Cell(3, 1), Cell(4, 1), Cell(3, 2), Cell(4, 2)]


def test_an_axis_can_be_lazy_and_no_cell_is_made_before_it_is_asked_for() -> None:
    made: list[Any] = []

    class Lazy(Sequence[int]):
        def __len__(self) -> int:
            return 10**12

        def __getitem__(self, index: Any) -> int:  # noqa: ANN401
            made.append(index)
            return -index

    grid = Grid(dict, (Axis("x", Lazy()), Axis("row", Simplex(3, 2))))
    assert len(grid) == 6 * 10**12
    assert grid[6 * 10**11 + 5] == {"x": -(10**11), "row": Simplex(3, 2)[5]}
    assert made == [10**11]


@pytest.mark.parametrize("values", [{"vocab_size": 3}, {"vocab_size": 3, "gamma": 3}, {}])
def test_values_that_are_not_on_the_axes_have_no_number(values: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameterError, match="has no value"):
        SMALL.index_of(values)


def test_the_axis_without_a_value_is_named() -> None:
    with pytest.raises(InvalidParameterError, match="axis 'gamma' has no value 3"):
        SMALL.index_of({"vocab_size": 3, "gamma": 3})


def test_an_axis_has_a_value() -> None:
    with pytest.raises(InvalidParameterError, match="axis 'gamma' has no values"):
        Axis("gamma", ())


def test_axes_have_different_names() -> None:
    with pytest.raises(InvalidParameterError, match="axes a, b, a: two have one name"):
        Grid(dict, (Axis("a", (1,)), Axis("b", (1,)), Axis("a", (2,))))
