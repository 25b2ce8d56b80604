"""Races: independent noise of which only the first is asked for.

The first of several entrants is each with probability ``rate_i / sum(rates)``: one categorical
draw, with exact weights.  The same race is written in many ways: ``argmin(e / p)``, ``argmax(p /
e)``, ``argmax(logits + gumbel)``, ``argmax(log p - log e)``, ``argmax(u ** (1 / p))``, with ``e``
and ``gumbel`` made by a library or by hand.  `entrants` says which.

Who comes first tells nothing about when, so the first of some may race others (a maximum taken
step by step), and those left behind race on as if anew (a ranking, a choice without replacement;
the last of a race is the last of its ranking).  Noise shared by *two* races is a joint draw, and
its law is exact too: `shared_noise`.  A third race, or any other use of noise that has raced, is
refused.

Times are continuous here, whatever the resolution of the uniform that they are made of.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from specdec_grids.affine import opaque
from specdec_grids.resolutions import Ratio
from specdec_grids.trails import Choice, Trail
from specdec_verification.subjects.curves import Item
from specdec_verification.subjects.entrants import Entrant, Runner, entrant
from specdec_verification.subjects.shared_noise import Rates, second_race

UNDERSTOOD = (
    "two draws can be compared as items of a race (p / e, e / p, logits + gumbel, log p - log e), "
    "and noise may run in two races, each among all of its items"
)

MAX_RANKED = 6
"""How many may run in a race of which the last is asked for: every order is a path."""


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


def compare(one: Item, relation: str, other: Item) -> bool:
    """Return whether one symbol has the relation to another."""
    if one.draw is other.draw and (one.scale, one.shift) == (other.scale, other.shift):
        return relation in ("<=", ">=")
    return winner([one, other], largest=relation in (">", ">=")) == 0


def winner(items: Sequence[Any], *, largest: bool) -> int:
    """Return which of several items is the largest, or the smallest.

    Parameters
    ----------
    items : sequence of Symbol or number
        A number among them must lie beyond every value that the symbols can take.
    largest : bool
        Which is asked for.
    """
    racing = [place for place, item in enumerate(items) if _is_noise(item)]
    if len(racing) < len(items):
        numbers = {place: _number(item) for place, item in enumerate(items) if place not in racing}
        best = _best_number(numbers, largest)
        if not racing:
            return best
        low = min(items[place].span[0] for place in racing)
        high = max(items[place].span[1] for place in racing)
        if numbers[best] >= high or numbers[best] <= low:
            if (numbers[best] >= high) == largest:
                return best
        else:
            opaque(f"comparison of noise with {numbers[best]} in a race", UNDERSTOOD)
    entrants = [_require_entrant(items[place]) for place in racing]
    if len({(one.scale, one.earliest_is_largest) for one in entrants}) > 1:
        opaque("comparison of draws that are items of different races", UNDERSTOOD)
    if entrants[0].earliest_is_largest != largest:
        return racing[_last([items[place] for place in racing], not largest)]
    return racing[first(entrants)]


def _last(items: Sequence[Item], largest: bool) -> int:
    """Return which of several items comes last, where the largest or the smallest is first."""
    if len(items) > MAX_RANKED:
        opaque(f"search for the last of {len(items)} in a race, not the first", UNDERSTOOD)
    return ranking(items, largest=largest)[-1]


def ascending(items: Sequence[Item]) -> list[int]:
    """Return the places of the items from the smallest to the largest."""
    found = next(filter(None, map(entrant, filter(_is_noise, items))), None)
    if found is not None and found.earliest_is_largest:
        return ranking(items, largest=True)[::-1]
    return ranking(items, largest=False)


def _is_noise(item: Item) -> bool:
    return hasattr(item, "draw") and item.scale != 0


def ranking(items: Sequence[Any], *, largest: bool, count: int | None = None) -> list[int]:
    """Return the places of the first ``count`` items in order: race after race of those left.

    Parameters
    ----------
    items : sequence of Symbol or number
    largest : bool
        Whether the largest comes first, or the smallest.
    count : int or None
        How many; all, unless told otherwise.
    """
    left = list(range(len(items)))
    ranked: list[int] = []
    while left and len(ranked) != count:
        ranked.append(left.pop(winner([items[place] for place in left], largest=largest)))
    return ranked


def _number(item: Item) -> Item:
    return item.shift if hasattr(item, "draw") else item


def _best_number(numbers: Mapping[int, Any], largest: bool) -> int:
    pick = max if largest else min
    return pick(numbers, key=numbers.__getitem__)


def _require_entrant(item: Item) -> Entrant:
    found = entrant(item)
    if found is None:
        opaque("comparison of two draws", UNDERSTOOD)
    return found


def first(entrants: Sequence[Entrant]) -> int:
    """Return which entrant comes first; the others are followed later."""
    draw = entrants[0].draw
    for one in entrants:
        one.draw.require_of_this_run()
    if draw.number is not None:
        return min(range(len(entrants)), key=lambda place: entrants[place].time)
    fastest = _fastest(entrants)
    places = list(fastest.values())
    if len(places) == 1:
        return places[0]
    rates = {runner: entrants[place].rate for runner, place in fastest.items()}
    asked = (max(index for index, _ in rates), "race", tuple(rates.items()))
    trail: Trail[Any] = draw.trail
    choice = trail.again(asked)
    if choice is None:
        standings = [standing_of(entrants[place]) for place in places]
        outcomes = _outcomes(rates, [standing for standing in standings if standing])
        choice = trail.fork(asked, _choices(trail.weight, outcomes))
    return places[choice.answer]


def _fastest(entrants: Sequence[Entrant]) -> dict[Runner, int]:
    """Return each noise's place; of entrants that share it the fastest is always ahead."""
    fastest: dict[Runner, int] = {}
    for place, one in enumerate(entrants):
        held = fastest.get(one.runner)
        if held is None or one.rate > entrants[held].rate:
            fastest[one.runner] = place
    if len({index for index, _ in fastest}) < len(fastest):
        opaque("race between noise made of u and noise made of 1 - u", UNDERSTOOD)
    return fastest


def _choices(weight: Ratio, outcomes: Sequence[tuple[Fraction, Standing]]) -> list[Choice[Any]]:
    """Return every possible outcome of a race, with the weight of the path it leads to."""
    total = sum(share for share, _ in outcomes)
    numerator, denominator = weight
    choices = []
    for answer, (share, standing) in enumerate(outcomes):
        part = share / total
        if part:
            weight = numerator * part.numerator, denominator * part.denominator
            choices.append(Choice(answer, standing, weight))
    return choices


def _outcomes(rates: Rates, held: Sequence[Standing]) -> list[tuple[Fraction, Standing]]:
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
        opaque("third race over the same noise", UNDERSTOOD)
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
