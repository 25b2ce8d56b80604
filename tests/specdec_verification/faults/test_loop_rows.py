"""The pieces that wrong rows are made of, each by hand."""

from fractions import Fraction

import pytest

from specdec_core.distributions import Row
from specdec_core.errors import InvalidTokenError
from specdec_verification.faults import loop_rows as rows
from specdec_verification.faults.loop_cases import REDUCED
from specdec_verification.testbed.lanes import Seat
from specdec_verification.testbed.requests import Limits, Request, Sampling
from specdec_verification.testbed.stages import STAGES, WHOLE, Position, filtered, tempered, unit


def row(*weights: int) -> Row:
    return unit([Fraction(weight) for weight in weights])


UNSET = Sampling()
SQUARED = Sampling(Fraction(1, 2))


def position(
    sampling: Sampling = UNSET, history: tuple[int, ...] = (), index: int = 0, last: int = 2
) -> Position:
    request = Request(Limits(9, frozenset({0})), gamma=2, sampling=sampling)
    return Position(request, row(3, 2, 1), history, 0, index, last)


def test_leaving_out_nothing_is_the_whole() -> None:
    assert rows.without() == WHOLE
    assert rows.without(tempered).stages == tuple(s for s in STAGES if s is not tempered)


def test_a_stage_left_out_is_not_applied() -> None:
    assert rows.without(tempered)(position(SQUARED)) == row(3, 2, 1)


def test_a_temperature_applied_twice_is_a_fourth_power() -> None:
    assert rows.TEMPERED_TWICE(position(SQUARED)) == row(81, 16, 1)


def test_a_filter_after_another_keeps_less() -> None:
    both = Sampling(top_k=2, top_p=Fraction(3, 5))
    in_sequence = rows.with_stage(filtered, rows.filtered_in_sequence)
    assert WHOLE(position(both)) == row(3, 2, 0)
    assert in_sequence(position(both)) == row(1, 0, 0)


@pytest.mark.parametrize(
    ("index", "verified", "later"), [(0, True, False), (1, True, True), (2, False, True)]
)
def test_places_of_a_round(index: int, verified: bool, later: bool) -> None:
    place = position(index=index)
    assert (rows.is_verified(place), rows.is_bonus(place)) == (verified, not verified)
    assert rows.is_later(place) == later


def test_a_step_at_some_places_is_the_right_one_elsewhere() -> None:
    step = rows.Where(rows.is_bonus, rows.Seeing(rows.greedily))
    assert step(position(index=2)) == row(1, 0, 0)
    assert step(position(index=1)) == row(3, 2, 1)


def test_a_sentinel_turns_the_row_round() -> None:
    turned = rows.with_stage(tempered, rows.by_sentinel)
    assert turned(position()) == row(2, 3, 6)
    assert turned(position(SQUARED)) == WHOLE(position(SQUARED))


def test_zero_divides() -> None:
    divided = rows.with_stage(tempered, rows.divided_by_temperature)
    assert divided(position(SQUARED)) == WHOLE(position(SQUARED))
    with pytest.raises(ZeroDivisionError):
        divided(position(Sampling(Fraction(0))))


def test_histories_that_lag() -> None:
    place = position(history=(2, 1, 0), index=2)
    assert rows.one_token_late(place).history == (2, 1)
    assert rows.at_round_start(place).history == (2,)


def test_a_mask_is_refused_behind_a_drafted_stop_token_only() -> None:
    assert rows.refused_after_stop(position(history=(0, 1), index=1)) == row(3, 2, 1)
    with pytest.raises(InvalidTokenError, match="after the stop token"):
        rows.refused_after_stop(position(history=(0, 1), index=2))


def test_rounding_keeps_unit_mass() -> None:
    assert rows.rounded(position()) == row(4, 3, 1)


def test_an_unmapped_row_stands_at_the_drafts_own_ids() -> None:
    seat = Seat(REDUCED, open=(0,), lane=0)
    assert rows.recorded_unmapped(seat, position(), row(1, 0, 3)) == row(1, 3, 0)
