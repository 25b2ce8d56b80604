"""What a symbol is in a race: noise that arrives at a time, however it is written.

With ``E`` exponential, ``E / rate`` is the time at which an entrant arrives.  Recognised are times
(``a E + b``), speeds (``a / E + b``) and logarithms (``s (log E + log a) + b``) of a uniform ``u``
or of one less it, ``E = -log(u)``, in any spelling; and exponentials of what is none of these.
Items of one race have their form, their offset ``b`` and their temperature ``s`` in common.
"""

import math
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from specdec_verification.subjects.curves import EXP, LOG, RECIPROCAL, Curve, Item, nearest

Runner: TypeAlias = tuple[int, bool]
"""The number of a uniform draw, and whether its noise is made of one less the uniform."""


class Entrant(NamedTuple):
    """An item of a race: noise that arrives at the time ``E / rate``.

    Attributes
    ----------
    draw : StreamDraw
        The uniform ``u`` that it is made of.
    mirrored : bool
        Whether ``E`` is ``-log(1 - u)`` and not ``-log(u)``.
    rate : Fraction
        Positive.
    earliest_is_largest : bool
        Whether the item grows as the time shrinks.
    scale : tuple
        What two items must have in common to be compared: form, offset, temperature.
    """

    draw: Item
    mirrored: bool
    rate: Fraction
    earliest_is_largest: bool
    scale: tuple[object, ...]

    @property
    def time(self) -> float:
        """When it arrives, if a path is replayed."""
        number = 1 - self.draw.number if self.mirrored else self.draw.number
        return -math.log(number) / float(self.rate)

    @property
    def runner(self) -> Runner:
        """Which noise it is."""
        return self.draw.index, self.mirrored


class _Time(NamedTuple):
    """``factor * E + shift``."""

    draw: Item
    mirrored: bool
    factor: Fraction
    shift: Fraction


class _Speed(NamedTuple):
    """``factor / E + shift``, with a positive factor."""

    draw: Item
    mirrored: bool
    factor: Fraction
    shift: Fraction


class _Logged(NamedTuple):
    """``slope * (log(E) + log(factor)) + shift``."""

    draw: Item
    mirrored: bool
    factor: Fraction
    slope: Fraction
    shift: Fraction


_Form: TypeAlias = _Time | _Speed | _Logged


def entrant(item: Item) -> Entrant | None:
    """Return what a symbol is in a race, or ``None`` if it is nothing."""
    while isinstance(item.draw, Curve) and item.draw.function is EXP and item.scale == 1:
        if item.shift or _form(item) is not None:
            break
        item = item.draw.inner  # items that are all exponentiated compare as they did before
    form = _form(item)
    if isinstance(form, _Time):
        rate = 1 / abs(form.factor)
        return Entrant(form.draw, form.mirrored, rate, form.factor < 0, ("time", form.shift))
    if isinstance(form, _Speed):
        return Entrant(form.draw, form.mirrored, form.factor, True, ("speed", form.shift))
    if isinstance(form, _Logged):
        rate = _exp(-form.shift / form.slope) / form.factor
        return Entrant(form.draw, form.mirrored, rate, form.slope < 0, ("log", form.slope))
    return None


def _form(item: Item) -> _Form | None:
    scale, shift = Fraction(item.scale), Fraction(item.shift)
    if not isinstance(item.draw, Curve) or not scale:
        return None
    inner, function = item.draw.inner, item.draw.function
    if function is LOG and hasattr(inner.draw, "index") and inner.scale in (1, -1):
        # The uniform itself, or one less it: any other change of it is no exponential.
        mirrored = inner.scale == -1
        return _Time(inner.draw, mirrored, -scale, shift) if inner.shift == mirrored else None
    form = _form(inner) if isinstance(inner.draw, Curve) else None
    return None if form is None else _applied(form, function, scale, shift)


def _applied(form: _Form, function: object, scale: Fraction, shift: Fraction) -> _Form | None:
    """Return what a function of a form is, scaled and shifted."""
    draw, mirrored, factor = form[:3]
    if isinstance(form, _Logged):
        if function is not EXP or abs(form.slope) != 1:
            return None
        factor = _exp(form.shift) * factor**form.slope.numerator * scale
        if form.slope == 1:
            return _Time(draw, mirrored, factor, shift)
        return _Speed(draw, mirrored, factor, shift) if factor > 0 else None
    if form.shift or factor <= 0:
        return None
    is_time = isinstance(form, _Time)
    if function is LOG:
        inverse = 1 if is_time else -1
        return _Logged(draw, mirrored, factor**inverse, scale * inverse, shift)
    if function is RECIPROCAL:
        made = scale / factor if is_time else scale * 1 / factor
        if is_time:
            return _Speed(draw, mirrored, made, shift) if made > 0 else None
        return _Time(draw, mirrored, made, shift)
    return None


def _exp(value: Fraction) -> Fraction:
    """Return the double nearest to the exponential, as a fraction."""
    number = math.exp(nearest(value))
    return Fraction(number)
