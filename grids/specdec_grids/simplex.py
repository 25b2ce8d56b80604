"""Every distribution on V tokens whose probabilities are multiples of 1/N.

There are ``C(N + V - 1, V - 1)`` of them.  They stand in lexicographic order, so each has a number
that never changes, and any of them is made from its number without making the others.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import overload

from specdec_core.distributions import Row
from specdec_core.errors import InvalidParameterError


@dataclass(frozen=True, slots=True)
class Simplex(Sequence[Row]):
    """All rows on ``vocab_size`` tokens with denominator ``denominator``, as a sequence.

    Examples
    --------
    >>> list(Simplex(vocab_size=2, denominator=2))
    [Row(0, 1), Row(1/2, 1/2), Row(1, 0)]
    >>> thirds = Simplex(vocab_size=3, denominator=3)
    >>> len(thirds), thirds[4], thirds.index_of(thirds[4])
    (10, Row(1/3, 0, 2/3), 4)
    """

    vocab_size: int
    denominator: int

    def __post_init__(self) -> None:
        for name in ("vocab_size", "denominator"):
            if getattr(self, name) < 1:
                raise InvalidParameterError(f"{name} is {getattr(self, name)}, expected at least 1")

    def __len__(self) -> int:
        return compositions(self.denominator, self.vocab_size)

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return _row(self.vocab_size, self.denominator, range(len(self))[index])

    def index_of(self, row: Row) -> int:
        """Return the number of a row.

        Raises
        ------
        InvalidParameterError
            If the row is not of this simplex.
        """
        counts = [prob * self.denominator for prob in row]
        if len(row) != self.vocab_size or any(part != int(part) for part in counts):
            raise InvalidParameterError(
                f"{row} is no row of {self.vocab_size} tokens over {self.denominator}"
            )
        number, left = 0, self.denominator
        for position, part in enumerate(map(int, counts[:-1]), start=1):
            # Skip the rows with fewer parts here, whatever follows.
            rest = self.vocab_size - position
            number += sum(compositions(left - fewer, rest) for fewer in range(part))
            left -= part
        return number


@lru_cache(maxsize=1 << 16)
def _row(vocab_size: int, denominator: int, number: int) -> Row:
    counts, left = [], denominator
    for rest in range(vocab_size - 1, 0, -1):
        part = 0
        while number >= compositions(left - part, rest):
            number -= compositions(left - part, rest)
            part += 1
        counts.append(part)
        left -= part
    return Row(Fraction(part, denominator) for part in (*counts, left))


def compositions(total: int, parts: int) -> int:
    """Return in how many ways ``total`` is a sum of ``parts`` nonnegative integers, in order.

    >>> compositions(4, 2)
    5
    """
    return math.comb(total + parts - 1, parts - 1)
