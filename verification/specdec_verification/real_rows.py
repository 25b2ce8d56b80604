"""Rows as large as those of real models: 32 000 to 256 000 tokens, drafts of up to eight.

Their probabilities fall as those of words do, by a power of the rank, over a random order of the
tokens.  Each kind of rows is one that implementations get wrong by themselves: a draft close to the
target, whose residual is small everywhere; one far off; rows with most of their tokens masked out,
not the same ones in draft and target; a target of hardly more than one token; and equal rows.

Rows come as arrays of floats: fractions for a quarter of a million tokens would be no use to a
kernel.  What is exact about them is that a float is the rational number that it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from specdec_core.errors import InvalidParameterError
from specdec_core.parameters import require_integer

Rows: TypeAlias = NDArray[np.floating[Any]]

DTYPES = ("float16", "float32", "float64")

EXPONENT = 1.1
"""Of the power law: about that of words in a text."""

KEPT = 50
"""Tokens that a masked row keeps."""


@dataclass(frozen=True, slots=True, eq=False)
class RealRound:
    """One round's rows and draft.

    Attributes
    ----------
    name : str
    target_probs : (gamma + 1, V) ndarray of float
        Row ``i`` follows the first ``i`` draft tokens; each sums to one, up to rounding.
    draft_probs : (gamma, V) ndarray of float
    draft_tokens : (gamma,) ndarray of int
        Of nonzero draft probability; some are likely, some are not.
    """

    name: str
    target_probs: Rows
    draft_probs: Rows
    draft_tokens: NDArray[np.int64]

    @property
    def label(self) -> str:
        """The sizes in one short line."""
        gamma, vocab_size = self.draft_probs.shape
        return f"V={vocab_size} gamma={gamma} {self.draft_probs.dtype}"


def real_rounds(
    vocab_size: int, gamma: int, dtype: str, rng: np.random.Generator
) -> Iterator[RealRound]:
    """Yield one round of each kind.

    Parameters
    ----------
    vocab_size : int
        At least ``KEPT`` times two.
    gamma : int
        At least 1.
    dtype : str
        Of the rows: one of `DTYPES`.
    rng : numpy.random.Generator

    Raises
    ------
    InvalidParameterError
        If an argument is out of range.

    Examples
    --------
    >>> rounds = list(real_rounds(1000, 2, "float32", np.random.default_rng(1)))
    >>> [one.name for one in rounds]
    ['close', 'far', 'masked', 'peaked', 'equal']
    >>> rounds[0].target_probs.shape, rounds[0].draft_probs.shape
    ((3, 1000), (2, 1000))
    """
    require_integer(vocab_size, "vocab_size", minimum=2 * KEPT)
    require_integer(gamma, "gamma", minimum=1)
    if dtype not in DTYPES:
        raise InvalidParameterError(f"dtype is {dtype!r}, expected {' or '.join(DTYPES)}")
    target = np.array([_row(vocab_size, rng) for _ in range(gamma + 1)])
    other = np.array([_row(vocab_size, rng) for _ in range(gamma)])
    noise = np.exp(0.1 * rng.standard_normal((gamma, vocab_size)))
    peaked = np.where(target == target.max(axis=1, keepdims=True), 1e6, target)
    pairs = {
        "close": (target, target[:-1] * noise),
        "far": (target, other),
        "masked": (_masked(target, 0), _masked(target[:-1], KEPT // 2)),
        "peaked": (peaked, target[:-1]),
        "equal": (target, target[:-1]),
    }
    for name, (p, q) in pairs.items():
        target_probs, draft_probs = _normed(p).astype(dtype), _normed(q).astype(dtype)
        tokens = np.array([_token(row, rng) for row in draft_probs])
        yield RealRound(name, target_probs, draft_probs, tokens)


def _row(vocab_size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    return np.asarray(rng.permutation(np.arange(1, vocab_size + 1) ** -EXPONENT))


def _masked(rows: NDArray[np.float64], start: int) -> NDArray[np.float64]:
    """Return rows with nothing but the tokens of so many ranks from ``start``."""
    kept = np.zeros_like(rows)
    order = np.argsort(-rows, axis=1)[:, start : start + KEPT]
    np.put_along_axis(kept, order, np.take_along_axis(rows, order, axis=1), axis=1)
    return kept


def _normed(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))


def _token(row: Rows, rng: np.random.Generator) -> int:
    """Return a token of nonzero probability: half of the time by the row, else any."""
    support = np.flatnonzero(row)
    if rng.random() < 0.5:
        return int(rng.choice(support))
    weights = row[support].astype(np.float64)
    return int(rng.choice(support, p=weights / weights.sum()))
