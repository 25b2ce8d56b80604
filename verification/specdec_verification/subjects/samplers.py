"""Samplers: code whose draws cannot be controlled, asked for batches until there is a verdict.

What a sampler emits is completed to one length (`completed_draws`) and set against the target's
joint law.  Batches grow: a failing sampler is stopped at the first look at which its e-value says
so, however few draws that takes; one that does not fail goes on to the planned draws, where ``G``
is asked too.

Three checks share the false-fail rate: of the law (`fit`, or `prefix_e_process` where sequences
are too many to number), of independence (`pairs`, of a draw from the one before and from the same
row of the batch before), and of regularity (`regularity`).

Not here: which instance to spend the draws on, and how many there should be (see `planning`).
"""

from dataclasses import replace

import numpy as np

from specdec_verification.emissions import Malfunction
from specdec_verification.results import CheckResult
from specdec_verification.statistics.error_budget import ErrorBudget
from specdec_verification.statistics.sampled import Demand, Drawn, Finding, concluded
from specdec_verification.subjects.sampler_counts import counts_of
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
    counts = counts_of(subject)
    share = ErrorBudget(checks=CHECKS, false_fail_rate=demand.false_fail_rate).per_check
    part = replace(demand, false_fail_rate=share)
    (completing,) = rng.spawn(1)
    for batch in sampling.batches():
        drawn = drawn_batch(subject, batch, rng)
        if isinstance(drawn, Malfunction):
            return (_malfunctioned(drawn, subject, part),)
        counts.add(*drawn, completing)
        look = counts.look(part)
        sampling.watch(look)
        if look.log10_e >= counts.rejects_from(part):
            break
    return counts.results(part, sampling.planned_draws)


def _malfunctioned(broken: Malfunction, subject: SampledSubject, demand: Demand) -> CheckResult:
    finding = Finding(rejected=True, min_detectable_tv=1.0, detail=f"a batch {broken.reason}")
    return concluded("sampler", finding, Drawn(0, None), demand, subject.labels)
