"""Distributions over tokens: checked once, then immutable.

A `Row` is a probability for each token ``0 .. V-1``.  It is exact (every entry a
`fractions.Fraction`) or floating (every entry a `float`), never a mixture, and holding one is
proof that it was checked.  With ``p`` the target and ``q`` the draft, the residual
``norm(max(p - q, 0))`` is what a rejected token is replaced from, ``sum(min(p, q))`` the
probability that one draft token is accepted, and ``total_variation`` what is left of one [1]_.

Not here: temperature, top-k or top-p.  Rows arrive ready, and nothing renormalises them.

References
----------
.. [1] Leviathan, Kalman, Matias, "Fast Inference from Transformers via Speculative Decoding",
   ICML 2023, arXiv:2211.17192, Section 2.3 and Theorem 3.5.
"""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Self, TypeAlias

import numpy as np

from specdec_core.errors import InvalidDistributionError, ShapeError, ZeroResidualError
from specdec_core.parameters import require_token

Prob: TypeAlias = Fraction | float
"""A probability in ``[0, 1]``: exact or floating."""

cached_on_rows = lru_cache(maxsize=1 << 14)
"""For functions of rows: path splitting asks for the same few of them on every path."""

FLOAT_TOLERANCE = 1e-9
"""How far from one the sum of a float64 row may lie."""


class Row(tuple[Prob, ...]):
    """An immutable, checked distribution over the tokens ``0 .. V-1``.

    Parameters
    ----------
    probs : (V,) sequence of Fraction, int or float, or a (V,) ndarray
        Nonnegative and finite; sums to one: exactly if the entries are fractions, within
        ``1e-9`` if they are floats, within eight units in the last place of one (float32: 9.5e-7)
        if they come in an ndarray of a narrower float.  Integers are taken as either kind.
    name : str
        What to call the row in an error message.

    Raises
    ------
    InvalidDistributionError
        If the row is empty, an entry is negative, not finite, not a number, or of another kind
        than the rest, or the sum is not one.

    Examples
    --------
    >>> Row([Fraction(1, 4), Fraction(3, 4)])
    Row(1/4, 3/4)
    >>> Row([0.5, 0.75], name="draft_probs[1]")
    Traceback (most recent call last):
        ...
    specdec_core.errors.InvalidDistributionError: draft_probs[1] sums to 1.25, not 1 (off by 0.25)
    """

    def __new__(cls, probs: Iterable[Prob], name: str = "row") -> Self:
        """Return the row, checked; a row is itself."""
        if type(probs) is cls:
            return probs
        return cls._trusted(_checked(probs, name))

    @classmethod
    def _trusted(cls, probs: Iterable[Prob]) -> Self:
        return tuple.__new__(cls, probs)

    def __repr__(self) -> str:
        return f"Row({', '.join(map(str, self))})"

    def __eq__(self, other: object) -> bool:
        # 1 == 1.0, but what is computed from the one is exact: caches must keep the two apart.
        if isinstance(other, Row) and self.exact != other.exact:
            return False
        return tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        # Checked already, by the tolerance of the array that it came in.
        return Row._trusted, (tuple(self),)

    @cached_property
    def _hash(self) -> int:
        # Fractions are slow to hash, and the engine looks rows up on every path.
        return tuple.__hash__(self)

    @property
    def vocab_size(self) -> int:
        """The number of tokens, ``V``."""
        return len(self)

    @cached_property
    def exact(self) -> bool:
        """Whether the entries are fractions."""
        return isinstance(self[0], Fraction)

    @cached_property
    def support(self) -> tuple[int, ...]:
        """The tokens of nonzero probability, ascending."""
        return tuple(token for token, prob in enumerate(self) if prob)

    @cached_property
    def cumulative(self) -> tuple[Prob, ...]:
        """The running sums; the last is one, up to rounding if the row is floating."""
        return tuple(accumulate(self))

    @cached_property
    def cumulative_counts(self) -> tuple[tuple[int, ...], int]:
        """The running sums as integers over one denominator, and that denominator.

        >>> Row([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]).cumulative_counts
        ((3, 5, 6), 6)
        """
        ratios = [total.as_integer_ratio() for total in self.cumulative]
        denominator = math.lcm(*(over for _, over in ratios))
        return tuple(part * (denominator // over) for part, over in ratios), denominator


def point_mass(token: int, vocab_size: int) -> Row:
    """Return the exact distribution that always yields ``token``, or raise `InvalidTokenError`.

    >>> point_mass(1, 3)
    Row(0, 1, 0)
    """
    require_token(token, vocab_size, "point_mass")
    return Row._trusted(Fraction(int(other == token)) for other in range(vocab_size))


def likeliest(row: Row) -> int:
    """Return the most probable token; of equal ones, the smallest.

    >>> likeliest(Row([0.25, 0.375, 0.375]))
    1
    """
    return row.index(max(row))


def rows(table: Iterable[Iterable[Prob]], name: str = "rows") -> tuple[Row, ...]:
    """Return a checked table of rows, all over one vocabulary.

    Parameters
    ----------
    table : (n, V) sequence of rows, or a (n, V) ndarray of float
        Each row as `Row` takes it.
    name : str
        What to call the table in an error message, which then names the row too.

    Raises
    ------
    InvalidDistributionError
        If a row is no distribution.
    ShapeError
        If two rows differ in length.
    """
    checked = tuple(Row(row, f"{name}[{i}]") for i, row in enumerate(table))
    for i, row in enumerate(checked):
        require_same_vocabulary(checked[0], row, f"{name}[0]", f"{name}[{i}]")
    return checked


def require_same_vocabulary(one: Row, other: Row, name_of_one: str, name_of_other: str) -> None:
    """Raise `ShapeError` unless the two rows have equally many tokens."""
    if len(one) != len(other):
        raise ShapeError(
            f"{name_of_other} has {len(other)} tokens, but {name_of_one} has {len(one)}"
        )


def softmax(logits: Sequence[float], name: str = "logits") -> Row:
    """Return the floating row proportional to ``exp(logits)``.

    Raises
    ------
    InvalidDistributionError
        If there is no logit, or one is not finite.
    """
    values = [float(logit) for logit in logits]
    for token, value in enumerate(values):
        if not math.isfinite(value):
            raise InvalidDistributionError(f"{name}[{token}] is {value}, expected a finite logit")
    if not values:
        raise InvalidDistributionError(f"{name} is empty, expected one logit a token")
    highest = max(values)
    weights = [math.exp(value - highest) for value in values]
    total = math.fsum(weights)
    return Row((weight / total for weight in weights), name)


@cached_on_rows
def residual(target_probs: Row, draft_probs: Row) -> Row:
    """Return ``norm(max(target_probs - draft_probs, 0))``.

    Raises
    ------
    ShapeError
        If the two rows differ in length.
    ZeroResidualError
        If the target nowhere exceeds the draft.

    Examples
    --------
    >>> residual(Row([0.5, 0.25, 0.25]), Row([0.25, 0.75, 0.0]))
    Row(0.5, 0.0, 0.5)
    """
    require_same_vocabulary(target_probs, draft_probs, "target_probs", "draft_probs")
    excess = [max(p - q, p * 0) for p, q in zip(target_probs, draft_probs, strict=True)]
    mass = sum(excess)  # the total variation of the two
    if not mass:
        raise ZeroResidualError("the target nowhere exceeds the draft, so there is no residual")
    return Row._trusted(weight / mass for weight in excess)


def without(row: Row, token: int) -> Row:
    """Return the row with ``token`` removed and the rest brought back to unit mass.

    This is the residual of the row against the point mass at ``token``.

    Raises
    ------
    InvalidTokenError
        If the row has no such token.
    ZeroResidualError
        If nothing but ``token`` has any mass.

    Examples
    --------
    >>> without(Row([0.5, 0.25, 0.25]), 0)
    Row(0.0, 0.5, 0.5)
    """
    return residual(row, _point_mass(token, len(row)))


_point_mass = lru_cache(maxsize=1 << 10)(point_mass)


def acceptance_rate(target_probs: Row, draft_probs: Row) -> Prob:
    """Return the probability that one draft token is accepted: ``sum(min(p, q))``.

    Leviathan et al. 2023, Theorem 3.5: it is one less the total variation of the two.

    >>> acceptance_rate(Row([0.5, 0.5]), Row([0.75, 0.25]))
    0.75
    """
    require_same_vocabulary(target_probs, draft_probs, "target_probs", "draft_probs")
    return sum(map(min, target_probs, draft_probs))


def total_variation(one: Row, other: Row) -> Prob:
    """Return half the sum of the absolute differences of two rows, in ``[0, 1]``.

    >>> total_variation(Row([0.5, 0.5]), Row([0.75, 0.25]))
    0.25
    """
    require_same_vocabulary(one, other, "one", "other")
    return sum(max(p - q, q - p) for p, q in zip(one, other, strict=True)) / 2


def normalized_entropy(row: Row) -> float:
    """Return the entropy of a row as a share of the largest possible, in ``[0, 1]``.

    >>> normalized_entropy(Row([0.25, 0.25, 0.25, 0.25])), normalized_entropy(Row([1.0, 0.0]))
    (1.0, 0.0)
    """
    if len(row) == 1:
        return 0.0
    nats = math.fsum(prob * math.log(prob) for prob in map(float, row) if prob)
    return min(1.0, max(0.0, -nats / math.log(len(row))))


def _checked(probs: Iterable[Prob], name: str) -> tuple[Prob, ...]:
    """Return the entries of one kind, or raise `InvalidDistributionError`."""
    if not isinstance(probs, Iterable):
        raise InvalidDistributionError(
            f"{name} is {probs!r} ({type(probs).__name__}), expected a sequence of probabilities"
        )
    tolerance = _tolerance(probs)
    listed = _entries(probs, name) if isinstance(probs, np.ndarray) else probs
    entries = tuple(_entry(prob, f"{name}[{token}]") for token, prob in enumerate(listed))
    if not entries:
        raise InvalidDistributionError(f"{name} is empty, expected one probability a token")
    kinds = {type(entry) for entry in entries} - {int}
    if len(kinds) == 2:
        raise InvalidDistributionError(f"{name} mixes fractions and floats, expected one kind")
    kind = kinds.pop() if kinds else Fraction
    entries = tuple(map(kind, entries))
    _require_unit_mass(entries, tolerance, name)
    return entries


def _entries(array: np.ndarray, name: str) -> list[Prob]:
    if array.ndim != 1:
        raise InvalidDistributionError(
            f"{name} has shape {array.shape}, expected one axis: a probability a token"
        )
    return array.tolist()  # type: ignore[no-any-return]


def _entry(given: object, place: str) -> int | Fraction | float:
    """Return one probability as an int, Fraction or float that is finite and nonnegative."""
    prob: object = given.item() if isinstance(given, np.generic) else given
    if isinstance(prob, bool) or not isinstance(prob, int | Fraction | float):
        raise InvalidDistributionError(
            f"{place} is {prob!r} ({type(prob).__name__}), expected an int, Fraction or float"
        )
    if isinstance(prob, float) and not math.isfinite(prob):
        raise InvalidDistributionError(f"{place} is {prob}, expected a finite probability")
    if prob < 0:
        raise InvalidDistributionError(
            f"{place} is {_shown(prob)}, expected a nonnegative probability"
        )
    if prob > 1 and not isinstance(prob, float):  # a float may be above one by rounding
        raise InvalidDistributionError(f"{place} is {_shown(prob)}, expected at most 1")
    return prob


def _tolerance(probs: object) -> float:
    dtype = getattr(probs, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind == "f":
        # Each entry of a narrow row is off by half a unit in the last place at most.
        return max(FLOAT_TOLERANCE, 8 * float(np.finfo(dtype).eps))
    return FLOAT_TOLERANCE


def _require_unit_mass(entries: Sequence[Prob], tolerance: float, name: str) -> None:
    exact = isinstance(entries[0], Fraction)
    total = sum(entries) if exact else _float_sum(entries)
    if total == 1 or (not exact and abs(float(total) - 1) <= tolerance):
        return
    shown, off = (
        (_shown(total), _shown(total - 1)) if exact else (f"{total:.10g}", f"{total - 1:.3g}")
    )
    raise InvalidDistributionError(f"{name} sums to {shown}, not 1 (off by {off})")


def _float_sum(entries: Sequence[Prob]) -> float:
    try:
        return math.fsum(entries)
    except OverflowError:
        return math.inf


def _shown(number: Prob) -> str:
    """Return the number, or its size if its digits would fill a page."""
    bits = max(map(int.bit_length, number.as_integer_ratio()))
    short = isinstance(number, float) or bits <= 256
    return str(number) if short else f"a number of {bits} bits"
