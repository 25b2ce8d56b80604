"""Draft rows that are recorded with too few bits, whatever the proposal they are in.

A row of bfloat16 keeps 8 significant bits of each entry, one of float32 keeps 24; brought back to
unit mass it is a row again, and another law than the one that the draft tokens came from.
"""

from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

from specdec_core.distributions import Row, cached_on_rows
from specdec_core.draws import Draws
from specdec_core.instances import Instance
from specdec_core.rules import Rule


@dataclass(frozen=True, slots=True)
class RecordingRounded:
    """A proposal whose rows are recorded with too few bits: 8 in bfloat16, 24 in float32."""

    bits: int

    def __call__(self, rule: Rule[Any], instance: Instance, draws: Draws) -> Any:  # noqa: ANN401
        """Propose, and round every row of the proposal."""
        return _with_rows(rule.propose(instance, draws), self.bits)


def _with_rows(value: Any, bits: int) -> Any:  # noqa: ANN401
    """Return a proposal with every row in it rounded, however deep it lies."""
    if isinstance(value, Row):
        return rounded_row(value, bits)
    if isinstance(value, tuple):
        parts = [_with_rows(part, bits) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {
            field.name: _with_rows(getattr(value, field.name), bits)
            for field in fields(value)
            if field.init
        }
        return replace(value, **changed)
    return value


@cached_on_rows
def rounded_row(row: Row, bits: int) -> Row:
    """Return a row with each entry rounded to a number of bits, brought back to unit mass.

    >>> rounded_row(Row([Fraction(513, 1024), Fraction(511, 1024)]), 8)
    Row(1/2, 1/2)
    """
    entries = [rounded(Fraction(prob), bits) for prob in row]
    total = sum(entries)
    return Row(entry / total for entry in entries)


def rounded(number: Fraction, bits: int) -> Fraction:
    """Return the nearest number of so many significant bits; of two, the even one.

    >>> rounded(Fraction(1, 3), 8), rounded(Fraction(0), 8)
    (Fraction(171, 512), Fraction(0, 1))
    """
    if not number:
        return number
    numerator, denominator = number.as_integer_ratio()
    exponent = numerator.bit_length() - denominator.bit_length()
    exponent -= number < Fraction(2) ** exponent
    unit = Fraction(2) ** (exponent - bits + 1)
    return round(number / unit) * unit
