"""A split-event witness: one event, chosen on half of the draws and tested on the other half.

Over a huge vocabulary no test of all cells has power, and none is needed to convict: some *set* of
outcomes is drawn too often.  One half of the draws chooses it, as the outcomes that were seen more
often than the law expects; on the other half the count of that set is binomial, exactly, if the law
is right, however the set was chosen.  Nothing is a limit and nothing is pooled, and the work is one
pass over the outcomes that were seen.

On rejection the Clopper-Pearson bound [1]_ on the set's true probability certifies a total
variation: the law is at least so far off, by the event itself.

What the check can see is bounded, too.  The set that the first half chooses is as good as the best
one, but for how far the frequencies of the first half can lie from their own law
(`certificates.radius`), and for the luck of the best set itself; Hoeffding's inequality does the
rest.  So `min_detectable_tv` holds at every number of draws, with many outcomes is large, and what
is really seen is often much smaller.

Not here: looking more than once.

References
----------
.. [1] Clopper, Pearson, "The use of confidence or fiducial limits illustrated in the case of the
   binomial", Biometrika 26, 1934.
"""

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic

from scipy.stats import beta, binom

from specdec_core.distributions import Prob
from specdec_verification.results import CheckResult, Labels
from specdec_verification.statistics.certificates import radius
from specdec_verification.statistics.power import least_draws, require_count, require_rates
from specdec_verification.statistics.sampled import (
    Demand,
    Drawn,
    Finding,
    Outcome,
    Tally,
    concluded,
)


@dataclass(frozen=True, slots=True)
class Witness(Generic[Outcome]):
    """An event, and how often it happened in draws that had no part in its choice.

    Attributes
    ----------
    event : frozenset
        Outcomes.
    prob : Fraction or float
        What the law gives the event.
    got, draws : int
        How often it happened, and out of how many.
    """

    event: frozenset[Outcome]
    prob: Prob
    got: int
    draws: int

    @property
    def p_value(self) -> float:
        """The chance of so many or more, under the law; exact."""
        if not self.draws or not self.got:
            return 1.0
        # As floats, since scipy takes no integer past 64 bits.
        got, draws = float(self.got), float(self.draws)
        return float(binom.sf(got - 1, draws, min(1.0, float(self.prob))))

    def certified_tv(self, false_fail_rate: float) -> float:
        """Return a total variation that the law exceeds, but for a chance of the rate given.

        >>> Witness(frozenset({0}), 0.25, 0, 10).certified_tv(0.01)
        0.0
        """
        if not self.got:
            return 0.0
        others = float(self.draws - self.got)
        lower = float(beta.ppf(false_fail_rate, float(self.got), others + 1))
        return max(0.0, lower - float(self.prob))


def choose_event(
    counts: Mapping[Outcome, int], expected_law: Mapping[Outcome, Prob]
) -> frozenset[Outcome]:
    """Return the outcomes that were drawn more often than the law expects.

    Parameters
    ----------
    counts : mapping of outcome to int
        At least zero.
    expected_law : mapping of outcome to Fraction or float
        An outcome that it does not list has probability zero.

    Examples
    --------
    >>> choose_event({"a": 3, "b": 1}, {"a": 0.5, "b": 0.25, "c": 0.25})
    frozenset({'a'})
    """
    draws = sum(counts.values())
    return frozenset(
        outcome for outcome, count in counts.items() if count > draws * expected_law.get(outcome, 0)
    )


def find_witness(chosen_on: Tally[Outcome], tested_on: Tally[Outcome]) -> Witness[Outcome]:
    """Return the event that one tally chooses, as it happened in the other."""
    event = choose_event(chosen_on.counts, chosen_on.law)
    return Witness(
        event,
        _mass(event, tested_on.law),
        sum(tested_on.counts.get(outcome, 0) for outcome in event),
        tested_on.draws,
    )


def check_split_event(
    halves: tuple[Mapping[Outcome, int], Mapping[Outcome, int]],
    expected_law: Mapping[Outcome, Prob],
    *,
    demand: Demand,
    labels: Labels,
) -> CheckResult:
    """Check draws against a law by one event.

    Parameters
    ----------
    halves : two mappings of outcome to int
        Counts of the draws that choose the event, and of those that test it: different draws.
    expected_law : mapping of outcome to Fraction or float
        Probability of each outcome.
    demand : Demand
        Both error rates, and the total variation that a pass must rule out.
    labels : Labels
        What the result is called.

    Returns
    -------
    CheckResult
        Its total variation is that of the draws that tested.

    Raises
    ------
    InvalidParameterError
        If a count is no integer, or negative.
    InvalidDistributionError
        If ``expected_law`` is no distribution.

    Examples
    --------
    >>> demand = Demand(false_fail_rate=1e-6, false_pass_rate=0.01, max_tv=0.25)
    >>> labels = Labels("my sampler", "lossless", "coin", "V=2", "pytest -k coin")
    >>> halves = ({0: 625, 1: 375}, {0: 650, 1: 350})
    >>> result = check_split_event(halves, {0: 0.5, 1: 0.5}, demand=demand, labels=labels)
    >>> result.detail.partition(";")[0]
    'an event of 1 outcomes, of probability 0.5, came 650 times in 1000'
    """
    first, second = (Tally(half, expected_law) for half in halves)
    witness = find_witness(first, second)
    certified = witness.certified_tv(demand.false_fail_rate)
    cells = sum(1 for prob in expected_law.values() if prob)
    unlawful = next(iter((*first.unlawful, *second.unlawful)), None)
    finding = Finding(
        rejected=witness.p_value <= demand.false_fail_rate or unlawful is not None,
        min_detectable_tv=min_detectable_tv(
            min(first.draws, second.draws),
            cells,
            **demand.rates,
        ),
        detail=_detail(witness, certified, unlawful),
    )
    drawn = Drawn(first.draws + second.draws, second.total_variation)
    return concluded("split_event", finding, drawn, demand, labels)


def min_detectable_tv(
    half: int, cells: int, *, false_fail_rate: float, false_pass_rate: float
) -> float:
    """Return a total variation that the check cannot miss.

    Parameters
    ----------
    half : int
        Draws of each half, at least zero.
    cells : int
        Outcomes of nonzero probability, at least one.
    false_fail_rate, false_pass_rate : float
        Each in ``(0, 1)``, with a sum below one.

    Returns
    -------
    float
        In ``(0, 1]``.

    Notes
    -----
    The miss is shared by three events: the frequencies of the first half are far from their law,
    the best set is rare in the first half, and the chosen one is rare in the second.

    Examples
    --------
    >>> rates = {"false_fail_rate": 1e-9, "false_pass_rate": 0.01}
    >>> round(min_detectable_tv(100_000_000, 128_000, **rates), 3)
    0.019
    """
    half = require_count(half, "half", least=0)
    cells = require_count(cells, "cells", least=1)
    require_rates(false_fail_rate, false_pass_rate)
    if not half:
        return 1.0
    miss = math.log(3 / false_pass_rate)
    chosen = radius(half, cells + 1, false_pass_rate / 3) + math.sqrt(miss / (2 * half))
    tested = (math.sqrt(-math.log(false_fail_rate) / 2) + math.sqrt(miss / 2)) / math.sqrt(half)
    return min(1.0, chosen + tested + 1 / half)


def draws_needed(tv: float, cells: int, *, false_fail_rate: float, false_pass_rate: float) -> int:
    """Return how many draws, both halves together, make ``tv`` detectable.

    Parameters and errors are those of `power.draws_needed`.
    """
    rates = {"false_fail_rate": false_fail_rate, "false_pass_rate": false_pass_rate}
    return 2 * least_draws(lambda half: min_detectable_tv(half, cells, **rates), tv)


def _mass(event: frozenset[Outcome], law: Mapping[Outcome, Prob]) -> Prob:
    probs = [law.get(outcome, 0) for outcome in event]
    if all(isinstance(prob, int | Fraction) for prob in probs):
        return sum((Fraction(prob) for prob in probs), Fraction(0))
    return math.fsum(map(float, probs))


def _detail(witness: Witness[Outcome], certified: float, unlawful: Hashable | None) -> str:
    found = (
        f"an event of {len(witness.event)} outcomes, of probability {float(witness.prob):.4g},"
        f" came {witness.got} times in {witness.draws}; p-value {witness.p_value:.3g},"
        f" total variation certified {certified:.3g}"
    )
    return found if unlawful is None else f"got {unlawful!r}, and the law rules it out; {found}"
