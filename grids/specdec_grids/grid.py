"""Lazy Cartesian products with stable cell numbers.

A grid is a sequence: its length is known before anything is built, a cell is made from its number,
and the number of a failing cell is all that a report needs.  The last axis runs fastest, as in
`itertools.product`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

from specdec_core.errors import InvalidParameterError

Cell = TypeVar("Cell")


@dataclass(frozen=True, slots=True)
class Axis:
    """A named sequence of values, at least one; a lazy sequence stays lazy.

    Raises
    ------
    InvalidParameterError
        If there is no value.
    """

    name: str
    values: Sequence[Any]

    def __post_init__(self) -> None:
        if not len(self.values):
            raise InvalidParameterError(f"axis {self.name!r} has no values, expected at least one")


@dataclass(frozen=True, slots=True)
class Grid(Sequence[Cell], Generic[Cell]):
    """The product of some axes, each combination made into a cell.

    Equivalent to ``[make(**values) for values in itertools.product(*axes)]``, without the list.

    Parameters
    ----------
    make : callable
        Called with one value of each axis, by the axis's name.
    axes : tuple of Axis
        No two of one name.

    Examples
    --------
    >>> grid = Grid(dict, (Axis("vocab_size", (2, 3)), Axis("gamma", (1, 2, 4))))
    >>> len(grid), grid[4], grid.index_of({"vocab_size": 3, "gamma": 2})
    (6, {'vocab_size': 3, 'gamma': 2}, 4)
    """

    make: Callable[..., Cell]
    axes: tuple[Axis, ...]

    def __post_init__(self) -> None:
        names = [axis.name for axis in self.axes]
        if len(set(names)) < len(names):
            raise InvalidParameterError(f"axes {', '.join(names)}: two have one name")

    def __len__(self) -> int:
        return math.prod(len(axis.values) for axis in self.axes)

    @overload
    def __getitem__(self, index: int) -> Cell: ...

    @overload
    def __getitem__(self, index: slice) -> list[Cell]: ...

    def __getitem__(self, index: int | slice) -> Cell | list[Cell]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        values: dict[str, Any] = {}
        for axis in reversed(self.axes):
            number, position = divmod(number, len(axis.values))
            values[axis.name] = axis.values[position]
        return self.make(**{axis.name: values[axis.name] for axis in self.axes})

    def index_of(self, values: dict[str, Any]) -> int:
        """Return the number of the cell that is made of these values, one for each axis.

        Raises
        ------
        InvalidParameterError
            If an axis has no value, or one that is not on it.
        """
        number = 0
        for axis in self.axes:
            try:
                position = axis.values.index(values[axis.name])
            except (KeyError, ValueError):
                raise InvalidParameterError(
                    f"axis {axis.name!r} has no value {values.get(axis.name)!r}"
                ) from None
            number = number * len(axis.values) + position
        return number
