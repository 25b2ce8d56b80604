"""What is known of noise that has raced, and what another race over it can then come to.

Who comes first tells nothing about when, so the first of some may race others, and those left
behind race on as if anew.  A second race over the same noise at other rates is a joint draw
(`shared_noise`).  A third, or one among runners of several earlier races, is refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from specdec_grids.affine import opaque
from specdec_verification.subjects.entrants import Entrant, Runner
from specdec_verification.subjects.shared_noise import Rates, second_race

UNDERSTOOD = (
    "two draws can be compared as items of a race (p / e, e / p, logits + gumbel, log p - log e), "
    "and noise may run in two races, each among all of its items"
)
_ORDERED = "to put items in order, use one sorted(), heapq.nlargest, argsort, sort or topk"


@dataclass(frozen=True, slots=True)
class Result:
    """Who came first in a race, at which rates."""

    rates: Rates
    first: Runner


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of noise that has raced.

    Attributes
    ----------
    results : tuple of Result
        Of the races over one set of noise: one or two.
    in_steps : bool
        Whether more is known than who came first: some were ahead of others on the way.
    behind : bool
        Whether all of them are known to come after another one, the first of an earlier race.
    """

    results: tuple[Result, ...]
    in_steps: bool = False
    behind: bool = False

    def holds(self, index: int) -> bool:
        """Return whether a draw is among those that raced."""
        return any(runner[0] == index for result in self.results for runner in result.rates)


def outcomes_of(rates: Rates, held: Sequence[Standing]) -> list[tuple[Fraction, Standing]]:
    """Return the share of each runner's being first, and what is known of the noise then."""
    apart = len({id(standing) for standing in held})
    if apart == len(held) and all(_ahead(standing, rates) for standing in held):
        return _run_on(rates, held)
    if apart > 1:
        opaque("race between noise of several earlier races", UNDERSTOOD)
    known = _known(held[0], rates)
    if known is not None:
        return [(Fraction(runner == known), held[0]) for runner in rates]
    if held[0].in_steps or len(held[0].results) > 1:
        opaque("third race over the same noise", f"{UNDERSTOOD}; {_ORDERED}")
    if _left_behind(held[0], rates):
        # What is left of their times is distributed as the whole was: it is a race of its own.
        return [
            (rate, Standing((Result(rates, runner),), behind=True))
            for runner, rate in rates.items()
        ]
    if held[0].behind:
        opaque("race at other rates, among those who were not first", UNDERSTOOD)
    result = held[0].results[0]
    return [
        (share, Standing((result, Result(rates, runner))))
        for runner, share in second_race(result.rates, result.first, rates).items()
    ]


def standing_of(one: Entrant) -> Standing | None:
    """Return what is known of an entrant's noise, or ``None`` if it is nothing yet."""
    for question in reversed(one.draw.trail.questions):
        state = question.choice.state
        if isinstance(state, Standing) and state.holds(one.draw.index):
            if not any(one.runner in result.rates for result in state.results):
                opaque("race between noise made of u and noise made of 1 - u", UNDERSTOOD)
            return state
    if not one.draw.untouched:
        opaque("race of noise that was compared with a number before", UNDERSTOOD)
    return None


def _ahead(standing: Standing, rates: Rates) -> bool:
    """Return whether the first of an earlier race runs on as it did there, and it alone."""
    (result, *more) = standing.results
    if more or standing.behind:
        return False
    among = [runner for runner in rates if standing.holds(runner[0])]
    return among == [result.first] and rates[result.first] == result.rates[result.first]


def _left_behind(standing: Standing, rates: Rates) -> bool:
    """Return whether those who were not first run on as they did, without the first."""
    (result,) = standing.results
    return all(
        runner != result.first and result.rates.get(runner) == rate
        for runner, rate in rates.items()
    )


def _run_on(rates: Rates, held: Sequence[Standing]) -> list[tuple[Fraction, Standing]]:
    """Race fresh noise, and the firsts of earlier races: the first of some arrives at all rates."""
    earlier = {standing.results[0].first: standing.results[0].rates for standing in held}
    everyone = {
        **rates,
        **{runner: rate for group in earlier.values() for runner, rate in group.items()},
    }
    shares = {
        runner: sum(earlier.get(runner, {runner: rate}).values()) for runner, rate in rates.items()
    }
    return [
        (Fraction(share), Standing((Result(everyone, runner),), in_steps=bool(held)))
        for runner, share in shares.items()
    ]


def _known(standing: Standing, rates: Rates) -> Runner | None:
    """Return who is first, if an earlier race over these runners at these rates tells."""
    for result in standing.results:
        same = all(result.rates.get(runner) == rate for runner, rate in rates.items())
        if same and result.first in rates:
            return result.first
    return None
