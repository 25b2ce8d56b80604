"""Samplers: right ones pass, slipped ones fail early, and what is no token is a failure."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from specdec_core.distributions import Row
from specdec_core.models import ConstantModel, ContextModel, TableModel
from specdec_verification.results import CheckResult, Labels, Verdict
from specdec_verification.statistics.sampled import Demand
from specdec_verification.subjects.samplers import check_sampler
from specdec_verification.subjects.sampling import Look, SampledSubject, Sampler, Sampling

LABELS = Labels("my sampler", "lossless", "context-dependent", "V=2 gamma=1", "pytest")
DEMAND = Demand(false_fail_rate=1e-9, false_pass_rate=0.01, max_tv=0.05)
SAMPLING = Sampling(planned_draws=40_000)

FIRST = Row([Fraction(1, 4), Fraction(3, 4)])
TARGET = TableModel({(): FIRST, (0,): Row([Fraction(1, 2)] * 2), (1,): FIRST})
DRAFT = np.array([0.5, 0.5])

Tokens = np.ndarray
Draw = Callable[[np.random.Generator, Tokens], Tokens]


def draw_after(rng: np.random.Generator, first: Tokens) -> Tokens:
    return np.where(rng.random(len(first)) < np.where(first == 0, 0.5, 0.25), 0, 1)


def rejection_sampler(recover_with: Row, bonus: Draw = draw_after) -> Sampler:
    """Return token rejection with one draft token, written in numpy; its steps can be slipped."""

    def sampler(n: int, rng: np.random.Generator) -> tuple[Tokens, Tokens]:
        target = np.array([float(prob) for prob in FIRST])
        drafted = rng.choice(2, size=n, p=DRAFT)
        kept = rng.random(n) * DRAFT[drafted] < target[drafted]
        recovered = rng.choice(2, size=n, p=[float(prob) for prob in recover_with])
        first = np.where(kept, drafted, recovered)
        return np.stack([first, bonus(rng, first)], axis=1), np.where(kept, 2, 1)

    return sampler


RESIDUAL = Row([Fraction(0), Fraction(1)])
RIGHT = rejection_sampler(RESIDUAL)


def run(
    sampler: Sampler,
    target: ContextModel = TARGET,
    sampling: Sampling = SAMPLING,
    horizon: int = 2,
) -> tuple[CheckResult, ...]:
    subject = SampledSubject(sampler, target, horizon, LABELS)
    return check_sampler(subject, DEMAND, sampling, np.random.default_rng())


def test_a_right_sampler_passes() -> None:
    """It fails with probability 1e-9, and that is the chance of this test to fail."""
    law, pairs, regularity = run(RIGHT)
    assert (law.verdict, pairs.verdict) == (Verdict.PASSED, Verdict.PASSED)
    assert law.size == 40_000
    assert regularity.verdict is Verdict.INCONCLUSIVE  # four cells are too few for it
    rates = [result.risk.false_fail_rate for result in (law, pairs, regularity) if result.risk]
    assert math.fsum(rates) == pytest.approx(1e-9)


@pytest.mark.parametrize(
    "sampler",
    [
        rejection_sampler(FIRST),
        rejection_sampler(RESIDUAL, bonus=lambda rng, first: rng.choice(2, size=len(first))),
        rejection_sampler(RESIDUAL, bonus=lambda rng, first: draw_after(rng, 1 - first)),
    ],
    ids=["recovered from the target", "bonus from the draft", "bonus row off by one"],
)
def test_a_slipped_sampler_fails_before_the_planned_draws(sampler: Sampler) -> None:
    """Off by 0.06 or more: 40 000 draws are missed with less than 1e-9, most need a tenth."""
    law, *_ = run(sampler)
    assert law.verdict is Verdict.FAILED
    assert law.size < 40_000


def test_rows_that_share_a_seed_fail_by_their_pairs_alone() -> None:
    def sampler(n: int, rng: np.random.Generator) -> tuple[Tokens, Tokens]:
        tokens, _ = RIGHT((n + 1) // 2, rng)
        tokens[:, 1] = draw_after(rng, tokens[:, 0])
        return np.repeat(tokens, 2, axis=0)[:n], np.full(n, 2)

    _, pairs, _ = run(sampler, sampling=Sampling(planned_draws=4000))
    assert pairs.verdict is Verdict.FAILED


def test_every_look_is_told() -> None:
    looks: list[Look] = []
    run(RIGHT, sampling=Sampling(planned_draws=5000, first_batch=1000, watch=looks.append))
    assert [look.draws for look in looks] == [1000, 2000, 4000, 5000]
    assert looks[-1].min_detectable_tv < looks[0].min_detectable_tv


def test_too_few_draws_are_inconclusive() -> None:
    law, *_ = run(RIGHT, sampling=Sampling(planned_draws=50))
    assert law.verdict is Verdict.INCONCLUSIVE


def test_no_time_is_no_draw() -> None:
    law, *_ = run(RIGHT, sampling=Sampling(planned_draws=50, max_seconds=0.0))
    assert (law.verdict, law.size) == (Verdict.INCONCLUSIVE, 0)


def large(n: int, rng: np.random.Generator) -> tuple[Tokens, Tokens]:
    return rng.integers(0, 100, size=(n, 3)), rng.integers(1, 4, size=n)


def fixed(n: int, rng: np.random.Generator) -> tuple[Tokens, Tokens]:
    tokens, lengths = large(n, rng)
    tokens[:, 1] = np.where(tokens[:, 0] == 7, 7, tokens[:, 1])
    return tokens, np.maximum(lengths, 2)


UNIFORM = ConstantModel(Row([Fraction(1, 100)] * 100))
"""A million sequences of three tokens, too many to number."""


def test_sequences_too_many_to_number_go_by_their_prefixes() -> None:
    """One prefix in a hundred is off; a right sampler is accused with the rate 1e-9."""
    sampling = Sampling(planned_draws=8000)
    law, pairs = run(large, UNIFORM, sampling, horizon=3)
    assert (law.check, pairs.check) == ("prefix_e_process", "pairs")
    assert law.verdict is Verdict.INCONCLUSIVE
    law, _ = run(fixed, UNIFORM, sampling, horizon=3)
    assert law.verdict is Verdict.FAILED
    assert "after prefix '7' (" in law.detail


def emits(tokens: object, lengths: object) -> Sampler:
    """Return a sampler that emits the same rows for ever."""

    def sampler(n: int, rng: np.random.Generator) -> tuple[Tokens, Tokens]:
        return np.tile(np.array([tokens]), (n, 1)), np.full(n, lengths)

    return sampler


@pytest.mark.parametrize(
    ("sampler", "reason"),
    [
        (emits([0, 2], 2), "emitted token 2 at position 1 of row 0, expected 0 to 1"),
        (emits([-1, 0], 1), "emitted token -1 at position 0 of row 0"),
        (emits([0, 0], 0), "emitted 0 to 0 tokens, expected 1 to 2"),
        (emits([0, 0], 3), "emitted 3 to 3 tokens, expected 1 to 2"),
        (emits([0.0, 0.0], 2), "returned float64 and int64, expected integers"),
        (lambda n, rng: 1 / 0, "raised ZeroDivisionError"),
    ],
)
def test_what_is_no_token_fails(sampler: Sampler, reason: str) -> None:
    (result,) = run(sampler)
    assert result.verdict is Verdict.FAILED
    assert reason in result.detail


def test_what_lies_behind_a_length_may_be_anything() -> None:
    law, *_ = run(emits([0, 99], 1), sampling=Sampling(planned_draws=10))
    assert law.verdict is Verdict.INCONCLUSIVE


def test_an_unlawful_token_fails_at_the_first_look() -> None:
    certain = ConstantModel(Row([Fraction(1), Fraction(0)]))
    law, *_ = run(emits([0, 1], 2), certain)
    assert law.verdict is Verdict.FAILED
    assert law.size == 1000
    assert "got (0, 1) 1000 times, and the law rules it out" in law.detail


def test_a_sampler_that_is_set_back_with_every_call_fails() -> None:
    def sampler(n: int, rng: np.random.Generator) -> tuple[Tokens, Tokens]:
        return RIGHT(n, np.random.default_rng(7))

    _, pairs, _ = run(sampler)
    assert pairs.verdict is Verdict.FAILED
    assert "the same rows of two batches" in pairs.detail


def test_a_target_of_floats_need_not_sum_to_one_exactly() -> None:
    probs = np.array([0.9, 0.05, 0.04, 0.01])

    def sampler(n: int, rng: np.random.Generator) -> tuple[Tokens, Tokens]:
        return rng.choice(4, size=(n, 1), p=probs), np.ones(n, dtype=int)

    law, *_ = run(sampler, ConstantModel(Row(probs.tolist())), horizon=1)
    assert law.verdict is Verdict.PASSED
