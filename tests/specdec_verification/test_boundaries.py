from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.draws import Draws, ReplayedDraws
from specdec_core.errors import InvalidParameterError
from specdec_core.rules import rule_named
from specdec_core.sampling import accepts
from specdec_grids.generated import RandomInstances
from specdec_grids.paths import exact_law
from specdec_grids.programs import round_program
from specdec_verification.boundaries import FloatFormat, Side, boundary_points, path_points
from specdec_verification.dyadic_instances import dyadic_instance

FLOAT32, FLOAT64 = FloatFormat("float32"), FloatFormat("float64")
RULE = rule_named("token_rejection_bonus")
DYADIC = round_program(RULE, dyadic_instance(RULE, 4))


def two_coins(draws: Draws) -> tuple[bool, ...]:
    first = accepts(draws.uniform(), Fraction(1, 4), Fraction(1))
    return (first, accepts(draws.uniform(), Fraction(1, 3), Fraction(1))) if first else (first,)


def test_every_threshold_is_met_from_both_sides() -> None:
    found = {(point.place.draw, point.place.threshold, point.place.side) for point in _placed()}
    quarter, third = Fraction(1, 4), Fraction(1, 3)
    assert {key for key in found if key[2] is not Side.END} == {
        (0, quarter, Side.BELOW),
        (0, quarter, Side.AT),
        (0, quarter, Side.ABOVE),
        (1, third, Side.BELOW),  # a third is no double: there is nothing on it
        (1, third, Side.ABOVE),
    }


def test_a_point_at_the_first_threshold_goes_on_to_every_second_decision() -> None:
    below = [point for point in _placed() if point.place.draw == 0 and point.outcome[0]]
    assert {point.outcome for point in below} == {(True, True), (True, False)}


def _placed() -> list:
    return [point for point in boundary_points(two_coins, FLOAT64) if point.place is not None]


@pytest.mark.parametrize("numbers", [FLOAT32, FLOAT64], ids=["float32", "float64"])
def test_the_numbers_around_a_threshold_are_its_neighbours(numbers: FloatFormat) -> None:
    kind = np.dtype(numbers.name).type
    below, at, above = (number for _, number in numbers.around(Fraction(3, 8)))
    assert below == Fraction(float(np.nextafter(kind(0.375), kind(0))))
    assert at == Fraction(3, 8)
    assert above == Fraction(float(np.nextafter(kind(0.375), kind(1))))


def test_a_slack_keeps_its_distance_and_leaves_the_threshold_alone() -> None:
    numbers = FloatFormat("float32", slack=Fraction(1, 1000))
    (below, low), (above, high) = numbers.around(Fraction(1, 2))
    assert (below, above) == (Side.BELOW, Side.ABOVE)
    assert low < Fraction(1, 2) - numbers.slack < low + numbers.epsilon
    assert high - numbers.epsilon < Fraction(1, 2) + numbers.slack < high


def test_the_ends_are_those_that_the_format_has() -> None:
    assert FLOAT32.ends == (0, 1 - Fraction(1, 1 << 24))
    assert FLOAT64.ends == (0, 1 - Fraction(1, 1 << 24), 1 - Fraction(1, 1 << 53))


@given(st.fractions(0, 1, max_denominator=1000).filter(lambda t: 0 < t < 1))
def test_neighbours_lie_on_their_sides(threshold: Fraction) -> None:
    for side, number in FLOAT32.around(threshold):
        assert FLOAT32.nearest(number) == number
        assert (number < threshold) is (side is Side.BELOW)
        assert (number == threshold) is (side is Side.AT)


@pytest.mark.parametrize("numbers", [FLOAT32, FLOAT64], ids=["float32", "float64"])
def test_a_point_replayed_in_fractions_leads_to_its_outcome(numbers: FloatFormat) -> None:
    points = [*path_points(DYADIC, numbers), *boundary_points(DYADIC, numbers)]
    replayed = [DYADIC(ReplayedDraws(point.draws)) for point in points]
    assert replayed == [point.outcome for point in points]


def test_the_middles_weigh_what_the_law_says() -> None:
    instance = RandomInstances(RULE, 6)[5]
    program = round_program(RULE, instance)
    sums: dict = {}
    for point in path_points(program, FLOAT64):
        sums[point.outcome] = sums.get(point.outcome, Fraction(0)) + point.weight
    assert sums == exact_law(program).law.probs


def test_no_point_comes_twice() -> None:
    draws = [point.draws for point in boundary_points(DYADIC, FLOAT64)]
    assert len(set(draws)) == len(draws)


def test_only_what_is_kept_comes() -> None:
    points = boundary_points(two_coins, FLOAT64, lambda side, threshold: side is Side.AT)
    assert {str(point.place) for point in points} == {"draw 1 at 1/4"}


def test_a_box_too_narrow_for_the_format_is_an_error() -> None:
    narrow = Fraction(1, 1 << 30)
    with pytest.raises(InvalidParameterError, match="narrower than float32 can resolve"):
        list(path_points(lambda draws: accepts(draws.uniform(), narrow, Fraction(1)), FLOAT32))


def test_a_program_without_draws_has_a_middle_and_no_boundary() -> None:
    (point,) = path_points(lambda _: "always", FLOAT64)
    assert (point.draws, point.outcome, point.weight) == ((), "always", 1)
    assert not list(boundary_points(lambda _: "always", FLOAT64))


@pytest.mark.parametrize(
    ("name", "slack"), [("float16", Fraction(0)), ("float32", Fraction(1, 4)), ("float64", -1)]
)
def test_a_format_out_of_range_is_an_error(name: str, slack: Fraction) -> None:
    with pytest.raises(InvalidParameterError, match=r"name is|slack is"):
        FloatFormat(name, Fraction(slack))
