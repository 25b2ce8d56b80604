"""Guards against the logarithm of 0, as in ``-log(-log(u + 1e-20) + 1e-20)``.

Added to a uniform or to exponential noise, a number below `NEGLIGIBLE` changes none of the values
that torch can draw but 0 itself; as a floor, it touches a mass below `NEGLIGIBLE`.  Noise with
such a guard is taken for the noise itself, which moves a law by less than the rounding of the
thresholds does.  A larger guard stays what it is, so that a race of such noise is refused.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from specdec_grids.symbols import Uniform
from specdec_verification.subjects import entrants
from specdec_verification.subjects.arrays import SymbolArray, is_symbol
from specdec_verification.subjects.curves import Item

NEGLIGIBLE = Fraction(1, 1 << 64)


def left_out(operands: Sequence[Item]) -> list[Item]:
    """Return noise and a guard with the guard at zero, or any other operands as they are."""
    one, other = operands
    if isinstance(other, SymbolArray):
        one, other = other, one
    if isinstance(other, SymbolArray) or np.size(other) != 1 or not 0 < other < NEGLIGIBLE:
        return list(operands)
    guard = Fraction(float(other))
    if all(_mass_below(item) * guard < NEGLIGIBLE for item in one.ravel().tolist()):
        return [one, np.zeros(())]
    return list(operands)


def _mass_below(item: Item) -> Item:
    """Return a bound of the density of noise near 0: infinite if it is no noise from 0 up."""
    if not is_symbol(item) or item.shift or item.span[0] != 0:
        return math.inf
    if isinstance(item.draw, Uniform):
        return 1 / Fraction(item.scale)
    entrant = entrants.entrant(item)
    # Exponential noise, the larger the later: its density is nowhere above its rate.
    return math.inf if entrant is None or entrant.earliest_is_largest else entrant.rate
