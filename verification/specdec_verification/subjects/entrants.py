"""What a symbol is in a race: noise that arrives at a time, however it is written.

With ``E`` exponential, ``E / rate`` is the time at which an entrant arrives.  Recognised are times
(``a E + b``), speeds (``a / E + b``) and logarithms (``s (log E + log a) + b``) of a uniform ``u``
or of one less it, ``E = -log(u)``, in any spelling; and exponentials of what is none of these.
Items of one race have their form, their offset ``b`` and their temperature ``s`` in common.

Guards against the logarithm of 0, as in ``-log(-log(u + 1e-20) + 1e-20)``: a number added to a
uniform or to exponential noise, or put below it as a floor, is left out if it is below
`NEGLIGIBLE`.  It changes none of the values that a library can draw but 0 itself, or touches a
mass below `NEGLIGIBLE`, which is less than the rounding of the rates moves.  Noise with a larger
guard is no entrant: its race has another law.
"""

import math
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from specdec_verification.subjects.curves import (
    AT_LEAST,
    EXP,
    LOG,
    RECIPROCAL,
    Clamped,
    Curve,
    Item,
    nearest,
)

NEGLIGIBLE = Fraction(1, 1 << 64)
"""Of a uniform or a time: what a guard below this does is not seen."""

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
        shift = Fraction(0) if _is_guard(form.shift * rate) else form.shift
        return Entrant(form.draw, form.mirrored, rate, form.factor < 0, ("time", shift))
    if isinstance(form, _Speed):
        return Entrant(form.draw, form.mirrored, form.factor, True, ("speed", form.shift))
    if isinstance(form, _Logged):
        rate = _exp(-form.shift / form.slope) / form.factor
        return Entrant(form.draw, form.mirrored, rate, form.slope < 0, ("log", form.slope))
    return None


def guard(item: Item) -> float | None:
    """Return a number that keeps noise from 0, and that counts; ``None`` if there is none."""
    inner = item.draw
    if isinstance(inner, Clamped):
        return float(inner.bound)
    if not isinstance(inner, Curve):
        return None
    mirrored = hasattr(inner.inner.draw, "index") and inner.inner.scale == -1
    shift = abs(inner.inner.shift - mirrored)
    if inner.function in (LOG, RECIPROCAL) and NEGLIGIBLE <= shift < 1:
        return float(shift)
    return guard(inner.inner)


def _is_guard(number: Item) -> bool:
    return bool(0 < number < NEGLIGIBLE)


def _form(item: Item) -> _Form | None:
    scale, shift = Fraction(item.scale), Fraction(item.shift)
    if isinstance(item.draw, Clamped):
        return _without_floor(item.draw, scale, shift)
    if not isinstance(item.draw, Curve) or not scale:
        return None
    inner, function = item.draw.inner, item.draw.function
    if function is LOG and inner.scale in (1, -1):
        draw, mirrored = _uniform(inner), inner.scale == -1
        above = inner.shift - mirrored
        if draw is not None:
            # The uniform itself, or one less it: any other change of it is no exponential.
            whole = not above or _is_guard(above)
            return _Time(draw, mirrored, -scale, shift) if whole else None
    form = _form(inner)
    return None if form is None else _applied(form, function, scale, shift)


def _uniform(item: Item) -> Item:
    """Return the uniform that an item is an affine change of, or ``None``; a guard is no change."""
    draw = item.draw
    if isinstance(draw, Clamped) and draw.side == AT_LEAST and _is_guard(draw.bound):
        draw = draw.inner.draw if (draw.inner.scale, draw.inner.shift) == (1, 0) else None
    return draw if hasattr(draw, "index") else None


def _without_floor(clamped: Clamped, scale: Fraction, shift: Fraction) -> _Form | None:
    """Return the form of exponential noise above a floor that it is hardly ever below."""
    form = _form(clamped.inner)
    if not isinstance(form, _Time) or clamped.side != AT_LEAST or form.shift or form.factor <= 0:
        return None
    if not _is_guard(Fraction(clamped.bound) / form.factor):
        return None
    return _Time(form.draw, form.mirrored, form.factor * scale, shift)


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
    is_time = isinstance(form, _Time)
    guarded = is_time and factor > 0 and _is_guard(form.shift / factor)
    if (form.shift and not guarded) or factor <= 0:
        return None
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
