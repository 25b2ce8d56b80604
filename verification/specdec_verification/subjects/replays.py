"""Numbers that lead a program down one path, chosen from what the path tells of its draws.

A draw that was compared with numbers gets the middle of what is left of it.  Noise that raced gets
times in the order in which it arrived; noise that ran in two races gets times between the two
bounds that the winners set.  Played back, they must lead to the same outcome: that is how a
malfunction is told from an operation that only a symbol cannot do.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from specdec_grids.trails import Trail
from specdec_verification.subjects.entrants import Runner
from specdec_verification.subjects.shared_noise import Rates
from specdec_verification.subjects.standings import Result, Standing
from specdec_verification.subjects.stream_draw import StreamDraw

_BEHIND = Fraction(3, 2)
"""How much later than it must those arrive who came first in no race."""


class _Race(NamedTuple):
    """A race as the trail remembers it."""

    rates: Rates
    first: Runner
    standing: Standing


def numbers_of(trail: Trail[Any], draws: list[StreamDraw]) -> list[float]:
    """Return a number for each draw of the run that the trail stands at the end of."""
    times = _times(trail)
    return [times[draw.index] if draw.index in times else _middle(draw) for draw in draws]


def _middle(draw: StreamDraw) -> float:
    return float(draw.resolution.representative(draw.interval))


def _times(trail: Trail[Any]) -> dict[int, float]:
    """Return the uniforms of all noise that raced."""
    races = [
        _race(question)
        for question in trail.questions
        if isinstance(question.choice.state, Standing)
    ]
    arrivals: dict[Runner, Fraction] = {}
    for race in reversed(races):
        if len(race.standing.results) == 2:
            found: Mapping[Runner, Fraction] = _of_two(*race.standing.results)
        else:
            found = _in_order(race, arrivals)
        arrivals = {**found, **arrivals}
    return {runner[0]: _uniform(runner, time) for runner, time in arrivals.items()}


def _race(question: Any) -> _Race:  # noqa: ANN401  (one that is a race's)
    rates = dict(question.asked[2])
    return _Race(rates, list(rates)[question.choice.answer], question.choice.state)


def _in_order(race: _Race, arrivals: Mapping[Runner, Fraction]) -> dict[Runner, Fraction]:
    """Return times of arrival at which the first is first; ``arrivals`` are those that stand."""
    unit = 1 / sum(race.standing.results[0].rates.values(), Fraction(0))
    ahead = arrivals.get(race.first, unit / 2 * race.rates[race.first]) / race.rates[race.first]
    times = {runner: rate * ahead * _BEHIND for runner, rate in race.rates.items()}
    return {**times, race.first: race.rates[race.first] * ahead}


def _of_two(one: Result, other: Result) -> dict[Runner, Fraction]:
    """Return times at which each of two races over the same noise has its winner."""
    low = one.rates.get(other.first, Fraction(0)) / other.rates[other.first]
    high = one.rates[one.first] / other.rates[one.first] if one.first in other.rates else None
    ratio = low if one.first == other.first else low + 1 if high is None else (low + high) / 2
    runners = {**one.rates, **other.rates}
    zero, unit = Fraction(0), 1 / sum(runners.values(), Fraction(0))
    times = {
        runner: max(one.rates.get(runner, zero), other.rates.get(runner, zero) * ratio) * unit
        for runner in runners
    }
    winners = (one.first, other.first)
    return {runner: time if runner in winners else time * _BEHIND for runner, time in times.items()}


def _uniform(runner: Runner, time: Fraction) -> float:
    """Return the uniform whose noise arrives at a time."""
    number = math.exp(-float(time))
    return 1 - number if runner[1] else number
