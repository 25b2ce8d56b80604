import math
from fractions import Fraction
from typing import Any

import pytest

from specdec_grids.trails import Trail
from specdec_grids.walking import walk
from specdec_verification.subjects import runs
from specdec_verification.subjects.noise import Symbol
from specdec_verification.subjects.replays import numbers_of
from specdec_verification.subjects.running import current
from specdec_verification.subjects.streams import StreamDraws, as_drawn


def uniform(place: int) -> Any:  # noqa: ANN401
    return current().draw(("tests",), place, "uniform").symbol()


def numbers(emit: Any) -> list[tuple[Any, list[float]]]:  # noqa: ANN401
    trail: Trail[Any] = Trail()
    draws = StreamDraws(trail, as_drawn)
    return [
        (outcome, numbers_of(trail, draws.of_this_run()))
        for outcome, _ in walk(lambda _: runs.run_once(emit, draws), trail, draws)
    ]


def test_a_compared_draw_gets_the_middle_of_what_is_left() -> None:
    assert numbers(lambda: uniform(0) < 0.5) == [(True, [0.25]), (False, [0.75])]


def test_a_draw_never_asked_gets_the_middle_of_all() -> None:
    assert numbers(lambda: isinstance(uniform(0), Symbol)) == [(True, [0.5])]


def test_raced_noise_gets_times_in_the_order_of_arrival() -> None:
    def raced() -> int:
        items = [weight / -uniform(place).log() for place, weight in enumerate([1, 2, 3])]
        return max(range(3), key=items.__getitem__)

    for winner, drawn in numbers(raced):
        times = [-math.log(u) / weight for u, weight in zip(drawn, [1, 2, 3], strict=True)]
        assert min(times) == times[winner]


def test_noise_in_two_races_lets_both_winners_win() -> None:
    rates = [Fraction(1), Fraction(2), Fraction(4)]

    def both() -> tuple[int, int]:
        from specdec_verification.subjects.races import winner

        noise = [-uniform(place).log() for place in range(3)]
        pairs = [[r / e for r, e in zip(row, noise, strict=True)] for row in (rates, rates[::-1])]
        return winner(pairs[0], largest=True), winner(pairs[1], largest=True)

    found = numbers(both)
    assert len(found) > 3
    for (first, second), drawn in found:
        times = [-math.log(u) for u in drawn]
        assert min(range(3), key=lambda k, t=times: t[k] / rates[k]) == first
        assert min(range(3), key=lambda k, t=times: t[k] / rates[2 - k]) == second


def test_more_draws_than_numbers_end_a_replay() -> None:
    assert runs.replay(lambda: uniform(1) < uniform(0), [0.5]) is runs.ABANDONED


@pytest.mark.parametrize(("number", "expected"), [(0.25, 0), (0.75, 1)])
def test_symbols_made_by_hand_are_answered_by_numbers(number: float, expected: int) -> None:
    def by_hand() -> list[Any]:
        drawn = current().draw(("tests",), 0, "uniform")
        symbol = Symbol(drawn, 1, 0)
        race = -symbol.log() < -(1 - Symbol(current().draw(("tests",), 1, "uniform"), 1, 0)).log()
        return [symbol.place([0.5], True), symbol < 0.5, drawn.choose([1, 1]), race]

    assert runs.replay(by_hand, [number, 0.5]) == (
        expected,
        not expected,
        expected,
        bool(expected),
    )
