"""What a program may do with one random number that stands for many.

A `Symbol` is ``scale * inner + shift`` with ``inner`` a uniform draw or a curve of another symbol.
Understood, besides the affine changes of `specdec_grids.affine`:

- ``log``, ``log1p``, ``log2``, ``log10``, ``exp``, ``expm1``, ``sqrt``, ``1 / x`` and ``x ** a``,
  where the symbol lies in the domain; the larger or smaller of it and a number; in any order;
- the comparison of any such chain with a number, which is inverted step by step; the integer below,
  above or nearest; the absolute value;
- the comparison of two items of a race (see `races`).

A threshold that passes through a logarithm or an exponential on its way back to the uniform is the
double nearest to its true value; every other one is exact.
"""

import math
from collections.abc import Sequence
from numbers import Number
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from specdec_grids.affine import Scaled, opaque, refusal
from specdec_grids.symbols import Uniform
from specdec_verification.subjects import races
from specdec_verification.subjects.curves import (
    AT_LEAST,
    AT_MOST,
    EXP,
    INFINITY,
    LOG,
    RECIPROCAL,
    Clamped,
    Curve,
    Function,
    Item,
    infinite,
)

_ROUNDING = 2.0**-50
"""Of the ends of what a symbol can be, which are floats: that far outside is inside."""

MAX_INTEGERS = 4096
"""Values of the integer part of a draw; each is a path."""


_NOT_READ = (
    "a draw that is read as a number can be followed no more; leave float() out, and collect draws "
    "by np.array([...]), not in an array of floats"
)


class Spanned(Protocol):
    """What a symbol is made of: it answers comparisons, and knows between which ends it lies."""

    @property
    def span(self) -> tuple[float, float]:
        """The ends of what it can be."""
        ...

    def ask(self, relation: str, scale: Item, shift: Item, threshold: Item, /) -> bool:
        """Return whether ``scale * self + shift`` has the relation to the threshold."""
        ...


class Symbol(Scaled):
    """A draw after affine changes and curves: what the user's code holds instead of a float."""

    __slots__ = ()
    draw: Spanned

    def _changed(self, scale: Item, shift: Item) -> "Symbol":
        return Symbol(self.draw, scale, shift)

    def __repr__(self) -> str:
        return "a draw"

    @property
    def span(self) -> tuple[float, float]:
        """The ends of what it can be."""
        ends = [_affine(end, self.scale, self.shift) for end in self.draw.span]
        return min(ends), max(ends)

    def __mul__(self, other: Item) -> Item:
        if _is_array(other):
            return NotImplemented
        if infinite(other):
            return _signed(self, other, "multiplication")
        return super().__mul__(other)

    __rmul__ = __mul__

    def __truediv__(self, other: Item) -> Item:
        if _is_array(other):
            return NotImplemented
        if infinite(other):
            return 0.0
        if isinstance(other, np.floating) and not other:
            return _signed(self, math.copysign(INFINITY, other), "division")
        return super().__truediv__(other)

    def __rtruediv__(self, other: Item) -> Item:
        return NotImplemented if _is_array(other) else self.apply(RECIPROCAL) * other

    def __add__(self, other: Item) -> Item:
        if _is_array(other):
            return NotImplemented
        return float(other) if infinite(other) else super().__add__(other)

    __radd__ = __add__

    def __sub__(self, other: Item) -> Item:
        if _is_array(other):
            return NotImplemented
        return -float(other) if infinite(other) else super().__sub__(other)

    def __pow__(self, exponent: Item) -> Item:
        return NotImplemented if _is_array(exponent) else (self.log() * exponent).exp()

    def __neg__(self) -> "Symbol":
        return Symbol(self.draw, -self.scale, -self.shift)

    def __array_ufunc__(  # type: ignore[override]
        self, ufunc: np.ufunc, method: str, *inputs: Item, **options: Item
    ) -> Item:
        from specdec_verification.subjects.arrays import universal

        return universal(ufunc, method, inputs, options)

    def __array_function__(self, func: Item, types: Item, args: Item, kwargs: Item) -> Item:
        """Call a function of numpy, which would make an array of floats a list of them first."""
        from specdec_verification.subjects.arrays import searched

        if func is np.searchsorted:
            return searched(*args, **kwargs)
        return func._implementation(*args, **kwargs)

    @classmethod
    def __torch_function__(
        cls, func: Item, types: Item, args: Item = (), kwargs: Item = None
    ) -> Item:
        """Be taken by torch for a tensor, so that what is replaced there gets to see it."""
        opaque(f"torch.{func.__name__} of a draw that is none of torch's")

    def __array__(self, dtype: Item = None, copy: bool | None = None) -> NDArray[Any]:
        if dtype is not None and np.dtype(dtype) != object:
            opaque(f"conversion of a draw to {np.dtype(dtype)}")
        box = np.empty((), dtype=object)
        box[()] = self
        return box

    def __lt__(self, other: object) -> bool:
        return self._compared("<", other)

    def __le__(self, other: object) -> bool:
        return self._compared("<=", other)

    def __gt__(self, other: object) -> bool:
        return self._compared(">", other)

    def __ge__(self, other: object) -> bool:
        return self._compared(">=", other)

    def _compared(self, relation: str, other: object) -> bool:
        if _is_array(other):
            return NotImplemented  # type: ignore[no-any-return]
        if isinstance(other, Symbol):
            return races.compare(self, relation, other)
        if isinstance(other, np.floating):
            from specdec_verification.subjects.arrays import note_floats

            note_floats([other])
        return self.draw.ask(relation, self.scale, self.shift, other)

    def __eq__(self, other: object) -> bool:
        if _is_array(other):
            return NotImplemented
        if isinstance(other, Symbol):
            return races.same(self, other)
        return isinstance(other, Number) and self <= other and not self < other

    def __ne__(self, other: object) -> bool:
        return NotImplemented if _is_array(other) else not self == other

    def __float__(self) -> float:
        opaque("float of a draw", _NOT_READ)

    __hash__ = refusal("hash of a draw")

    def log(self) -> "Symbol":
        """Return the natural logarithm."""
        return self.apply(LOG)

    def exp(self) -> "Symbol":
        """Return the exponential."""
        return self.apply(EXP)

    def sqrt(self) -> Item:
        """Return the square root."""
        return self**0.5

    def at_least(self, floor: Item) -> Item:
        """Return the larger of it and a number."""
        return self._clamped(floor, AT_LEAST, self.span[0] >= floor, self.span[1] <= floor)

    def at_most(self, ceiling: Item) -> Item:
        """Return the smaller of it and a number."""
        return self._clamped(ceiling, AT_MOST, self.span[1] <= ceiling, self.span[0] >= ceiling)

    def place(self, thresholds: Sequence[Item], right: bool) -> int:
        """Return where it belongs among numbers that never descend: one choice if it can be.

        Parameters
        ----------
        thresholds : sequence of number
        right : bool
            Whether it goes behind the numbers that equal it.
        """
        if isinstance(self.draw, Uniform) and self.scale > 0:
            drawn: Any = self.draw
            return int(drawn.place(self, list(thresholds), right))
        low, high = 0, len(thresholds)
        while low < high:
            middle = (low + high) // 2
            above = self >= thresholds[middle] if right else self > thresholds[middle]
            low, high = (middle + 1, high) if above else (low, middle)
        return low

    def __floor__(self) -> int:
        low, high = self.span
        if high - low > MAX_INTEGERS:
            opaque(f"integer part of a draw that lies between {low:g} and {high:g}")
        first, last = math.floor(low), math.ceil(high)
        return first + self.place(range(first + 1, last), True)

    def __ceil__(self) -> int:
        return -math.floor(-self)

    def __round__(self, digits: None = None) -> int:
        if digits is not None:
            opaque("round of a draw to digits")
        above: Symbol = self + 0.5
        return math.floor(above)  # between two integers Python rounds to even, but that has no mass

    def __abs__(self) -> "Symbol":
        return self if self >= 0 else -self

    def item(self) -> "Symbol":
        """Return itself, as an element of an array does."""
        return self

    def __trunc__(self) -> int:
        if self.span[0] < 0:
            opaque("truncation of a draw that can be negative")
        return math.floor(self)

    __int__ = __trunc__

    def _clamped(self, bound: Item, side: str, untouched: bool, swallowed: bool) -> Item:
        if untouched:
            return self
        return float(bound) if swallowed else Symbol(Clamped(self, bound, side), 1, 0)

    def apply(self, function: "Function") -> "Symbol":
        """Return a function of it, or refuse if it can lie outside the function's domain."""
        low, high = self.span
        if low < function.domain[0] - _ROUNDING or high > function.domain[1]:
            opaque(f"{function.name} of a draw that lies between {low:g} and {high:g}")
        return Symbol(Curve(self, function), 1, 0)


def _is_array(other: object) -> bool:
    """Return whether an operation with it is the array's to do, element by element."""
    return isinstance(other, np.ndarray) or (
        hasattr(type(other), "__torch_function__") and not isinstance(other, Symbol)
    )


def _signed(symbol: Symbol, infinity: Item, operation: str) -> float:
    """Return a symbol of known sign times an infinity."""
    low, high = symbol.span
    if low < 0 < high:
        opaque(f"{operation} with {infinity}, of a draw that lies on both sides of 0")
    return float(infinity) if high > 0 else -float(infinity)


def _affine(end: float, scale: Item, shift: Item) -> float:
    return float(scale) * end + float(shift) if scale else float(shift)
