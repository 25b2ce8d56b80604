"""Counts by number and counts of what was seen say the same of the same draws."""

from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

import numpy as np
import pytest

from specdec_core.distributions import Row
from specdec_core.models import ConstantModel
from specdec_verification.results import Labels, Verdict
from specdec_verification.statistics.completed_draws import MAX_SEQUENCES
from specdec_verification.statistics.sampled import Demand
from specdec_verification.subjects.sampler_counts import (
    ACROSS,
    CONSECUTIVE,
    Listed,
    Numbered,
    SampleCounts,
    counts_of,
)
from specdec_verification.subjects.sampling import SampledSubject

Kind = TypeVar("Kind", bound=SampleCounts)

LABELS = Labels("my sampler", "lossless", "die", "V=4", "pytest")
DEMAND = Demand(false_fail_rate=1e-9, false_pass_rate=0.01, max_tv=0.3)
TOKENS = np.array([[0, 1], [3, 3], [0, 1], [2, 0]] * 50)
LENGTHS = np.full(200, 2)


def die(faces: int, horizon: int) -> SampledSubject:
    model = ConstantModel(Row([Fraction(1, faces)] * faces))
    return SampledSubject(lambda n, rng: (TOKENS[:n], LENGTHS[:n]), model, horizon, LABELS)


def filled(counts: Kind, parts: int) -> Kind:
    rng = np.random.default_rng()
    for part in np.array_split(np.arange(200), parts):
        counts.add(TOKENS[part], LENGTHS[part], rng)
    return counts


def test_few_sequences_are_numbered_and_many_are_listed() -> None:
    assert MAX_SEQUENCES == 4096
    assert isinstance(counts_of(die(16, 3)), Numbered)
    assert isinstance(counts_of(die(17, 3)), Listed)


@pytest.mark.parametrize("kind", [Numbered, Listed])
def test_batches_add_up(kind: type[Numbered] | type[Listed]) -> None:
    whole, parts = filled(kind(die(4, 2)), 1), filled(kind(die(4, 2)), 7)
    assert whole.look(DEMAND) == parts.look(DEMAND)
    (law, _, *others), (law_of_parts, _, *others_of_parts) = (
        counts.results(DEMAND, 200) for counts in (whole, parts)
    )
    assert [law, *others] == [law_of_parts, *others_of_parts]
    assert (whole.pairing.counts[CONSECUTIVE] == parts.pairing.counts[CONSECUTIVE]).all()


@pytest.mark.parametrize("kind", [Numbered, Listed])
def test_a_batch_that_repeats_the_one_before_fails(kind: type[Numbered] | type[Listed]) -> None:
    """Its consecutive draws are as they should be."""
    counts, rng = kind(die(4, 2)), np.random.default_rng(3)
    tokens = rng.integers(0, 4, size=(300, 2))
    for size in (200, 200, 300):
        counts.add(tokens[:size], np.full(size, 2), rng)
    assert counts.pairing.counts[ACROSS].sum() == 400
    _, pairs, *_ = counts.results(DEMAND, 10_000)
    assert pairs.verdict is Verdict.FAILED
    assert pairs.detail.startswith("the same rows of two batches, pairs: ")
    assert pairs.risk is not None
    assert pairs.risk.false_fail_rate == DEMAND.false_fail_rate


@pytest.mark.parametrize("kind", [Numbered, Listed])
def test_fresh_batches_do_not_fail(kind: type[Numbered] | type[Listed]) -> None:
    """It fails with probability 1e-9."""
    counts, rng = kind(die(4, 2)), np.random.default_rng()
    for size in (200, 100, 300):
        counts.add(rng.integers(0, 4, size=(size, 2)), np.full(size, 2), rng)
    assert counts.pairing.counts[ACROSS].sum() == 200
    _, pairs, *_ = counts.results(DEMAND, 10_000)
    assert pairs.verdict is not Verdict.FAILED


@pytest.mark.parametrize(
    ("repeated", "said"),
    [
        (lambda drawn: np.repeat(drawn[::2], 2, axis=0), "pairs: "),
        (lambda drawn: np.concatenate([drawn[:2000], 3 - drawn[:2000]]), "rows half a batch apart"),
        (lambda drawn: np.repeat(drawn.reshape(-1, 64, 2)[::2], 2, axis=0), "rows 64 apart"),
    ],
    ids=["each twice", "antithetic halves", "blocks of one seed"],
)
def test_rows_of_one_batch_that_hang_together_fail(
    repeated: Callable[[np.ndarray], np.ndarray], said: str
) -> None:
    """Each row has the right law, and so have consecutive ones of halves and of blocks."""
    counts, rng = Numbered(die(4, 2)), np.random.default_rng()
    drawn = repeated(rng.integers(0, 4, size=(4096, 2))).reshape(-1, 2)
    counts.add(drawn, np.full(len(drawn), 2), rng)
    _, pairs, *_ = counts.results(DEMAND, 10_000)
    assert pairs.verdict is Verdict.FAILED
    assert pairs.detail.startswith(said)


def test_both_kinds_see_the_same_frequencies() -> None:
    numbered, listed = filled(Numbered(die(4, 2)), 1), filled(Listed(die(4, 2)), 1)
    looks = numbered.look(DEMAND), listed.look(DEMAND)
    assert looks[0].draws == looks[1].draws == 200
    assert looks[0].total_variation == pytest.approx(looks[1].total_variation)
    for counts in (numbered, listed):
        law, pairs, *_ = counts.results(DEMAND, 200)
        assert law.verdict is Verdict.FAILED
        assert pairs.check == "pairs"


def test_the_run_ends_where_the_check_of_the_law_rejects() -> None:
    """The flat e-process has half of the rate, the other being that of ``G``."""
    assert Numbered(die(4, 2)).rejects_from(Demand(0.02, 0.01, 0.3)) == pytest.approx(2)
    assert Listed(die(4, 2)).rejects_from(Demand(0.01, 0.01, 0.3)) == pytest.approx(2)
