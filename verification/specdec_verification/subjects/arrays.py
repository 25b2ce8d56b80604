"""Arrays of symbols: an object ndarray whose elements are symbols and numbers.

Shape operations (indexing, reshaping, joining, broadcasting, copying, assignment) are numpy's own
and move the elements about.  Arithmetic and curves act element by element.  A comparison forks
element by element and returns a real array of bools.  ``argmax`` and ``argmin`` are races, one for
each line; ``searchsorted`` of a symbol in a row is one categorical choice.  Whatever else numpy
does to the elements ends in a method of `Symbol`, which refuses.
"""

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specdec_grids.affine import opaque, refusal
from specdec_verification.subjects import races, running
from specdec_verification.subjects.curves import Item
from specdec_verification.subjects.noise import Symbol

_COMPARISONS: dict[str, Callable[..., bool]] = {
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "isnan": lambda item: False,
    "isfinite": lambda item: _within(item) or opaque("isfinite of a draw that has no bounds"),
    "isinf": lambda item: not _within(item) and opaque("isinf of a draw that has no bounds"),
}
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "true_divide": operator.truediv,
    "power": operator.pow,
    "float_power": operator.pow,
    "maximum": lambda one, other: larger(one, other),
    "fmax": lambda one, other: larger(one, other),
    "minimum": lambda one, other: smaller(one, other),
    "fmin": lambda one, other: smaller(one, other),
}
_UNARY: dict[str, Callable[[Any], Any]] = {
    "negative": operator.neg,
    "positive": lambda item: item,
    "log": lambda item: item.log(),
    "log1p": lambda item: (item + 1).log(),
    "log2": lambda item: item.log() / np.log(2.0),
    "log10": lambda item: item.log() / np.log(10.0),
    "exp": lambda item: item.exp(),
    "expm1": lambda item: item.exp() - 1,
    "exp2": lambda item: (item * np.log(2.0)).exp(),
    "sqrt": lambda item: item.sqrt(),
    "square": lambda item: item**2,
    "reciprocal": lambda item: 1 / item,
    "absolute": abs,
    "fabs": abs,
    "floor": lambda item: float(math.floor(item)),
    "ceil": lambda item: float(math.ceil(item)),
    "trunc": lambda item: float(math.trunc(item)),
    "rint": lambda item: float(round(item)),
}
_OPERATIONS: dict[tuple[str, int], Callable[..., Any]] = {
    **{(name, 1): operation for name, operation in _UNARY.items()},
    **{(name, 2): operation for name, operation in _BINARY.items()},
    ("clip", 3): lambda item, low, high: smaller(larger(item, low), high),
}


def is_symbol(item: object) -> bool:
    """Return whether an element is a symbol and not a number."""
    return isinstance(item, Symbol)


def _within(symbol: Item) -> bool:
    """Return whether a symbol lies between finite ends."""
    return all(map(math.isfinite, symbol.span))


def larger(one: Item, other: Item) -> Item:
    """Return the larger of two elements, of which one may be a symbol."""
    if is_symbol(one) and is_symbol(other):
        return one if one > other else other
    if is_symbol(one):
        return one.at_least(other)
    return other.at_least(one) if is_symbol(other) else max(one, other)


def smaller(one: Item, other: Item) -> Item:
    """Return the smaller of two elements, of which one may be a symbol."""
    if is_symbol(one) and is_symbol(other):
        return one if one < other else other
    if is_symbol(one):
        return one.at_most(other)
    return other.at_most(one) if is_symbol(other) else min(one, other)


def elementwise(name: str, items: Sequence[Any]) -> Item:
    """Return a named operation of one element, or of two: arithmetic, a curve, a comparison."""
    operation = _COMPARISONS.get(name) or _OPERATIONS.get((name, len(items)))
    if operation is None:
        opaque(f"numpy.{name} of draws")
    if not any(map(is_symbol, items)):
        return getattr(np, name)(*map(np.float64, items))
    if name in _COMPARISONS:
        return operation(*items)
    first, *others = items
    # A number on the left leaves the operator to the symbol only if it is Python's own; one on
    # the right is numpy's, so that what divides by zero is infinite and no error.
    own = first.item() if isinstance(first, np.generic) else first
    return operation(own, *(item if is_symbol(item) else np.float64(item) for item in others))


class SymbolArray(np.ndarray):
    """An object ndarray that holds symbols, numbers, or both."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Item, **options: Item) -> Item:
        """Apply an operation of numpy element by element."""
        return universal(ufunc, method, inputs, options)

    def argmax(self, axis: int | None = None, **options: Item) -> Item:  # type: ignore[override]
        """Return which element of each line is the largest: a race."""
        return extreme(self, axis, True)

    def argmin(self, axis: int | None = None, **options: Item) -> Item:  # type: ignore[override]
        """Return which element of each line is the smallest: a race."""
        return extreme(self, axis, False)

    def argsort(self, axis: int = -1, **options: Item) -> Item:  # type: ignore[override]
        """Return the order of each line: race after race of those left."""
        rows, shape = lines(self, axis)
        order = np.array([races.ascending(row.tolist()) for row in rows])
        return np.moveaxis(order.reshape(*shape, rows.shape[-1]), -1, axis)

    def argpartition(self, kth: int, axis: int = -1, **options: Item) -> Item:  # type: ignore[override]
        """Return each line's first few, in their order, and the others."""
        return _parted(self, kth, axis)

    def __array_function__(
        self, func: Item, types: Item, args: Iterable[Any], kwargs: Mapping[str, Any]
    ) -> Item:
        """Call a function of numpy; what it returns of symbols is an array of them again."""
        if func is np.searchsorted:
            return searched(*args, **kwargs)
        if func is np.argpartition:
            return _parted(*args, **kwargs)
        result = super().__array_function__(func, types, args, kwargs)
        if type(result) is np.ndarray and result.dtype == object:
            return result.view(SymbolArray)
        return result

    def astype(self, dtype: Item, *arguments: Item, **options: Item) -> Item:
        """Return itself, for the elements are real numbers; or the integers below."""
        kind = np.dtype(dtype)
        if kind.kind in "iu":
            integers = [math.trunc(item) for item in plain(self).ravel().tolist()]
            return np.array(integers, dtype=kind).reshape(self.shape)
        if kind.kind not in "fO" or kind == np.float16:
            opaque(f"conversion of draws to {kind}")
        return self.copy()


def universal(ufunc: np.ufunc, method: str, inputs: Sequence[Item], options: Item) -> Item:
    """Apply an operation of numpy element by element; also what ``out=`` and ``+=`` come to."""
    name = ufunc.__name__
    if method == "reduce" and name in ("maximum", "minimum"):
        return extreme_item(inputs[0], options.get("axis", 0), name == "maximum")
    if method != "__call__" or not set(options) <= {"dtype", "casting", "out"}:
        opaque(f"numpy.{name} ({method}) of draws with {', '.join(options) or 'no options'}")
    result = mapped(name, inputs)
    for out in options.get("out", ()):
        np.copyto(plain(out), result)
        return out
    return result


def symbol_array(elements: Sequence[Any], shape: Sequence[int]) -> NDArray[Any]:
    """Return elements, in order, as an array of a shape: of floats, if no symbol is left."""
    if not any(map(is_symbol, elements)):
        return np.array(elements, dtype=float).reshape(tuple(shape))
    flat = np.empty(len(elements), dtype=object)
    flat[:] = elements
    return flat.reshape(tuple(shape)).view(SymbolArray)


def plain(array: Item) -> NDArray[Any]:
    """Return an array as an ordinary one, with the same elements."""
    return np.asarray(array).view(np.ndarray) if isinstance(array, np.ndarray) else _boxed(array)


def _boxed(item: Item) -> NDArray[Any]:
    if not is_symbol(item):
        return np.asarray(item)
    box = np.empty((), dtype=object)
    box[()] = item
    return box


def mapped(name: str, inputs: Sequence[Any]) -> Item:
    """Apply a named operation to broadcast inputs: bools for a comparison, else an array like them.

    A scalar comes out where only scalars went in.
    """
    note_floats(inputs)
    arrays = np.broadcast_arrays(*map(plain, inputs), subok=False)
    results = [
        elementwise(name, items)
        for items in zip(*(array.ravel().tolist() for array in arrays), strict=True)
    ]
    shape = arrays[0].shape
    if name in _COMPARISONS:
        return np.array(results, dtype=bool).reshape(shape)[()]
    if not shape and not any(isinstance(item, np.ndarray) for item in inputs):
        return results[0]
    return symbol_array(results, shape)


def note_floats(inputs: Sequence[Item]) -> None:
    """Remember that the program computes in floats of 32 bits, or fewer, if these are such."""
    if any(getattr(item, "dtype", None) in (np.float32, np.float16) for item in inputs):
        running.current().single = True


def lines(array: Item, axis: int | None) -> tuple[NDArray[Any], tuple[int, ...]]:
    """Return an array's lines along an axis as rows, and the shape of what is left of it."""
    flat = plain(array)
    if axis is None:
        return flat.reshape(1, -1), ()
    moved = np.moveaxis(flat, axis, -1)
    return moved.reshape(-1, moved.shape[-1]), moved.shape[:-1]


def extreme(array: Item, axis: int | None, largest: bool) -> Item:
    """Return which element of each line along an axis is the largest, or the smallest."""
    rows, shape = lines(array, axis)
    winners = [races.winner(row.tolist(), largest=largest) for row in rows]
    return np.array(winners, dtype=np.int64).reshape(shape)[()]


def extreme_item(array: Item, axis: int | None, largest: bool) -> Item:
    """Return the largest, or smallest, element of each line along an axis."""
    rows, shape = lines(array, axis)
    items = [row[races.winner(row.tolist(), largest=largest)] for row in rows]
    return symbol_array(items, shape) if shape else items[0]


def _parted(array: Item, kth: int, axis: int = -1, **_: Item) -> Item:
    """Return each line's places, those of the ``kth`` and what lies beyond it in order.

    Numpy leaves the order on either side open; whoever uses it does otherwise on numbers than
    here, and is found out by that.
    """
    rows, shape = lines(array, axis)
    order = np.array([races.parted(row.tolist(), kth) for row in rows])
    return np.moveaxis(order.reshape(*shape, rows.shape[-1]), -1, axis)


def searched(row: Item, items: Item, side: str = "left") -> Item:
    """Return where each symbol belongs in a row."""
    symbols = plain(items)
    places = [search(row, item, side == "right") for item in symbols.ravel().tolist()]
    return np.array(places, dtype=np.int64).reshape(symbols.shape)[()]


def search(row: Item, item: Item, right: bool) -> int:
    """Return where a symbol belongs in a row that never descends: one categorical choice.

    Parameters
    ----------
    row : (n,) sequence of number
    item : Symbol
    right : bool
        Whether it goes behind the numbers that equal it.
    """
    note_floats([row])
    thresholds = list(plain(row).tolist())
    for before, after in pairwise(thresholds):
        if not before <= after:
            opaque(f"search in a row that descends from {before} to {after}")
    if not is_symbol(item):
        return int(np.searchsorted(thresholds, item, side="right" if right else "left"))
    symbol: Symbol = item
    return symbol.place(thresholds, right)


_AS_BYTES = (
    *("tobytes", "tofile", "dump", "dumps", "byteswap", "getfield", "setfield", "__reduce_ex__"),
    *("data", "ctypes", "__array_interface__", "__array_struct__"),
)
for _name in _AS_BYTES:
    refuse = refusal(f"{_name} of an array of draws")
    is_method = callable(getattr(np.ndarray, _name))
    setattr(SymbolArray, _name, refuse if is_method else property(refuse))
