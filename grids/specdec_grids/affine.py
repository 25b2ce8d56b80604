"""What a program may do with a draw that stands for many numbers.

Understood: ``draw * a``, ``draw / a``, ``draw + a``, ``draw - a``, ``a - draw``, ``-draw`` with
numbers ``a``, and any of these compared with a number by ``<``, ``<=``, ``>``, ``>=``.  Each such
comparison cuts ``[0, 1)`` in two, and `solve` says where.  Arithmetic is that of the real numbers,
on floats too: a float is the rational number that it is, and products are not rounded.

Everything else (reading the draw as a number, comparing two draws, hashing, formatting) would have
to guess, so it raises `OpaqueDrawError`, which names the operation and the caller's line.
"""

import math
import operator
import sys
from collections.abc import Callable
from contextvars import ContextVar
from fractions import Fraction
from types import FrameType
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy as np

from specdec_core.errors import OpaqueDrawError
from specdec_grids.resolutions import Ratio

_NOT_THE_USERS = {
    *("specdec_core", "specdec_grids", "specdec_verification", "numpy", "torch"),
    *sys.stdlib_module_names,
}
RELATIONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_FLOATS = (float, np.floating)
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class Asked(Protocol):
    """A draw that answers comparisons."""

    def ask(self, relation: str, scale: Any, shift: Any, threshold: Any, /) -> bool:  # noqa: ANN401
        """Return whether ``scale * self + shift`` has the relation to the threshold."""
        ...


class Scaled:
    """A draw scaled and shifted: ``scale * draw + shift``."""

    __slots__ = ("draw", "scale", "shift")
    __array_ufunc__ = None  # numpy's scalars then leave their operators to ours

    def __init__(self, draw: Asked, scale: Any, shift: Any) -> None:  # noqa: ANN401
        self.draw = draw
        self.scale = scale
        self.shift = shift

    def __mul__(self, other: Any) -> "Scaled":  # noqa: ANN401
        factor = Fraction(*ratio(other, "multiplication"))
        scale = Fraction(*ratio(self.scale, "multiplication"))
        return self._changed(factor * scale, factor * Fraction(self.shift))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> "Scaled":  # noqa: ANN401
        divisor = Fraction(*ratio(other, "division"))
        if not divisor:
            opaque("division by zero")
        return self * (1 / divisor)

    def __add__(self, other: Any) -> "Scaled":  # noqa: ANN401
        shift = Fraction(self.shift) + Fraction(*ratio(other, "addition"))
        return self._changed(self.scale, shift)

    __radd__ = __add__

    def __sub__(self, other: Any) -> "Scaled":  # noqa: ANN401
        return self + -Fraction(*ratio(other, "subtraction"))

    def __rsub__(self, other: Any) -> "Scaled":  # noqa: ANN401
        return (-self).__add__(other)

    def __neg__(self) -> "Scaled":
        return self * -1

    def _changed(self, scale: Any, shift: Any) -> "Scaled":  # noqa: ANN401
        return Scaled(self.draw, scale, shift)

    def __copy__(self) -> "Scaled":
        return self  # as a float's copy is the float itself

    def __deepcopy__(self, memo: object) -> "Scaled":
        return self  # copied with its trail, it would answer to nobody

    def __lt__(self, other: object) -> bool:
        return self.draw.ask("<", self.scale, self.shift, other)

    def __le__(self, other: object) -> bool:
        return self.draw.ask("<=", self.scale, self.shift, other)

    def __gt__(self, other: object) -> bool:
        return self.draw.ask(">", self.scale, self.shift, other)

    def __ge__(self, other: object) -> bool:
        return self.draw.ask(">=", self.scale, self.shift, other)


class Cut(NamedTuple):
    """Where a comparison cuts ``[0, 1)``, and what it answers.

    Attributes
    ----------
    numerator, denominator : int
        The threshold as a ratio; it can lie outside ``[0, 1]``.
    inclusive : bool
        Whether a draw equal to the threshold counts as below it.
    answer_below, answer_above : bool
        What the comparison answers on either side.
    """

    numerator: int
    denominator: int
    inclusive: bool
    answer_below: bool

    @property
    def answer_above(self) -> bool:
        """The other answer."""
        return not self.answer_below


def solve(relation: str, scale: Any, shift: Any, threshold: Any) -> Cut:  # noqa: ANN401
    """Solve ``scale * draw + shift <relation> threshold`` for the draw.

    >>> solve("<", Fraction(1, 2), 0, Fraction(1, 3))
    Cut(numerator=2, denominator=3, inclusive=False, answer_below=True)
    """
    if isinstance(threshold, Scaled):
        opaque("comparison of two draws")
    slope, over_slope = ratio(scale, "multiplication")
    if isinstance(threshold, _FLOATS) and not math.isfinite(threshold):
        return _certain(bool(RELATIONS[relation](0, threshold)))
    top, over_top = ratio(threshold, "comparison")
    if shift:
        top, over_top = (Fraction(top, over_top) - Fraction(shift)).as_integer_ratio()
    if not slope:
        return _certain(RELATIONS[relation](0, top))
    top, bottom = top * over_slope, slope * over_top
    if bottom < 0:
        top, bottom, relation = -top, -bottom, _MIRRORED[relation]
    return Cut(top, bottom, relation in ("<=", ">"), relation in ("<", "<="))


def ratio(value: Any, operation: str) -> Ratio:  # noqa: ANN401  (whatever the program used)
    """Return a finite number as two integers."""
    try:
        return value.as_integer_ratio()  # type: ignore[no-any-return]
    except (AttributeError, OverflowError, TypeError, ValueError):
        if isinstance(value, np.integer):
            return int(value), 1
        opaque(f"{operation} with {value!r} ({type(value).__name__})")


REFUSALS: ContextVar[list[OpaqueDrawError]] = ContextVar("REFUSALS")
"""What was refused in the run at hand, for whoever sets it before a run."""

UNDERSTOOD = (
    "a symbolic draw can be scaled, shifted and compared with a number, or choose a token of a "
    "row; nothing else can be followed on both sides"
)


def opaque(operation: str, understood: str = UNDERSTOOD) -> NoReturn:
    """Raise `OpaqueDrawError` for an operation, at the line of the user's code that led to it.

    The error is noted in `REFUSALS` too: a program that catches it has not got round it.
    """
    error = OpaqueDrawError(f"{operation} at {users_line()}: {understood}")
    REFUSALS.get([]).append(error)
    raise error


class nothing_refused:
    """Raise, at the end of a run, what was refused in it although the program caught it."""

    __slots__ = ("refusals", "token")

    def __enter__(self) -> None:
        self.refusals: list[OpaqueDrawError] = []
        self.token = REFUSALS.set(self.refusals)

    def __exit__(self, *raised: object) -> None:
        REFUSALS.reset(self.token)
        if self.refusals and raised[0] is None:
            raise self.refusals[0]


def users_line() -> str:
    """Return the file and line of the innermost frame that is neither ours nor a library's."""
    frame = sys._getframe(1)
    while frame.f_back and not is_users(frame):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def is_users(frame: FrameType) -> bool:
    """Return whether a frame runs code that is neither ours nor a library's."""
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return package not in _NOT_THE_USERS


def _certain(answer: bool) -> Cut:
    """Return the cut that leaves every draw on one side."""
    return Cut(1, 1, False, answer)


_REFUSED = (
    *("eq", "ne", "hash", "bool", "str", "format", "array", "reduce_ex"),
    *("float", "int", "index", "complex", "round", "floor", "ceil", "trunc", "abs", "pos"),
    *("pow", "rpow", "rtruediv", "floordiv", "rfloordiv", "mod", "rmod", "divmod", "rdivmod"),
)


def refusal(operation: str) -> Callable[..., NoReturn]:
    """Return a method that refuses an operation, whatever its arguments."""

    def refuse(*arguments: object, **options: object) -> NoReturn:
        opaque(operation)

    return refuse


for _name in _REFUSED:
    setattr(Scaled, f"__{_name}__", refusal(f"{_name} of a draw"))
