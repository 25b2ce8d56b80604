"""A coarse draw is a fine one asked about other thresholds: its law, point by point."""

from fractions import Fraction
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.proposals import DraftPath
from specdec_core.sampling import accepts, sample
from specdec_grids.paths import exact_law
from specdec_verification.faults.draw_slips import (
    HALF,
    CoarseDraw,
    CoarseDraws,
    Steps,
    accept_coarse_inclusive,
    coarse_row,
    take_coarse_coins,
    take_zero_coins,
)
from specdec_verification.faults.path_slips import Position

CUT, NEAREST = Steps(8), Steps(8, HALF)
UNITS = st.fractions(0, 1, max_denominator=60)
DRAWS = UNITS.filter(lambda draw: draw < 1)
ROW = Row([Fraction(1, 3), Fraction(2, 3), Fraction(0)])
PATH = DraftPath((0, 2), (ROW, ROW))


def kept(draw: Fraction, steps: Steps) -> Fraction:
    return Fraction(floor(draw * steps.count + steps.shift), steps.count)


@pytest.mark.parametrize("steps", [CUT, NEAREST], ids=["cut", "nearest"])
@given(draw=DRAWS, scale=UNITS, threshold=UNITS)
def test_a_coarse_draw_answers_as_the_number_that_it_is_kept_to(
    steps: Steps, draw: Fraction, scale: Fraction, threshold: Fraction
) -> None:
    coarse = CoarseDraw(draw, steps)
    assert accepts(coarse, threshold, scale) == (kept(draw, steps) * scale < threshold)
    if scale:
        inclusive = kept(draw, steps) * scale <= threshold
        assert coarse.scaled_at_most(scale, threshold) == inclusive


@given(draw=DRAWS)
def test_a_draw_rounded_to_one_runs_off_the_end_of_a_row(draw: Fraction) -> None:
    found = sample(ROW, CoarseDraw(draw, NEAREST))
    number = kept(draw, NEAREST)
    below = [token for token, end in enumerate(ROW.cumulative) if number < end]
    assert found == (below[0] if below else len(ROW) - 1)


def test_half_a_step_of_a_rounded_draw_goes_to_the_last_token() -> None:
    assert coarse_row(ROW, CUT) == Row([Fraction(3, 8), Fraction(5, 8), Fraction(0)])
    assert coarse_row(ROW, NEAREST) == Row([Fraction(5, 16), Fraction(5, 8), Fraction(1, 16)])


@pytest.mark.parametrize("steps", [CUT, NEAREST], ids=["cut", "nearest"])
def test_the_exact_law_of_a_coarse_draw_is_its_row(steps: Steps) -> None:
    found = exact_law(lambda draws: sample(ROW, CoarseDraws(draws, steps).uniform()))
    assert [found.law[token] for token in range(3)] == list(coarse_row(ROW, steps))


def test_a_coin_of_half_precision_accepts_the_impossible_once_in_2048() -> None:
    def accepted(draws: object) -> bool:
        coin = take_coarse_coins(PATH, draws)[1]  # type: ignore[arg-type]
        impossible = Position(1, DraftPath((0, 2), (ROW, Row(reversed(ROW)))), (ROW, ROW, ROW))
        return accept_coarse_inclusive(coin, impossible)

    assert exact_law(accepted).law[True] == Fraction(1, 2048)


def test_coins_of_zero_take_no_draw() -> None:
    assert take_zero_coins(PATH, ReplayedDraws([])) == [0, 0]
