"""Sums that are found piece by piece, in any order, and come out as if found in one go.

What leads to an outcome is added up as integers over their denominators, so that no order of
adding can change it; and each sum knows the place where its outcome is met first, so that the
outcomes can be put in the order in which one walk through everything meets them.
"""

import gc
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, TypeAlias, TypeVar

from specdec_core.laws import ratio_sum

Outcome = TypeVar("Outcome")

Numbers: TypeAlias = tuple[int, ...]
"""A place: of two, the smaller one is come to first."""


class Sum:
    """What leads to one outcome, added up.

    Attributes
    ----------
    first : tuple of int
        Where the outcome is met first.
    parts : dict of int to int
        Numerators by their denominator.
    """

    __slots__ = ("first", "parts")

    def __init__(self, first: Numbers) -> None:
        self.first = first
        self.parts: defaultdict[int, int] = defaultdict(int)

    def __reduce__(self) -> tuple[Any, ...]:
        # Sent as one ratio; not reduced, so that those of other senders have the same denominator.
        common = math.lcm(*self.parts)
        total = sum([part * (common // over) for over, part in self.parts.items()])
        return _restored, (self.first, total, common)

    @property
    def total(self) -> Fraction:
        """The sum."""
        return ratio_sum([(part, denominator) for denominator, part in self.parts.items()])

    def add(self, part: int, denominator: int) -> None:
        """Add a ratio, which need not be reduced."""
        self.parts[denominator] += part

    def merge(self, other: "Sum") -> None:
        """Add what was found elsewhere."""
        self.first = min(self.first, other.first)
        for denominator, part in other.parts.items():
            self.parts[denominator] += part


def merge_sums(sums: dict[Outcome, Sum], others: Mapping[Outcome, Sum]) -> None:
    """Add to the sums of outcomes, in place, those that were found elsewhere.

    >>> one, other = Sum((1,)), Sum((0,))
    >>> one.add(1, 2)
    >>> other.add(1, 4)
    >>> sums = {"a": one}
    >>> merge_sums(sums, {"a": other})
    >>> sums["a"].first, sums["a"].total
    ((0,), Fraction(3, 4))
    """
    for outcome, other in others.items():
        if outcome in sums:
            sums[outcome].merge(other)
        else:
            sums[outcome] = other


@contextmanager
def collection_paused() -> Iterator[None]:
    """Keep the garbage collector from looking through sums, which grow and hold no cycles.

    For adding up, and not for running programs: those may leave cycles behind.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def totals(sums: Mapping[Outcome, Sum]) -> dict[Outcome, Fraction]:
    """Return the sum of each outcome, in the order in which the outcomes are met first."""
    return {outcome: sums[outcome].total for outcome in sorted(sums, key=lambda o: sums[o].first)}


def _restored(first: Numbers, total: int, denominator: int) -> Sum:
    restored = Sum(first)
    restored.add(total, denominator)
    return restored
