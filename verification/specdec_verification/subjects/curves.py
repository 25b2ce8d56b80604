"""Monotone functions of a symbol, and how a comparison is taken back through them.

Each of them answers a comparison by putting another one to the symbol inside.  A threshold that
passes through a logarithm or an exponential on its way is the double nearest to its true value;
every other one is exact.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from specdec_grids.affine import RELATIONS, ratio

MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
INFINITY = math.inf

Item: TypeAlias = Any
"""A number of any kind, a symbol, or an array of either."""


class Function(NamedTuple):
    """A strictly monotone function, with what takes its values back.

    Attributes
    ----------
    name : str
    forward, backward : callable
        The function and its inverse; both take and give infinities at their ends.
    increasing : bool
    domain, image : tuple of float
        The ends of what it takes and gives.
    """

    name: str
    forward: Callable[[Any], Any]
    backward: Callable[[Any], Any]
    increasing: bool
    domain: tuple[float, float]
    image: tuple[float, float]


class Curve:
    """A function of a symbol, which puts its questions to that symbol."""

    __slots__ = ("function", "inner")

    def __init__(self, inner: Item, function: Function) -> None:
        self.inner = inner
        self.function = function

    @property
    def span(self) -> tuple[float, float]:
        """The ends of what it can be."""
        ends = [float(self.function.forward(end)) for end in self.inner.span]
        return min(ends), max(ends)

    def ask(self, relation: str, scale: Item, shift: Item, threshold: Item) -> bool:
        """Return whether ``scale * self + shift`` has the relation to the threshold."""
        if not scale or math.isnan(threshold):
            return bool(RELATIONS[relation](shift, threshold))
        relation, bound = isolate(relation, scale, shift, threshold)
        low, high = self.function.image
        if bound < low or bound > high:
            return bool(RELATIONS[relation](0, bound - low if bound < low else bound - high))
        if not self.function.increasing:
            relation = MIRRORED[relation]
        return bool(RELATIONS[relation](self.inner, self.function.backward(bound)))


class Clamped:
    """The larger, or the smaller, of a symbol and a number."""

    __slots__ = ("bound", "inner", "side")

    def __init__(self, inner: Item, bound: Item, side: str) -> None:
        self.inner = inner
        self.bound = bound
        self.side = side

    @property
    def span(self) -> tuple[float, float]:
        """The ends of what it can be."""
        low, high = self.inner.span
        pick = max if self.side == AT_LEAST else min
        return float(pick(low, self.bound)), float(pick(high, self.bound))

    def ask(self, relation: str, scale: Item, shift: Item, threshold: Item) -> bool:
        """Return whether ``scale * self + shift`` has the relation to the threshold."""
        if not scale or math.isnan(threshold):
            return bool(RELATIONS[relation](shift, threshold))
        relation, bound = isolate(relation, scale, shift, threshold)
        at_bound = bool(RELATIONS[relation](self.bound, bound))
        # `max(x, b) < t` needs both below t, `max(x, b) > t` only one above; `min` the other way.
        both = (self.side == AT_LEAST) == (relation in ("<", "<="))
        if at_bound != both:
            return at_bound
        return bool(RELATIONS[relation](self.inner, bound))


AT_LEAST, AT_MOST = "at least", "at most"


def isolate(relation: str, scale: Item, shift: Item, threshold: Item) -> tuple[str, Any]:
    """Return the relation and bound of ``inner`` for which ``scale * inner + shift`` meets its own.

    >>> isolate("<", -2, 1, 0)
    ('>', Fraction(1, 2))
    """
    slope = Fraction(*ratio(scale, "multiplication"))
    if slope < 0:
        relation = MIRRORED[relation]
    if infinite(threshold):
        return relation, float(threshold) if slope > 0 else -float(threshold)
    return relation, (Fraction(*ratio(threshold, "comparison")) - Fraction(shift)) / slope


def infinite(value: Item) -> bool:
    """Return whether a number is a floating infinity."""
    return isinstance(value, float | np.floating) and bool(np.isinf(value))


def nearest(value: Item) -> float:
    """Return the double nearest to a number, infinite if it is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return INFINITY if value > 0 else -INFINITY


def _log(value: Item) -> float:
    if infinite(value):
        return float(value)
    if not value:
        return -INFINITY
    # A fraction's own logarithm: its double can be 0 or infinite where it is not.
    top, bottom = value.as_integer_ratio()
    if 0.5 < value < 2:
        return math.log1p(nearest(Fraction(top - bottom, bottom)))
    return math.log(top) - math.log(bottom)


def _exp(value: Item) -> float:
    try:
        return math.exp(nearest(value))
    except OverflowError:
        return INFINITY


def _reciprocal(value: Item) -> Item:
    if infinite(value):
        return 0
    return 1 / Fraction(value) if value else INFINITY


LOG = Function("log", _log, _exp, True, (0.0, INFINITY), (-INFINITY, INFINITY))
EXP = Function("exp", _exp, _log, True, (-INFINITY, INFINITY), (0.0, INFINITY))
RECIPROCAL = Function("1 / x", _reciprocal, _reciprocal, False, (0.0, INFINITY), (0.0, INFINITY))
