"""Counts of what a sampler has emitted so far: by number, or of the sequences that were seen.

Both are added to batch by batch, say what there is to see at each look, and give the results at the
end.  Beside the sequences they count pairs of outcomes: consecutive ones, and those of the same
row of two consecutive batches.
"""

import math
from collections import Counter
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from specdec_core.models import Context
from specdec_verification.results import CheckResult, Labels, Verdict
from specdec_verification.statistics import e_process, pairs, prefix_e_process
from specdec_verification.statistics.completed_draws import (
    MAX_SEQUENCES,
    Integers,
    NumberedSequences,
    completed,
    count_sequences,
    numbered,
)
from specdec_verification.statistics.dirichlet_mixture import log_e_value
from specdec_verification.statistics.fit import check_fit, halved
from specdec_verification.statistics.regularity import check_regularity
from specdec_verification.statistics.sampled import Demand
from specdec_verification.subjects.sampling import Look, SampledSubject

MAX_RATIO = 0.1
"""Counts whose variance is this part of its due, or less, are too regular to pass."""


class SampleCounts(Protocol):
    """What has been counted of one sampler."""

    def add(self, tokens: Integers, lengths: Integers, rng: np.random.Generator) -> None:
        """Count a batch, completed with tokens that the generator draws."""

    def look(self, demand: Demand) -> Look:
        """Return what there is to see."""

    def rejects_from(self, demand: Demand) -> float:
        """Return the decimal logarithm of the e-value that ends the run."""

    def results(self, demand: Demand, planned_draws: int) -> tuple[CheckResult, ...]:
        """Return what each check finds, at the rates of the demand, the law first."""


def counts_of(subject: SampledSubject) -> SampleCounts:
    """Return empty counts of the kind that a subject's sequences allow."""
    return Numbered(subject) if subject.sequences <= MAX_SEQUENCES else Listed(subject)


class Numbered:
    """Counts of every sequence, by number, and of pairs of consecutive ones."""

    def __init__(self, subject: SampledSubject) -> None:
        self.subject = subject
        self.sequences: NumberedSequences = numbered(subject.target, subject.horizon)
        self.counts = np.zeros(subject.sequences, dtype=np.int64)
        self.pairing = _Pairing(self.sequences.probs)

    def add(self, tokens: Integers, lengths: Integers, rng: np.random.Generator) -> None:
        """Count a batch."""
        numbers = self.sequences.numbers(tokens, lengths, rng)
        self.counts += np.bincount(numbers, minlength=len(self.counts))
        self.pairing.add(numbers)

    def look(self, demand: Demand) -> Look:
        """Return what there is to see."""
        probs, draws = self.sequences.probs, int(self.counts.sum())
        excess = np.maximum(self.counts / draws - probs, 0.0)
        return Look(
            draws,
            float(excess.sum()),
            float(log_e_value(self.counts, probs)) / math.log(10),
            e_process.detectable_tv(probs[probs > 0], draws, halved(demand)),
        )

    def rejects_from(self, demand: Demand) -> float:
        """Return the decimal logarithm of the e-value that ends the run."""
        return -math.log10(demand.false_fail_rate / 2)

    def results(self, demand: Demand, planned_draws: int) -> tuple[CheckResult, ...]:
        """Return what the checks of law, independence and regularity find."""
        counts, law = self.sequences.counted(self.counts), self.sequences.law
        labels = self.subject.labels
        return (
            check_fit(counts, law, planned_draws=planned_draws, demand=demand, labels=labels),
            self.pairing.result(demand, labels),
            check_regularity(counts, law, max_ratio=MAX_RATIO, demand=demand, labels=labels),
        )


class Listed:
    """Counts of the sequences that were seen, and of pairs of consecutive first tokens."""

    def __init__(self, subject: SampledSubject) -> None:
        self.subject = subject
        self.counts: Counter[Context] = Counter()
        row = subject.target(())
        self.pairing = _Pairing(np.array([float(prob) for prob in row]))

    def add(self, tokens: Integers, lengths: Integers, rng: np.random.Generator) -> None:
        """Count a batch."""
        self.counts.update(count_sequences(completed(tokens, lengths, self.subject.target, rng)))
        self.pairing.add(tokens[:, 0])

    def look(self, demand: Demand) -> Look:
        """Return what there is to see."""
        found = prefix_e_process.prefix_e_process(self.counts, self.subject.target)
        return Look(
            found.draws,
            found.total_variation or 0.0,
            found.log_e / math.log(10),
            found.detectable_tv(self.subject.sequences, demand),
        )

    def rejects_from(self, demand: Demand) -> float:
        """Return the decimal logarithm of the e-value that ends the run."""
        return -math.log10(demand.false_fail_rate)

    def results(self, demand: Demand, planned_draws: int) -> tuple[CheckResult, ...]:
        """Return what the checks of law and independence find."""
        labels = self.subject.labels
        law = prefix_e_process.check_prefix_e_process(
            self.counts, self.subject.target, demand=demand, labels=labels
        )
        return (law, self.pairing.result(demand, labels))


class _Pairing:
    """Counts of pairs of outcomes, in groups: consecutive ones, and those of equal rows.

    A generator that is set back with every call draws each batch as it drew the one before; that
    consecutive draws are independent says nothing of it.
    """

    def __init__(self, probs: NDArray[np.float64]) -> None:
        self.groups = pairs.groups_of(probs)
        self.probs = np.bincount(self.groups, weights=probs) / probs.sum()
        self.counts = np.zeros((len(self.probs),) * 2, dtype=np.int64)
        self.across = self.counts.copy()
        self.before = np.zeros(0, dtype=np.int64)

    def add(self, outcomes: Integers) -> None:
        """Count a batch; its first outcome follows the last one of the batch before."""
        batch, cells = self.groups[outcomes], len(self.probs)
        self.counts += pairs.pair_counts(np.concatenate([self.before[-1:], batch]), cells)
        size = min(len(batch), len(self.before))
        rows = np.stack([self.before[:size], batch[:size]])
        self.across += pairs.pair_counts(rows.ravel(), cells, lag=size) if size else 0
        self.before = batch

    def result(self, demand: Demand, labels: Labels) -> CheckResult:
        """Return what the check of consecutive pairs finds, unless that of equal rows fails.

        Each has half of the false-fail rate.
        """
        half = halved(demand)
        across = pairs.check_pairs(self.across, self.probs, demand=half, labels=labels)
        found = pairs.check_pairs(self.counts, self.probs, demand=half, labels=labels)
        if across.verdict is Verdict.FAILED:
            found = replace(across, detail=f"the same rows of two batches, {across.detail}")
        assert found.risk is not None
        return replace(found, risk=replace(found.risk, false_fail_rate=demand.false_fail_rate))
