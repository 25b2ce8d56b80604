"""Samplers that take a seed: two ways to seed them, and whether a seed repeats.

A function that takes one seed a round becomes a sampler by a policy: seeds 0, 1, 2, and so on, as
a test suite uses them, or seeds drawn at random, as a server does.  Generators that mix their seed
badly have the right law under the second and not under the first, so both are worth a run.

That the same seed gives the same tokens is a claim apart from their law: a deterministic check.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from specdec_core.errors import InvalidTokenError, ShapeError
from specdec_verification.emissions import Malfunction, attempted, checked
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict
from specdec_verification.subjects.sampling import Sampler

SeededRound: TypeAlias = Callable[[int], Sequence[int]]
"""From a seed to the tokens of one round."""

SEEDS = 1 << 32


def consecutively_seeded(run: SeededRound, horizon: int) -> Sampler:
    """Return a sampler that goes on from seed to seed, from zero, whatever the generator.

    Parameters
    ----------
    run : callable
        From a seed to the tokens of one round.
    horizon : int
        Tokens that a round emits at most.

    Examples
    --------
    >>> sampler = consecutively_seeded(lambda seed: [seed % 2], 1)
    >>> rng = np.random.default_rng(0)
    >>> [sampler(3, rng)[0].ravel().tolist() for _ in range(2)]
    [[0, 1, 0], [1, 0, 1]]
    """
    seeds = count()

    def sampler(
        n: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
        return _rounds(run, [next(seeds) for _ in range(n)], horizon)

    return sampler


def randomly_seeded(run: SeededRound, horizon: int) -> Sampler:
    """Return a sampler that draws a 32-bit seed for every round.

    Parameters are those of `consecutively_seeded`.
    """

    def sampler(
        n: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
        return _rounds(run, rng.integers(0, SEEDS, size=n).tolist(), horizon)

    return sampler


@dataclass(frozen=True, slots=True)
class Repetition:
    """A seed, and what each of its two runs emitted."""

    seed: int
    first: tuple[int, ...] | Malfunction
    second: tuple[int, ...] | Malfunction


def check_repeatable(run: SeededRound, seeds: Iterable[int], labels: Labels) -> CheckResult:
    """Check that every seed gives the same tokens twice.

    Parameters
    ----------
    run : callable
        From a seed to the tokens of one round.
    seeds : iterable of int
        Each is run twice, the second time after all were run once.
    labels : Labels
        What the result is called.

    Examples
    --------
    >>> labels = Labels("my sampler", "repeatable", "coin", "V=2", "pytest -k coin")
    >>> check_repeatable(lambda seed: [seed % 2], range(4), labels).verdict.value
    'PASSED'
    """
    first = [(seed, _told(run, seed)) for seed in seeds]
    for seed, told in first:
        if isinstance(told, Malfunction):
            detail = f"seed {seed} {told.reason}"
            return _repeatable(labels, Verdict.FAILED, len(first), detail)
    repeated = [Repetition(seed, told, _told(run, seed)) for seed, told in first]
    off = [one for one in repeated if one.first != one.second]
    verdict = Verdict.FAILED if off else Verdict.PASSED if repeated else Verdict.INCONCLUSIVE
    detail = f"{len(repeated) - len(off)} of {len(repeated)} seeds repeat"
    if off:
        detail += f"; seed {off[0].seed} gave {off[0].first}, then {off[0].second}"
    return _repeatable(labels, verdict, 2 * len(repeated), detail)


def _repeatable(labels: Labels, verdict: Verdict, size: int, detail: str) -> CheckResult:
    return CheckResult("repeatable", labels, verdict, Evidence.SAMPLED, None, size, detail)


def _emitted(run: SeededRound, seed: int) -> tuple[int, ...]:
    """Return the tokens of one round; a float would become another token in silence."""
    found = checked(run(seed), SEEDS)
    if isinstance(found, Malfunction):
        raise InvalidTokenError(f"seed {seed}: {found.reason}")
    return found


def _told(run: SeededRound, seed: int) -> tuple[int, ...] | Malfunction:
    told: tuple[int, ...] | Malfunction = attempted(lambda: _emitted(run, seed))
    return told


def _rounds(
    run: SeededRound, seeds: Sequence[int], horizon: int
) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    tokens = np.zeros((len(seeds), horizon), dtype=np.int64)
    lengths = np.zeros(len(seeds), dtype=np.int64)
    for row, seed in enumerate(seeds):
        emitted = _emitted(run, seed)
        if len(emitted) > horizon:
            raise ShapeError(
                f"seed {seed} emitted {len(emitted)} tokens, expected at most {horizon}"
            )
        tokens[row, : len(emitted)] = emitted
        lengths[row] = len(emitted)
    return tokens, lengths
