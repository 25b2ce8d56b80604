"""Arrays of emitted tokens, completed to one length, and what is counted of them.

A round emits between 1 and ``L`` tokens.  What a draw lacks of ``L`` is drawn from the target's own
rows, so that the completed sequences of a lossless sampler have the target's joint law, whatever
decides where its rounds end.  The extra draws cost power and no validity.

Where there are few sequences (`MAX_SEQUENCES`) each is a number, and counting is one pass over
arrays (`NumberedSequences`).  Where there are many, the distinct ones that were seen are kept
(`count_sequences`), so memory grows with what was seen and not with the vocabulary.

Not here: verdicts (see `subjects.samplers`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from specdec_core.distributions import Row
from specdec_core.errors import MissingContextError
from specdec_core.laws import target_joint
from specdec_core.models import Context, ContextModel
from specdec_verification.statistics.dirichlet_mixture import Floats

Integers: TypeAlias = NDArray[np.int64]

MAX_SEQUENCES = 4096
"""Up to so many sequences are numbered."""


@dataclass(frozen=True, slots=True, eq=False)
class NumberedSequences:
    """Every sequence of ``length`` tokens, numbered in the order of a dictionary.

    Attributes
    ----------
    vocab_size, length : int
    law : mapping of tuple of int to Fraction
        The target's joint law.
    probs : (V**L,) ndarray of float
        The same, by number; sums to one.
    """

    vocab_size: int
    length: int
    law: Mapping[Context, Fraction]
    probs: Floats

    def numbers(self, tokens: Integers, lengths: Integers, rng: np.random.Generator) -> Integers:
        """Return the number of each draw, once completed.

        Parameters
        ----------
        tokens : (n, L) ndarray of int
            In ``[0, V)``, but for what lies behind a draw's length, which is not read.
        lengths : (n,) ndarray of int
            In ``[1, L]``.
        rng : Generator
            Of the tokens that are missing.

        Notes
        -----
        The sequences that begin with a prefix are numbered consecutively, so a completion is one
        search in the running sums of the joint law.
        """
        first, size = self._blocks(tokens, lengths)
        short = size > 1
        if not short.any():
            return first
        sums = np.concatenate([[0.0], np.cumsum(self.probs)])
        low, high = sums[first[short]], sums[first[short] + size[short]]
        # Rounding may put a draw on the block's end, which is another block's beginning.
        drawn = np.minimum(low + rng.random(len(low)) * (high - low), np.nextafter(high, 0.0))
        found = np.searchsorted(sums, drawn, side="right") - 1
        # A block that the target rules out as a whole has no beginning of its own.
        last = first[short] + size[short] - 1
        first[short] = np.clip(found, first[short], last)
        return first

    def _blocks(self, tokens: Integers, lengths: Integers) -> tuple[Integers, Integers]:
        """Return the first sequence that each draw's tokens begin, and how many there are."""
        first = np.zeros(len(tokens), dtype=np.int64)
        size = np.ones(len(tokens), dtype=np.int64)
        for position in range(self.length):
            emitted = position < lengths
            first *= self.vocab_size
            np.add(first, tokens[:, position], out=first, where=emitted)
            np.multiply(size, self.vocab_size, out=size, where=~emitted)
        return first, size

    def sequence(self, number: int) -> Context:
        """Return the tokens of a number."""
        tokens: Context = ()
        for _ in range(self.length):
            number, token = divmod(number, self.vocab_size)
            tokens = (token, *tokens)
        return tokens

    def counted(self, counts: Integers) -> dict[Context, int]:
        """Return counts by number as counts by sequence, without the zeros."""
        return {self.sequence(int(at)): int(counts[at]) for at in np.flatnonzero(counts)}


def joint_law(target: ContextModel, length: int) -> Mapping[Context, Fraction]:
    """Return the joint law of the first tokens, of sum one even where rows are floats.

    >>> from specdec_core.models import ConstantModel
    >>> sum(joint_law(ConstantModel(Row([0.9, 0.05, 0.04, 0.01])), 2).values())
    Fraction(1, 1)
    """
    law = target_joint(target, length).probs
    total = sum(law.values())
    return law if total == 1 else {tokens: prob / total for tokens, prob in law.items()}


def numbered(target: ContextModel, length: int) -> NumberedSequences:
    """Return the numbered sequences of a target.

    Examples
    --------
    >>> from specdec_core.models import ConstantModel
    >>> sequences = numbered(ConstantModel(Row([0.25, 0.75])), 2)
    >>> sequences.probs.tolist(), sequences.sequence(2)
    ([0.0625, 0.1875, 0.1875, 0.5625], (1, 0))
    """
    law = joint_law(target, length)
    vocab_size = len(target(()))
    probs = np.zeros(vocab_size**length)
    for tokens, prob in law.items():
        number = 0
        for token in tokens:
            number = number * vocab_size + token
        probs[number] = float(prob)
    return NumberedSequences(vocab_size, length, law, probs / probs.sum())


def completed(
    tokens: Integers, lengths: Integers, target: ContextModel, rng: np.random.Generator
) -> Integers:
    """Return draws with their missing tokens drawn from the target, position by position.

    Parameters
    ----------
    tokens : (n, L) ndarray of int
        In ``[0, V)``, but for what lies behind a draw's length, which is not read.
    lengths : (n,) ndarray of int
        In ``[1, L]``.
    target : ContextModel
        Asked for the row after every prefix that has to go on.
    rng : Generator
        Of the tokens that are missing.

    Returns
    -------
    (n, L) ndarray of int
        A new array.
    """
    whole = np.array(tokens, dtype=np.int64)
    rows = _RunningSums(target)
    for position in range(whole.shape[1]):
        short = np.flatnonzero(lengths <= position)
        if not short.size:
            continue
        prefixes, starts, order = _grouped(whole[short, :position])
        for prefix, part in zip(prefixes, np.split(short[order], starts[1:]), strict=True):
            sums = rows.after(tuple(prefix.tolist()))
            whole[part, position] = _drawn(sums, len(part), rng)
    return whole


class _RunningSums:
    """The running sums of a target's rows; models often return the same row again."""

    def __init__(self, target: ContextModel) -> None:
        self._target = target
        self._known: dict[int, tuple[Row, Floats]] = {}  # a row that is kept keeps its identity

    def after(self, prefix: Context) -> Floats:
        try:
            row = self._target(prefix)
        except MissingContextError:
            # Behind a token that the target rules out, any token will do; whether it does rule
            # it out is for the check to say, which asks for the row again.
            return np.ones(1)
        if id(row) not in self._known:
            self._known[id(row)] = (row, np.cumsum([float(prob) for prob in row]))
        return self._known[id(row)][1]


def _grouped(prefixes: Integers) -> tuple[Integers, Integers, Integers]:
    """Return the distinct rows, where each begins once they are sorted, and that order."""
    if not prefixes.shape[1]:
        return prefixes[:1], np.zeros(1, dtype=np.int64), np.arange(len(prefixes))
    order = np.lexsort(prefixes.T[::-1])
    rows = prefixes[order]
    starts = np.flatnonzero(np.append(True, (rows[1:] != rows[:-1]).any(axis=1)))
    return rows[starts], starts, order


def count_sequences(tokens: Integers) -> dict[Context, int]:
    """Return how often each sequence occurs.

    >>> count_sequences(np.array([[0, 1], [1, 1], [0, 1]]))
    {(0, 1): 2, (1, 1): 1}
    """
    distinct, counts = np.unique(tokens, axis=0, return_counts=True)
    return {
        tuple(sequence): count
        for sequence, count in zip(distinct.tolist(), counts.tolist(), strict=True)
    }


def _drawn(sums: Floats, size: int, rng: np.random.Generator) -> Integers:
    """Return tokens of a row from its running sums; none of probability zero."""
    drawn = np.minimum(rng.random(size) * sums[-1], np.nextafter(sums[-1], 0.0))
    return np.asarray(np.searchsorted(sums, drawn, side="right"))
