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
from fractions import Fraction
from typing import Any

from specdec_grids.affine import opaque
from specdec_grids.resolutions import Continuous
from specdec_grids.trails import Choice, Trail
from specdec_verification.subjects.curves import Curve, Item
from specdec_verification.subjects.entrants import NEGLIGIBLE, Entrant, Runner, entrant, guard
from specdec_verification.subjects.standings import UNDERSTOOD, Standing, outcomes_of, standing_of

GUARDED = (
    "it changes the law of the race, by an amount that is not followed; leave it out, or guard "
    f"against 0 by a number below {float(NEGLIGIBLE):.0e}, like 1e-20"
)

MAX_RANKED = 6
"""How many may run in a race of which the last is asked for: every order is a path."""


def compare(one: Item, relation: str, other: Item) -> bool:
    """Return whether one symbol has the relation to another."""
    if _spelled(one) == _spelled(other):
        return relation in ("<=", ">=")
    return winner([one, other], largest=relation in (">", ">=")) == 0


def same(one: Item, other: Item) -> bool:
    """Return whether two symbols are equal: one draw changed alike, and never two."""
    if _spelled(one) == _spelled(other):
        return True
    draws = [_root(item) for item in (one, other)]
    if draws[0] is draws[1] or any(draw.resolution != Continuous() for draw in draws):
        opaque("search for equal ones among draws", UNDERSTOOD)
    return False


def _spelled(item: Item) -> tuple[Any, ...]:
    """Return the number of the draw that a symbol is made of, and what was done to it, in order."""
    inner, change = item.draw, (Fraction(item.scale), Fraction(item.shift))
    if hasattr(inner, "index"):
        return inner.index, change
    done = inner.function.name if isinstance(inner, Curve) else (inner.side, inner.bound)
    return *_spelled(inner.inner), done, change


def _root(item: Item) -> Item:
    return item.draw if hasattr(item.draw, "index") else _root(item.draw.inner)


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


def parted(items: Sequence[Item], kth: int) -> list[int]:
    """Return the places of the items with the ``kth`` from the smallest where it belongs.

    Those on the side where the race begins are ranked, and the others are left in order of place.
    """
    count = len(items)
    if not -count <= kth < count:
        raise ValueError(f"kth(={kth}) out of bounds ({count})")
    kth %= count
    found = next(filter(None, map(entrant, filter(_is_noise, items))), None)
    from_above = found is not None and found.earliest_is_largest
    first = ranking(items, largest=from_above, count=count - kth if from_above else kth + 1)
    rest = [place for place in range(count) if place not in first]
    return [*rest, *first[::-1]] if from_above else [*first, *rest]


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
        number = guard(item)
        if number is not None:
            opaque(f"{number:g} added to noise, or its bound, in a race", GUARDED)
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
    last, _ = sorted(rates)[-1]
    asked = (last, "race", tuple(rates.items()))
    trail: Trail[Any] = draw.trail
    choice = trail.again(asked)
    if choice is None:
        standings = [standing_of(entrants[place]) for place in places]
        outcomes = outcomes_of(rates, [standing for standing in standings if standing])
        choice = trail.fork(asked, _choices(outcomes))
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


def _choices(outcomes: Sequence[tuple[Fraction, Standing]]) -> list[Choice[Any]]:
    """Return every possible outcome of a race."""
    total = sum(share for share, _ in outcomes)
    return [
        Choice(answer, standing, (share / total).as_integer_ratio())
        for answer, (share, standing) in enumerate(outcomes)
        if share
    ]
