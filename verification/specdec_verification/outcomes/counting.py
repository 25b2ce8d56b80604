"""Counting emitted tokens, many millions a second.

An outcome is a row of token ids, padded with -1 after its last token.  Read as digits, one more
than the token each, a row is one integer in base ``V + 1``: its *code*.  Where there are few codes
an array holds a count for each, and `numpy.bincount` does the work; where there are many only
those that were met are kept, so that memory grows with the cells kept and not with ``V^L``, nor
with the number of outcomes.

Not here: what the counts are tested against (see `specdec_verification.statistics.sampled`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from specdec_core.errors import GridTooLargeError, InvalidOutcomesError
from specdec_core.models import Context
from specdec_core.parameters import require_integer

PADDING = -1
"""Follows the last token of a row that is shorter than the longest."""

MAX_DENSE = 1 << 22
"""Codes that have a count each: 32 MiB of them.  Past it, only those that were met have one."""

MAX_EXACT = 1 << 24
"""Codes that a float32 can hold."""

MAX_DRAWS = 1 << 62
"""Outcomes that are counted at most: their sums fit 63 bits."""

MOST_SHOWN = 8
"""Tokens of a row that an error message lists."""

BATCH = 1 << 16
"""Rows that are coded together, at least: few enough for their codes to stay in cache."""


@dataclass(frozen=True, slots=True)
class Coding:
    """How rows of tokens and integers correspond.

    Parameters
    ----------
    vocab_size : int
        ``V``, at least 1.
    longest : int
        Tokens in the longest row, at least 1.

    Raises
    ------
    InvalidParameterError
        If one is no positive integer.
    GridTooLargeError
        If a code needs more than 63 bits.

    Examples
    --------
    >>> coding = Coding(vocab_size=4, longest=2)
    >>> coding.codes(np.array([[3, 0], [2, -1]])).tolist()
    [21, 15]
    >>> coding.tokens(21), coding.tokens(15)
    ((3, 0), (2,))
    """

    vocab_size: int
    longest: int

    def __post_init__(self) -> None:
        require_integer(self.vocab_size, "vocab_size", minimum=1)
        require_integer(self.longest, "longest", minimum=1)
        # Asked before the power is computed: a file may claim any length.
        if self.longest > 63 or self.size >= 1 << 63:
            raise GridTooLargeError(
                f"{self.longest} tokens of {self.vocab_size} have {self.vocab_size + 1}^"
                f"{self.longest} codes, at most 2^63: count a beginning of each outcome, such as "
                "its first tokens"
            )

    @property
    def size(self) -> int:
        """How many codes there are: ``(V + 1)^L``."""
        return int((self.vocab_size + 1) ** self.longest)

    def codes(self, tokens: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the code of each row; the rows must be well formed (see `malformed`).

        Parameters
        ----------
        tokens : (n, L) ndarray of int
        """
        places = np.array([(self.vocab_size + 1) ** i for i in reversed(range(tokens.shape[1]))])
        if self.size <= MAX_EXACT:
            # Integers below 2^24 are exact as floats, and a product of floats is much faster.
            products = tokens.astype(np.float32) @ places.astype(np.float32)
            return products.astype(np.int64) + int(places.sum())
        return np.asarray(tokens.astype(np.int64) @ places + int(places.sum()))

    def tokens(self, code: int) -> Context:
        """Return the tokens that a code stands for."""
        digits = []
        for _ in range(self.longest):
            code, digit = divmod(code, self.vocab_size + 1)
            digits.append(digit - 1)
        return tuple(token for token in reversed(digits) if token != PADDING)


def malformed(tokens: NDArray[np.integer], vocab_size: int) -> NDArray[np.bool_]:
    """Return which rows are no outcome: empty, or a token too large or after the padding.

    Parameters
    ----------
    tokens : (n, L) ndarray of int
    vocab_size : int

    Examples
    --------
    >>> malformed(np.array([[1, 0], [1, -1], [-1, -1], [-1, 0], [2, 0], [-2, 0]]), 2).tolist()
    [False, False, True, True, True, True]
    >>> malformed(np.zeros((2, 0), dtype=np.int64), 2).tolist()
    [True, True]
    """
    bad = np.zeros(len(tokens), dtype=np.bool_)
    if not tokens.shape[1]:
        return ~bad
    if not len(tokens):
        return bad
    low, high = tokens.min(), tokens.max()
    if low < 0:
        padding = tokens == PADDING
        bad |= padding[:, 0]
        bad |= (padding[:, :-1] > padding[:, 1:]).any(axis=1)
    if low < PADDING or high >= vocab_size:
        bad |= ((tokens < PADDING) | (tokens >= vocab_size)).any(axis=1)
    return bad


@dataclass(slots=True)
class OutcomeCounter:
    """Counts of outcomes, added to batch by batch; a malformed batch is not counted at all.

    Parameters
    ----------
    coding : Coding

    Examples
    --------
    >>> counter = OutcomeCounter(Coding(vocab_size=2, longest=2))
    >>> counter.add(np.array([[0, 1], [1, -1], [0, 1]]))
    >>> counter.counts()
    {(0, 1): 2, (1,): 1}
    """

    coding: Coding
    _dense: NDArray[np.int64] | None = field(init=False)
    _met: dict[int, int] = field(init=False, default_factory=dict)
    _most: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        size = self.coding.size
        self._dense = np.zeros(size, dtype=np.int64) if size <= MAX_DENSE else None

    def add(self, tokens: NDArray[np.integer], counts: NDArray[np.integer] | None = None) -> None:
        """Count rows.

        Parameters
        ----------
        tokens : (n, L) ndarray of int
            Padded with -1; ``L`` at most the coding's ``longest``.
        counts : (n,) ndarray of int or None
            How often each row came, at least zero: once, unless told otherwise.

        Raises
        ------
        InvalidOutcomesError
            If a row is malformed, naming the first, or a count is negative, or there are more
            than `MAX_DRAWS` with this batch; none of it is counted then.
        """
        self._require_well_formed(tokens)
        if counts is not None and (counts.shape != tokens.shape[:1] or (counts < 0).any()):
            raise InvalidOutcomesError(
                f"counts of {counts.shape}, expected one a row, none below 0"
            )
        most = self._most + (len(tokens) if counts is None else counts.sum(dtype=np.float64))
        if most > MAX_DRAWS:
            raise InvalidOutcomesError(f"{most:.4g} outcomes, at most {MAX_DRAWS}")
        self._most = most
        rows = _padded(tokens, self.coding.longest)
        # With more codes than rows, adding up the array of counts would be most of the work.
        together = max(BATCH, self.coding.size) if self._dense is not None else BATCH
        for start in range(0, len(rows), together):
            part = slice(start, start + together)
            self._count(self.coding.codes(rows[part]), None if counts is None else counts[part])

    def counts(self) -> dict[Context, int]:
        """Return how often each outcome was counted, those of no count left out."""
        if self._dense is None:
            met = sorted(self._met.items())
            return {self.coding.tokens(code): count for code, count in met if count}
        codes = np.flatnonzero(self._dense)
        return {self.coding.tokens(int(code)): int(self._dense[code]) for code in codes}

    def _require_well_formed(self, tokens: NDArray[np.integer]) -> None:
        if tokens.ndim != 2 or not 1 <= tokens.shape[1] <= self.coding.longest:
            raise InvalidOutcomesError(
                f"tokens of shape {tokens.shape}, expected (n, L) with L at most "
                f"{self.coding.longest}"
            )
        if tokens.dtype.kind not in "iu":
            raise InvalidOutcomesError(f"tokens of {tokens.dtype}, expected integers")
        for start in range(0, len(tokens), BATCH):
            part = tokens[start : start + BATCH]
            for row in np.flatnonzero(malformed(part, self.coding.vocab_size)):
                raise InvalidOutcomesError(
                    f"row {start + row} is {shown_tokens(part[row].tolist())}, "
                    f"{expected_tokens(self.coding.vocab_size)}"
                )

    def _count(self, codes: NDArray[np.int64], counts: NDArray[np.integer] | None) -> None:
        if self._dense is None:
            self._count_met(codes, counts)
        elif counts is None:
            counted = np.bincount(codes)
            self._dense[: len(counted)] += counted
        else:  # not `bincount` with weights, whose sums are floats
            np.add.at(self._dense, codes, counts.astype(np.int64))

    def _count_met(self, codes: NDArray[np.int64], counts: NDArray[np.integer] | None) -> None:
        if counts is None:
            codes, counts = np.unique(codes, return_counts=True)
        for code, count in zip(codes.tolist(), counts.tolist(), strict=True):
            self._met[code] = self._met.get(code, 0) + count


def expected_tokens(vocab_size: int) -> str:
    """Return what a well-formed row is, for an error message."""
    return f"expected at least one token of 0 to {vocab_size - 1}, then nothing but {PADDING}"


def no_outcome(tokens: Sequence[int], coding: Coding) -> str:
    """Return what is wrong with a row, for an error message: its first tokens, if it is long."""
    return (
        f"tokens {shown_tokens(tokens)}, {expected_tokens(coding.vocab_size)}, "
        f"and at most {coding.longest}"
    )


def shown_tokens(tokens: Sequence[int]) -> str:
    """Return tokens for an error message.

    >>> shown_tokens([1, 0]), shown_tokens([7] * 1000)
    ('[1, 0]', '[7, 7, 7, 7, 7, 7, 7, 7, and 992 more]')
    """
    if len(tokens) <= MOST_SHOWN:
        return str(list(tokens))
    first = ", ".join(map(str, tokens[:MOST_SHOWN]))
    return f"[{first}, and {len(tokens) - MOST_SHOWN} more]"


def _padded(tokens: NDArray[np.integer], longest: int) -> NDArray[np.integer]:
    missing = longest - tokens.shape[1]
    if not missing:
        return tokens
    signed = tokens.astype(np.int64)
    return np.pad(signed, ((0, 0), (0, missing)), constant_values=PADDING)
