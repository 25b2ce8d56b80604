"""Seeded samplers: consecutive seeds, random ones, and seeds that repeat."""

from itertools import count
from typing import Any

import numpy as np
import pytest

from specdec_core.errors import InvalidTokenError, ShapeError
from specdec_verification.results import Labels, Verdict
from specdec_verification.subjects.seeding import (
    SEEDS,
    check_repeatable,
    consecutively_seeded,
    randomly_seeded,
)

LABELS = Labels("my sampler", "repeatable", "coin", "V=2", "pytest")


def test_consecutive_seeds_go_on_from_batch_to_batch() -> None:
    seen: list[int] = []

    def run(seed: int) -> list[int]:
        seen.append(seed)
        return [0] * (1 + seed % 2)

    sampler = consecutively_seeded(run, 2)
    rng = np.random.default_rng(0)
    tokens, lengths = sampler(3, rng)
    sampler(2, rng)
    assert seen == [0, 1, 2, 3, 4]
    assert tokens.shape == (3, 2)
    assert lengths.tolist() == [1, 2, 1]


def test_random_seeds_come_from_the_generator() -> None:
    seen: list[int] = []

    def run(seed: int) -> list[int]:
        seen.append(seed)
        return [0]

    randomly_seeded(run, 1)(50, np.random.default_rng(1))
    randomly_seeded(run, 1)(50, np.random.default_rng(1))
    assert seen[:50] == seen[50:]
    assert all(0 <= seed < SEEDS for seed in seen)
    assert len(set(seen)) > 40


def test_a_seed_that_does_not_repeat_is_named() -> None:
    calls = count()
    result = check_repeatable(lambda seed: [next(calls)], [5, 6], LABELS)
    assert result.verdict is Verdict.FAILED
    assert result.detail == "0 of 2 seeds repeat; seed 5 gave (0,), then (2,)"


def test_no_seed_repeats_nothing() -> None:
    assert check_repeatable(lambda seed: [0], [], LABELS).verdict is Verdict.INCONCLUSIVE


def test_too_many_tokens_are_refused() -> None:
    with pytest.raises(ShapeError, match="seed 0 emitted 2 tokens, expected at most 1"):
        consecutively_seeded(lambda seed: [0, 0], 1)(1, np.random.default_rng(0))


@pytest.mark.parametrize(
    "emitted", [[0.9], [float("nan")], ["1"], "1", [True], None, [], [1 << 70]]
)
def test_what_is_no_token_is_no_other_token_either(emitted: Any) -> None:  # noqa: ANN401
    sampler = consecutively_seeded(lambda seed: emitted, 1)
    with pytest.raises(InvalidTokenError, match="seed 0: "):
        sampler(1, np.random.default_rng(0))
    found = check_repeatable(lambda seed: emitted, range(2), LABELS)
    assert found.verdict is Verdict.FAILED
    assert "seed 0 raised" in found.detail


def test_a_seed_that_raises_the_second_time_does_not_repeat() -> None:
    seen: set[int] = set()

    def run(seed: int) -> list[int]:
        if seed in seen:
            raise OSError("the cache is gone")
        seen.add(seed)
        return [0]

    found = check_repeatable(run, range(2), LABELS)
    assert found.verdict is Verdict.FAILED
    assert "the cache is gone" in found.detail
