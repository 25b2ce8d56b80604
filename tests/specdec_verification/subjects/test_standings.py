from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.errors import OpaqueDrawError
from specdec_verification.subjects.exact import exact_law
from specdec_verification.subjects.noise import Symbol
from specdec_verification.subjects.races import winner
from specdec_verification.subjects.standings import Result, Standing, outcomes_of

ONE, TWO, THREE = (0, False), (1, False), (2, False)
RATES = {ONE: Fraction(1), TWO: Fraction(2)}
RAN = Standing((Result(RATES, TWO),))


def test_a_standing_knows_who_raced() -> None:
    assert RAN.holds(0)
    assert not RAN.holds(2)


def test_fresh_noise_is_first_by_its_rate() -> None:
    assert [share for share, _ in outcomes_of(RATES, [])] == [1, 2]


def test_the_first_of_some_arrives_at_all_their_rates() -> None:
    shares = outcomes_of({TWO: Fraction(2), THREE: Fraction(1)}, [RAN])
    assert [share for share, _ in shares] == [3, 1]


def test_the_same_race_again_has_the_same_winner() -> None:
    assert [share for share, _ in outcomes_of(RATES, [RAN])] == [0, 1]


def test_noise_of_two_earlier_races_is_refused(uniform: Callable[[], Symbol]) -> None:
    def crossed() -> int:
        times = [-uniform().log() for _ in range(4)]
        halves: list[Any] = [winner(times[:2], largest=False), winner(times[2:], largest=False)]
        return winner([times[0], times[2]], largest=False) + 0 * len(halves)

    with pytest.raises(OpaqueDrawError, match="several earlier races"):
        exact_law(crossed)
