"""What a sampler is, and what is asked of it: batches, looks, and outcomes that are checked.

A sampler is a function of a number and a generator that returns so many rounds: ``tokens[n, L]``
and ``lengths[n]``.  What it returns is looked through before it is counted; a batch that raises, or
holds what is no token, is a malfunction and not an error of ours.

Not here: counts (see `sampler_counts`) and verdicts (see `samplers`).
"""

import math
from collections.abc import Callable, Iterator, Sized
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from specdec_core.errors import InvalidParameterError, ShapeError
from specdec_core.models import ContextModel
from specdec_verification.emissions import Malfunction, attempted
from specdec_verification.results import Labels
from specdec_verification.statistics.completed_draws import Integers
from specdec_verification.statistics.power import require_count

Sampler: TypeAlias = Callable[
    [int, np.random.Generator], tuple[NDArray[np.integer], NDArray[np.integer]]
]
"""From a number of rounds and a generator to ``tokens (n, L)`` and ``lengths (n,)``."""


@dataclass(frozen=True, slots=True)
class Look:
    """What there is to see of a run that goes on.

    Attributes
    ----------
    draws : int
        Made so far.
    total_variation : float
        Of the frequencies, noise included.
    log10_e : float
        Decimal logarithm of the e-value.
    min_detectable_tv : float
        What so many draws are sure to see.
    """

    draws: int
    total_variation: float
    log10_e: float
    min_detectable_tv: float

    def __str__(self) -> str:
        return (
            f"{self.draws:,} draws, total variation {self.total_variation:.3g} with its noise,"
            f" log10 E {self.log10_e:.3g}, detectable {self.min_detectable_tv:.3g}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How many draws are made, and who is told.

    Attributes
    ----------
    planned_draws : int
        Stated beforehand; at least one.
    max_seconds : float
        Once they are over, no batch is begun.
    first_batch : int
        Draws of the first batch; each one doubles what there is.
    largest_batch : int
        What the memory holds.
    watch : callable
        Told of every look.
    stopped : callable
        Asked before every batch; once it says so, none is begun.
    """

    planned_draws: int
    max_seconds: float = math.inf
    first_batch: int = 1000
    largest_batch: int = 1_000_000
    watch: Callable[[Look], None] = field(default=lambda look: None)
    stopped: Callable[[], bool] = field(default=lambda: False)

    def __post_init__(self) -> None:
        for name in ("planned_draws", "first_batch", "largest_batch"):
            require_count(getattr(self, name), name, least=1)
        if not self.max_seconds >= 0:
            raise InvalidParameterError(
                f"max_seconds is {self.max_seconds}, expected a number of at least 0"
            )

    def batches(self) -> Iterator[int]:
        """Yield the sizes of the batches, until the planned draws or the end of the time.

        >>> list(Sampling(planned_draws=5000, first_batch=1000, largest_batch=2000).batches())
        [1000, 1000, 2000, 1000]
        """
        drawn, begun = 0, monotonic()
        while drawn < self.planned_draws and monotonic() - begun < self.max_seconds:
            if self.stopped():
                return
            batch = min(max(drawn, self.first_batch), self.largest_batch)
            batch = min(batch, self.planned_draws - drawn)
            drawn += batch
            yield batch


@dataclass(frozen=True, slots=True)
class SampledSubject:
    """A sampler, and what is claimed of it.

    Attributes
    ----------
    sampler : callable
    target : ContextModel
        The law that its completed rounds should have.
    horizon : int
        Tokens that a round emits at most, ``L``.
    labels : Labels
        What the results are called.
    """

    sampler: Sampler
    target: ContextModel
    horizon: int
    labels: Labels

    @property
    def vocab_size(self) -> int:
        """How many tokens there are."""
        return len(self.target(()))

    @property
    def sequences(self) -> int:
        """How many sequences there are."""
        return int(self.vocab_size**self.horizon)


def drawn_batch(
    subject: SampledSubject, batch: int, rng: np.random.Generator
) -> tuple[Integers, Integers] | Malfunction:
    """Return one batch, checked, or the malfunction that came instead.

    Raises
    ------
    ShapeError
        If what came is no pair of arrays of the shapes ``(n, L)`` and ``(n,)``.
    """
    drawn = attempted(lambda: subject.sampler(batch, rng))
    if isinstance(drawn, Malfunction):
        return Malfunction(f"of {batch} {drawn.reason}")
    tokens, lengths = _pair(drawn)
    if tokens.shape != (batch, subject.horizon) or lengths.shape != (batch,):
        raise ShapeError(
            f"the sampler returned tokens of shape {tokens.shape} and lengths of {lengths.shape},"
            f" expected {(batch, subject.horizon)} and {(batch,)}: a row for each round, as long as"
            " the longest can be"
        )
    return _lawful(tokens, lengths, subject)


def _pair(drawn: object) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the two arrays that a sampler returned."""
    if not isinstance(drawn, tuple | list) or len(drawn) != 2:
        size = f" of {len(drawn)}" if isinstance(drawn, Sized) else ""
        raise ShapeError(
            f"the sampler returned a {type(drawn).__name__}{size}, expected tokens and lengths"
        )
    try:
        return np.asarray(drawn[0]), np.asarray(drawn[1])
    except ValueError:
        raise ShapeError(
            "the sampler returned rows of unequal lengths, expected each filled up"
        ) from None
    except (TypeError, RuntimeError) as error:  # a tensor on another device, or of a graph
        raise ShapeError(f"the sampler returned what is no array: {error}") from None


def _lawful(
    tokens: NDArray[np.integer], lengths: NDArray[np.integer], subject: SampledSubject
) -> tuple[Integers, Integers] | Malfunction:
    if tokens.dtype.kind not in "iu" or lengths.dtype.kind not in "iu":
        return Malfunction(f"returned {tokens.dtype} and {lengths.dtype}, expected integers")
    if lengths.min() < 1 or lengths.max() > subject.horizon:
        return Malfunction(
            f"emitted {lengths.min()} to {lengths.max()} tokens, expected 1 to {subject.horizon}"
        )
    vocab_size = subject.vocab_size
    emitted = np.arange(subject.horizon) < lengths[:, None]
    wrong = emitted & ((tokens < 0) | (tokens >= vocab_size))
    if wrong.any():
        row, position = np.argwhere(wrong)[0]
        return Malfunction(
            f"emitted token {tokens[row, position]} at position {position} of row {row},"
            f" expected 0 to {vocab_size - 1}"
        )
    return tokens.astype(np.int64), lengths.astype(np.int64)
