"""Samplers: code whose draws cannot be controlled, asked for batches until there is a verdict.

What a sampler emits is completed to one length (`completed_draws`) and set against the target's
joint law.  Batches grow: a failing sampler is stopped at the first look at which its e-value says
so, however few draws that takes; one that does not fail goes on to the planned draws, where ``G``
is asked too.

Three checks share the false-fail rate: of the law (`fit`, or `prefix_e_process` where sequences
are too many to number), of independence (`pairs`, of a draw from the one before, from the same row
of the batch before, and from rows half a batch or a power of two apart), and of regularity
(`regularity`).

A sampler is judged by the batches that it was asked for.  What goes wrong in larger ones alone, or
in the last row of each, is a small part of few draws, and no check here is sure to see it.

Not here: which instance to spend the draws on, and what they cost (see `planning`).
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from specdec_verification.emissions import Malfunction
from specdec_verification.results import CheckResult
from specdec_verification.statistics import e_process, prefix_e_process
from specdec_verification.statistics.completed_draws import MAX_SEQUENCES, numbered
from specdec_verification.statistics.error_budget import ErrorBudget
from specdec_verification.statistics.fit import halved
from specdec_verification.statistics.power import least_draws
from specdec_verification.statistics.sampled import Demand, Drawn, Finding, concluded
from specdec_verification.subjects.sampler_counts import SampleCounts, counts_of
from specdec_verification.subjects.sampling import SampledSubject, Sampling, drawn_batch

CHECKS = 3
"""They share the rate: law, independence, regularity."""


def check_sampler(
    subject: SampledSubject, demand: Demand, sampling: Sampling, rng: np.random.Generator
) -> tuple[CheckResult, ...]:
    """Check a sampler until there is a verdict: its law, its independence and its regularity.

    Parameters
    ----------
    subject : SampledSubject
    demand : Demand
        Both error rates, the false-fail rate of all three checks together, and the total
        variation of the joint law that a pass must rule out.
    sampling : Sampling
    rng : Generator
        Given to the sampler, and a child of it to complete its rounds.

    Returns
    -------
    tuple of CheckResult
        The law first.  It alone is returned if the sampler raises, or emits what is no token: that
        is a failure.  Regularity is checked where sequences can be numbered.

    Raises
    ------
    ShapeError
        If what the sampler returns has not the shapes ``(n, L)`` and ``(n,)``.
    """
    return judged_sampler(subject, demand, sampling, rng).results


class Judged(NamedTuple):
    """What the checks of a sampler found, and the counts that they found it with."""

    results: tuple[CheckResult, ...]
    counts: SampleCounts


def judged_sampler(
    subject: SampledSubject, demand: Demand, sampling: Sampling, rng: np.random.Generator
) -> Judged:
    """Check a sampler as `check_sampler` does, and return its counts too."""
    counts, part = counts_of(subject), share_of(demand)
    (completing,) = rng.spawn(1)
    for batch in sampling.batches():
        drawn = drawn_batch(subject, batch, rng)
        if isinstance(drawn, Malfunction):
            return Judged((malfunctioned(drawn, subject, part),), counts)
        counts.add(*drawn, completing)
        look = counts.look(part)
        sampling.watch(look)
        if look.log10_e >= counts.rejects_from(part):
            break
    return Judged(counts.results(part, sampling.planned_draws), counts)


def planned_draws(subject: SampledSubject, demand: Demand) -> int:
    """Return how many draws are sure to show the total variation that a pass must rule out.

    It is the e-process that is sure to see it by then; ``G`` sees it with fewer, if no sequence
    is rare.
    """
    part = share_of(demand)
    if subject.sequences > MAX_SEQUENCES:
        return prefix_e_process.draws_needed(demand.max_tv, subject.sequences, **part.rates)
    probs = numbered(subject.target, subject.horizon).probs
    possible, half = probs[probs > 0], halved(part)
    return least_draws(lambda draws: e_process.detectable_tv(possible, draws, half), demand.max_tv)


def share_of(demand: Demand) -> Demand:
    """Return what is asked of each of the checks."""
    share = ErrorBudget(checks=CHECKS, false_fail_rate=demand.false_fail_rate).per_check
    return replace(demand, false_fail_rate=share)


def malfunctioned(broken: Malfunction, subject: SampledSubject, demand: Demand) -> CheckResult:
    """Return the failure that a batch is which raises, or holds what is no token."""
    finding = Finding(rejected=True, min_detectable_tv=1.0, detail=f"a batch {broken.reason}")
    return concluded("sampler", finding, Drawn(0, None), demand, subject.labels)
