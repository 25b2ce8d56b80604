"""A sampler's draws in a ledger: a later run goes on where the last one stopped.

Batches are numbered, and the number of one, with the seed, determines its generator; so a batch
that is there need not be drawn again, and a run that was killed ends with the totals of one that
was not.  The e-process is looked at after every batch, of this run and of all before it.  Beside it
stands that of batches which repeat one another (`repeats`): a sampler that does not draw from the
generator that it is given may emit the same in every run.  Each has half of the false-fail rate.

Not here: what else independence and regularity are, which counts of batches do not show (see
`subjects.samplers`).
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import count
from time import monotonic

import numpy as np

from specdec_core.errors import GridTooLargeError
from specdec_core.models import Context
from specdec_core.parameters import require_integer
from specdec_verification.emissions import Malfunction
from specdec_verification.ledger.store import Ledger
from specdec_verification.ledger.streams import Stream
from specdec_verification.results import CheckResult, Verdict
from specdec_verification.statistics.completed_draws import (
    MAX_SEQUENCES,
    completed,
    count_sequences,
    joint_law,
)
from specdec_verification.statistics.e_process import e_value_test, log_e_of
from specdec_verification.statistics.fit import halved
from specdec_verification.statistics.repeats import Repeats
from specdec_verification.statistics.sampled import Demand, Finding, Tally, conclude
from specdec_verification.subjects.samplers import malfunctioned
from specdec_verification.subjects.sampling import Look, SampledSubject, Sampling, drawn_batch


@dataclass(frozen=True, slots=True)
class Batches:
    """Numbered batches of one size.

    Attributes
    ----------
    seed : int
        Of all of them, at least zero.
    size : int
        Draws of each, at least one.
    """

    seed: int
    size: int

    def __post_init__(self) -> None:
        require_integer(self.seed, "seed", minimum=0)
        require_integer(self.size, "size", minimum=1)

    @property
    def policy(self) -> str:
        """What a `Stream` calls it; batches of another size or seed are another stream."""
        return f"seed {self.seed}, a generator for each batch of {self.size}"

    def counts(self, subject: SampledSubject, number: int) -> Counter[Context] | Malfunction:
        """Draw a batch, complete it, and count its sequences."""
        rng = np.random.default_rng([self.seed, number])
        (completing,) = rng.spawn(1)
        drawn = drawn_batch(subject, self.size, rng)
        if isinstance(drawn, Malfunction):
            return drawn
        return Counter(count_sequences(completed(*drawn, subject.target, completing)))


def check_sampler_on_ledger(
    ledger: Ledger,
    stream: Stream,
    subject: SampledSubject,
    batches: Batches,
    demand: Demand,
    sampling: Sampling,
) -> CheckResult:
    """Draw the batches that a ledger lacks, until there is a verdict on all that it holds.

    Parameters
    ----------
    ledger : Ledger
        Told of every batch before it is judged.
    stream : Stream
        Its seed policy is ``batches.policy``.
    subject : SampledSubject
        Of at most `statistics.completed_draws.MAX_SEQUENCES` sequences.
    batches : Batches
    demand : Demand
        Of the whole stream, over all runs.
    sampling : Sampling
        Says after how many draws of all runs to stop without a verdict, how long this run may
        take, and who watches.

    Raises
    ------
    GridTooLargeError
        If there are more sequences than that.
    LedgerError
        If a batch cannot be written; those before it are kept.
    """
    if subject.sequences > MAX_SEQUENCES:
        raise GridTooLargeError(
            f"subject {subject.labels.subject} has {subject.sequences} sequences, at most "
            f"{MAX_SEQUENCES} are counted one by one in a ledger; `check_sampler` counts more"
        )
    law = joint_law(subject.target, subject.horizon)
    there, counts = ledger.batches(stream), Counter[Context]()
    repeats = Repeats(dict(enumerate(subject.target(()))))
    for earlier in there.values():
        counts.update(earlier)
        repeats.add(_first_tokens(earlier))
    missing = (number for number in count() if str(number) not in there)
    end = monotonic() + sampling.max_seconds
    while True:
        tally = Tally(counts, law)
        test = partial(_test, repeats)
        result = conclude("e_process", test, tally, demand, subject.labels)
        sampling.watch(_look(tally, result))
        over = tally.draws >= sampling.planned_draws or monotonic() >= end or sampling.stopped()
        if over or result.verdict is not Verdict.INCONCLUSIVE:
            return result
        number = next(missing)
        batch = batches.counts(subject, number)
        if isinstance(batch, Malfunction):
            return malfunctioned(batch, subject, demand)
        ledger.report(stream, str(number), batch)
        counts.update(batch)
        repeats.add(_first_tokens(batch))


def _first_tokens(counts: Mapping[Context, int]) -> Counter[int]:
    """Return the counts of the first tokens, which every round emits: no other is drawn by us."""
    first: Counter[int] = Counter()
    for tokens, often in counts.items():
        first[tokens[0]] += often
    return first


def _test(repeats: Repeats[int], tally: Tally[Context], demand: Demand) -> Finding:
    """Return what the e-value of the draws finds, unless batches repeat one another."""
    half = halved(demand)
    if repeats.log_e < -math.log(half.false_fail_rate):
        return e_value_test(tally, half)
    detail = (
        f"{repeats.last}: log10 of the e-value {repeats.log_e / math.log(10):.3g}"
        ", batches are not drawn anew"
    )
    return Finding(rejected=True, min_detectable_tv=1.0, detail=detail)


def _look(tally: Tally[Context], result: CheckResult) -> Look:
    assert result.risk is not None
    return Look(
        tally.draws,
        tally.total_variation or 0.0,
        log_e_of(tally) / math.log(10) if tally.draws else 0.0,
        result.risk.min_detectable_tv,
    )
