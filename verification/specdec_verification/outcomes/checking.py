"""Outcomes against the law claimed of them: completed with the target, then tested.

An outcome of a lossless round is as long as the rule pleases.  Completed to ``L`` tokens with the
target's own conditional probabilities it has the target's joint law (`specdec_core.laws`), and so
have counts of outcomes that are completed by draws: each short outcome's count is shared out among
its continuations by one multinomial draw, whatever the count.

The e-value tests them (`e_process`, or one a prefix where there are many sequences): whoever wrote
the file may have stopped when he liked.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from specdec_core.errors import MissingContextError
from specdec_core.instances import Instance
from specdec_core.models import Context, ContextModel
from specdec_verification.outcomes.reading import read_outcomes
from specdec_verification.results import CheckResult, Labels
from specdec_verification.statistics.completed_draws import MAX_SEQUENCES, joint_law
from specdec_verification.statistics.e_process import check_e_process
from specdec_verification.statistics.prefix_e_process import check_prefix_e_process
from specdec_verification.statistics.sampled import Demand


def check_outcomes(
    path: Path,
    rng: np.random.Generator,
    *,
    demand: Demand,
    labels: Labels,
    instance: Instance | None = None,
) -> CheckResult:
    """Check a file of outcomes against the joint law of its instance's target.

    Parameters
    ----------
    path : Path
        Ends in ``.jsonl``, ``.csv``, ``.npz`` or ``.parquet``; see the modules that read them.
    rng : numpy.random.Generator
        Completes short outcomes.
    demand : Demand
        Both error rates, and the total variation that a pass must rule out.
    labels : Labels
        What the result is called.
    instance : Instance or None
        Takes the place of the one that the file names.

    Raises
    ------
    InvalidOutcomesError, InvalidInstanceError, InvalidParameterError
        As `specdec_verification.outcomes.reading.read_outcomes` does.
    """
    return completed_outcomes(path, rng, instance).check(demand, labels)


@dataclass(frozen=True, slots=True)
class CompletedOutcomes:
    """Counts of sequences of one length, and the target whose law they should have.

    Attributes
    ----------
    counts : mapping of tuple of int to int
    target : ContextModel
    length : int
    """

    counts: Mapping[Context, int]
    target: ContextModel
    length: int

    @property
    def sequences(self) -> int:
        """How many sequences there are."""
        return int(len(self.target(())) ** self.length)

    def check(self, demand: Demand, labels: Labels) -> CheckResult:
        """Return what their e-value makes of them."""
        if self.sequences > MAX_SEQUENCES:
            return check_prefix_e_process(self.counts, self.target, demand=demand, labels=labels)
        law = joint_law(self.target, self.length)
        return check_e_process(self.counts, law, demand=demand, labels=labels)


def completed_outcomes(
    path: Path, rng: np.random.Generator, instance: Instance | None = None
) -> CompletedOutcomes:
    """Return the counts of a file, completed; parameters and errors are `check_outcomes`'s."""
    outcomes = read_outcomes(path, instance)
    target, longest = outcomes.instance.target, outcomes.longest
    counts = complete_counts(outcomes.counts, target, longest, rng)
    return CompletedOutcomes(counts, target, longest)


def complete_counts(
    counts: Mapping[Context, int],
    target: ContextModel,
    length: int,
    rng: np.random.Generator,
) -> dict[Context, int]:
    """Return counts of outcomes of one length, the missing tokens drawn from the target.

    Parameters
    ----------
    counts : mapping of tuple of int to int
        Of outcomes of at most ``length`` tokens.
    target : ContextModel
        Asked for the row after every outcome that is too short.
    length : int
    rng : numpy.random.Generator

    Notes
    -----
    Where the target has no row after an outcome, that outcome is one that it rules out, and any
    token will do: 0 follows.
    """
    grown = dict(counts)
    for size in range(1, length):
        short = [(outcome, grown.pop(outcome)) for outcome in list(grown) if len(outcome) == size]
        for outcome, count in short:
            for token, part in _followers(outcome, count, target, rng):
                longer = (*outcome, token)
                grown[longer] = grown.get(longer, 0) + part
    return grown


def _followers(
    outcome: Context, count: int, target: ContextModel, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Return the tokens that follow an outcome, and how often each does."""
    try:
        row = target(outcome)
    except MissingContextError:
        return [(0, count)]
    probs = np.array([float(row[token]) for token in row.support])
    parts = rng.multinomial(count, probs / probs.sum()).tolist()
    return [(token, part) for token, part in zip(row.support, parts, strict=True) if part]
