"""What a uniform of torch really is: measured on the installed torch, never assumed.

On a CPU a float32 is a multiple of ``2 ** -24`` and a float64 of ``2 ** -53``, all equally likely.
A half-precision uniform is a float32 one, rounded: finer near 0, of unequal weights, and what
would round to 1 is 0, which is therefore heavy (``2 ** -12`` in float16, ``2 ** -9`` in bfloat16).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import torch

from specdec_core.errors import NondeterminismError
from specdec_grids.resolutions import Interval, LeftEndpoints, Ratio, Resolution
from specdec_verification.subjects.curves import Item

_MEASURED = 1 << 14  # uniforms: every bit of a lattice is met, and many that round to 1
_SEED = 20_230_219


@dataclass(frozen=True, slots=True)
class Rounded:
    """A point ``i / n``, rounded to nearest even with so many digits; what rounds to 1 is 0.

    Attributes
    ----------
    n : int
        Points before rounding, a power of two; each has the measure 1.
    digits : int
        Of the significand.

    Examples
    --------
    >>> Rounded(1 << 24, 11).below(0, 1, inclusive=True)  # 0 itself, and what rounds to 1
    (4097, 1)
    """

    n: int
    digits: int

    @property
    def whole(self) -> Interval:
        """Of measure ``n``."""
        return Interval(0, self.n, 1)

    @property
    def wrapped(self) -> int:
        """How many points round to 1."""
        return self.n - self._before(Fraction(1), inclusive=False)

    def below(self, numerator: int, denominator: int, inclusive: bool) -> Ratio:
        """Return how many points round to less than a threshold, or to it too if ``inclusive``."""
        threshold = Fraction(numerator, denominator)
        if threshold < 0 or (threshold == 0 and not inclusive):
            return 0, 1
        points = self._before(min(threshold, Fraction(1)), inclusive and threshold < 1)
        return self.wrapped + points, 1

    def representative(self, interval: Interval) -> Fraction:
        """Return the middle point of the interval, rounded."""
        point = int(interval.middle) - self.wrapped
        return self._rounded(max(point, 0)) if point < self.n - self.wrapped else Fraction(0)

    def _before(self, threshold: Fraction, inclusive: bool) -> int:
        """Return how many points round to less: they are an initial run, found by bisection."""
        low, high = 0, self.n
        while low < high:
            middle = (low + high) // 2
            value = self._rounded(middle)
            before = value <= threshold if inclusive else value < threshold
            low, high = (middle + 1, high) if before else (low, middle)
        return low

    def _rounded(self, point: int) -> Fraction:
        excess = point.bit_length() - self.digits
        if excess <= 0:
            return Fraction(point, self.n)
        # Python's round is to nearest even, as the hardware's is.
        return Fraction(round(Fraction(point, 1 << excess)) << excess, self.n)


@lru_cache
def resolution_of(dtype: Item) -> Resolution:
    """Return what a uniform of a floating type is on this torch, on a CPU.

    Raises
    ------
    NondeterminismError
        If it is none of the kinds described above.
    """
    drawn = _drawn(dtype)
    bits = {torch.float64: 53}.get(dtype, 24)
    if dtype in (torch.float32, torch.float64):
        points = drawn.to(torch.float64) * 2.0**bits
        if bool((points == points.floor()).all()) and bool((points % 2 == 1).any()):
            return LeftEndpoints(1 << bits)
    elif torch.equal(drawn, _wrapped(_drawn(torch.float32).to(dtype))):
        return Rounded(1 << 24, 1 - int(torch.tensor(torch.finfo(dtype).eps).log2()))
    raise NondeterminismError(f"torch {torch.__version__} draws {dtype} in a way not known here")


def _drawn(dtype: Item) -> Item:
    return torch.rand(_MEASURED, dtype=dtype, generator=torch.Generator().manual_seed(_SEED))


def _wrapped(rounded: Item) -> Item:
    return torch.where(rounded == 1, torch.zeros_like(rounded), rounded)
