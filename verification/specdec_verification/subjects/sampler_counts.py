"""Counts of what a sampler has emitted so far: by number, or of the sequences that were seen.

Both are added to batch by batch, say what there is to see at each look, and give the results at the
end.  Beside the sequences they count pairs of outcomes: consecutive ones, those of the same row of
two consecutive batches, and rows half a batch or a power of two apart.
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from specdec_core.models import Context
from specdec_verification.results import CheckResult, Labels
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
from specdec_verification.statistics.error_budget import ErrorBudget
from specdec_verification.statistics.fit import check_fit, halved
from specdec_verification.statistics.power_curves import Detectable
from specdec_verification.statistics.regularity import check_regularity
from specdec_verification.statistics.sampled import Demand
from specdec_verification.subjects.sampling import Look, SampledSubject

MAX_RATIO = 0.1
"""Counts whose variance is this part of its due, or less, are too regular to pass."""

LAGS = tuple(1 << power for power in range(1, 11))
"""How far apart the rows of other pairs are: kernels draw in blocks of a power of two."""

CONSECUTIVE, ACROSS, HALVES = "", "the same rows of two batches, ", "rows half a batch apart, "
"""Kinds of pairs, as a failure calls them."""

MOST_ROWS = 1 << 16
"""Of a batch that are looked at for its other pairs: ten more passes would cost more than draws."""


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

    def by_sequence(self) -> Mapping[Context, int]:
        """Return how often each completed sequence was drawn, those that were."""

    def detectable(self) -> Detectable:
        """Return what the e-value is sure to see, as a function of draws and a demand."""


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
            self.detectable()(draws, demand),
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

    def by_sequence(self) -> Mapping[Context, int]:
        """Return how often each completed sequence was drawn, those that were."""
        return self.sequences.counted(self.counts)

    def detectable(self) -> Detectable:
        """Return what the e-value is sure to see, as a function of draws and a demand."""
        possible = self.sequences.probs[self.sequences.probs > 0]
        return lambda draws, demand: e_process.detectable_tv(possible, draws, halved(demand))


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

    def by_sequence(self) -> Mapping[Context, int]:
        """Return how often each completed sequence was drawn, those that were."""
        return self.counts

    def detectable(self) -> Detectable:
        """Return what the e-value is sure to see, as a function of draws and a demand.

        With more draws than were made, sequences that were not seen yet count as rare.
        """
        found = prefix_e_process.prefix_e_process(self.counts, self.subject.target)
        cells = self.subject.sequences
        return lambda draws, demand: replace(found, draws=draws).detectable_tv(cells, demand)


class _Pairing:
    """Counts of pairs of outcomes, in groups: consecutive ones, and others of few kinds.

    A generator that is set back with every call draws each batch as it drew the one before; blocks
    of a kernel that share a seed repeat one another; antithetic draws come in two halves.  That
    consecutive draws are independent says nothing of these.
    """

    def __init__(self, probs: NDArray[np.float64]) -> None:
        self.groups = pairs.groups_of(probs)
        self.probs = np.bincount(self.groups, weights=probs) / probs.sum()
        kinds = (CONSECUTIVE, ACROSS, HALVES, *(f"rows {lag} apart, " for lag in LAGS))
        cells = len(self.probs)
        self.counts = {kind: np.zeros((cells, cells), dtype=np.int64) for kind in kinds}
        self.before = np.zeros(0, dtype=np.int64)

    def add(self, outcomes: Integers) -> None:
        """Count a batch; its first outcome follows the last one of the batch before."""
        batch, before = self.groups[outcomes], self.before
        joined = np.concatenate([before[-1:], batch])
        self._count(CONSECUTIVE, joined[:-1], joined[1:])
        self._count(ACROSS, before, batch)
        self._count(HALVES, batch[:MOST_ROWS], batch[(len(batch) + 1) // 2 :][:MOST_ROWS])
        for lag in LAGS:
            self._count(f"rows {lag} apart, ", batch[:MOST_ROWS], batch[lag:MOST_ROWS])
        self.before = batch

    def _count(self, kind: str, earlier: Integers, later: Integers) -> None:
        """Count pairs, as many as there are of both."""
        size = min(len(earlier), len(later))
        rows = np.concatenate([earlier[:size], later[:size]])
        if size:
            self.counts[kind] += pairs.pair_counts(rows, len(self.probs), lag=size)

    def result(self, demand: Demand, labels: Labels) -> CheckResult:
        """Return what the check of consecutive pairs finds, unless that of other pairs fails.

        Consecutive ones have half of the false-fail rate, and the others share the other half.  Of
        those that fail, the kind with the largest e-value is told.
        """
        half = halved(demand)
        share = ErrorBudget(checks=len(self.counts) - 1, false_fail_rate=half.false_fail_rate)
        others = replace(demand, false_fail_rate=share.per_check)
        found = {
            kind: pairs.log_e_of_pairs(counts, self.probs) for kind, counts in self.counts.items()
        }
        kind = max(found, key=found.__getitem__)
        if found[kind] < -math.log(others.false_fail_rate):
            kind = CONSECUTIVE
        rates = others if kind else half
        result = pairs.check_pairs(self.counts[kind], self.probs, demand=rates, labels=labels)
        assert result.risk is not None
        risk = replace(result.risk, false_fail_rate=demand.false_fail_rate)
        return replace(result, detail=f"{kind}{result.detail}", risk=risk)
