"""A sampler's run in a ledger ends with the totals of a run that was never stopped."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from specdec_core.distributions import Row
from specdec_core.errors import GridTooLargeError
from specdec_core.models import ConstantModel
from specdec_verification.ledger.sampler_runs import Batches, check_sampler_on_ledger
from specdec_verification.ledger.store import Ledger
from specdec_verification.ledger.streams import Stream
from specdec_verification.results import CheckResult, Labels, Verdict
from specdec_verification.statistics.sampled import Demand
from specdec_verification.subjects.sampling import Look, SampledSubject, Sampler, Sampling

BATCHES = Batches(seed=3, size=500)
STREAM = Stream("coin", "1", "fair", BATCHES.policy)
DEMAND = Demand(1e-6, 0.01, 0.05)
LABELS = Labels("coin", "lossless", "fair", "V=2", "toss it again")


def coin(heads: float) -> Sampler:
    def sampler(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        return (rng.random((n, 2)) < heads).astype(int), rng.integers(1, 3, size=n)

    return sampler


def run(path: Path, sampler: Sampler, draws: int, looks: list[Look] | None = None) -> CheckResult:
    subject = SampledSubject(sampler, ConstantModel(Row([0.5, 0.5])), 2, LABELS)
    watch = (lambda look: None) if looks is None else looks.append
    sampling = Sampling(planned_draws=draws, watch=watch)
    with Ledger(path) as ledger:
        return check_sampler_on_ledger(ledger, STREAM, subject, BATCHES, DEMAND, sampling)


def totals(path: Path) -> dict[tuple[int, ...], int]:
    with Ledger(path) as ledger:
        return ledger.counts(STREAM)


def test_a_run_that_was_stopped_goes_on_to_the_same_totals(tmp_path: Path) -> None:
    stopped, whole = tmp_path / "stopped.db", tmp_path / "whole.db"
    assert run(stopped, coin(0.5), 1500).verdict is Verdict.INCONCLUSIVE
    found = run(stopped, coin(0.5), 10**6)
    assert found.verdict is Verdict.PASSED
    assert found == run(whole, coin(0.5), 10**6)
    assert totals(stopped) == totals(whole)


def test_once_there_is_a_verdict_nothing_more_is_drawn(tmp_path: Path) -> None:
    looks: list[Look] = []
    first = run(tmp_path / "ledger.db", coin(0.5), 10**6)
    assert run(tmp_path / "ledger.db", coin(0.5), 10**6, looks) == first
    assert [look.draws for look in looks] == [first.size]


def test_a_wrong_sampler_is_stopped_at_the_first_look_that_tells(tmp_path: Path) -> None:
    looks: list[Look] = []
    found = run(tmp_path / "ledger.db", coin(0.75), 10**6, looks)
    assert found.verdict is Verdict.FAILED
    assert [look.log10_e >= 6 for look in looks] == [False] * (len(looks) - 1) + [True]


def test_more_sequences_than_are_counted_one_by_one_are_refused(tmp_path: Path) -> None:
    subject = SampledSubject(coin(0.5), ConstantModel(Row([0.5, 0.5])), 13, LABELS)
    with (
        Ledger(tmp_path / "ledger.db") as ledger,
        pytest.raises(GridTooLargeError, match="coin has 8192 sequences, at most 4096"),
    ):
        check_sampler_on_ledger(
            ledger, STREAM, subject, BATCHES, DEMAND, Sampling(planned_draws=1000)
        )


def test_a_batch_that_goes_wrong_fails_and_is_not_kept(tmp_path: Path) -> None:
    def broken(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        return np.full((n, 2), 7), np.full(n, 2)

    found = run(tmp_path / "ledger.db", broken, 10**6)
    assert found.verdict is Verdict.FAILED
    assert "emitted token 7" in found.detail
    assert totals(tmp_path / "ledger.db") == {}


def test_a_sampler_that_emits_the_same_in_every_run_fails(tmp_path: Path) -> None:
    """Its law is right, and a seed of its own makes every batch the first one."""
    die = ConstantModel(Row([0.125] * 8))

    def once(own: np.random.Generator) -> CheckResult:
        subject = SampledSubject(
            lambda n, rng: (own.integers(8, size=(n, 2)), own.integers(1, 3, size=n)),
            die,
            2,
            LABELS,
        )
        sampling = Sampling(planned_draws=10**6, max_seconds=0.0)
        with Ledger(tmp_path / "ledger.db") as ledger:
            number = len(ledger.keys(STREAM))
            batch = BATCHES.counts(subject, number)
            assert isinstance(batch, Counter)
            ledger.report(STREAM, str(number), batch)
            return check_sampler_on_ledger(ledger, STREAM, subject, BATCHES, DEMAND, sampling)

    found = [once(np.random.default_rng(1)) for _ in range(3)]
    assert found[0].verdict is Verdict.INCONCLUSIVE
    assert found[-1].verdict is Verdict.FAILED
    assert "batch 2 has the counts of batch 0: log10" in found[-1].detail


@pytest.mark.parametrize("part", ["seed", "size"])
def test_batches_of_another_kind_are_another_stream(part: str) -> None:
    other = {"seed": Batches(4, 500), "size": Batches(3, 501)}[part]
    assert other.policy != BATCHES.policy
