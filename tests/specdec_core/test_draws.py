import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from specdec_core.distributions import Row
from specdec_core.draws import (
    GeneratedDraws,
    RecordedDraws,
    ReplayedDraws,
    SymbolicDraw,
    checked_draws,
)
from specdec_core.errors import DrawsExhaustedError, InvalidDrawError, UnusedDrawsError
from specdec_verification import strategies
from specdec_verification.strategies import LARGEST_DRAW

REFUSED = {
    "one": (1.0, "1.0, expected a finite number in [0, 1)"),
    "integer one": (1, "1, expected a finite number in [0, 1)"),
    "one as a fraction": (Fraction(1), "1, expected a finite number in [0, 1)"),
    "above one": (Fraction(4, 3), "4/3, expected a finite number in [0, 1)"),
    "far above one": (10**400, "1000000"),
    "far above one as a fraction": (Fraction(10**400), "1000000"),
    "negative": (-0.25, "-0.25, expected a finite number in [0, 1)"),
    "barely negative": (-5e-324, "-5e-324, expected a finite number in [0, 1)"),
    "negative fraction": (Fraction(-1, 3), "-1/3, expected a finite number in [0, 1)"),
    "nan": (math.nan, "nan, expected a finite number in [0, 1)"),
    "infinite": (math.inf, "inf, expected a finite number in [0, 1)"),
    "minus infinite": (-math.inf, "-inf, expected a finite number in [0, 1)"),
    "numpy's nan": (np.float32(math.nan), "nan, expected a finite number in [0, 1)"),
    "numpy's one": (np.float64(1), "1.0, expected a finite number in [0, 1)"),
    "rounded up to one": (np.float32(1 - 2.0**-26), "1.0, expected a finite number in [0, 1)"),
    "true": (True, "True (bool), expected a number in [0, 1)"),
    "false": (False, "False (bool), expected a number in [0, 1)"),
    "numpy's false": (np.bool_(False), "False (bool), expected a number in [0, 1)"),
    "text": ("0.5", "'0.5' (str), expected a number in [0, 1)"),
    "nothing": (None, "None (NoneType), expected a number in [0, 1)"),
    "complex": (0.5 + 0j, "(0.5+0j) (complex), expected a number in [0, 1)"),
    "a list": ([0.5], "[0.5] (list), expected a number in [0, 1)"),
}


@pytest.mark.parametrize(("value", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_a_draw_outside_the_half_open_interval_is_refused(value: object, message: str) -> None:
    with pytest.raises(InvalidDrawError, match=rf"^coins\[1\] is {re.escape(message)}"):
        checked_draws([0.5, value], "coins")


@pytest.mark.parametrize("value", [v for v, _ in REFUSED.values()], ids=REFUSED.keys())
def test_a_replay_checks_the_draws_it_never_comes_to(value: object) -> None:
    """The contract: inputs after the first rejection are validated too."""
    with pytest.raises(InvalidDrawError, match=r"^draws\[2\] is "):
        ReplayedDraws([0.0, 0.5, value])


@pytest.mark.parametrize(
    "value",
    [0, 0.0, 0.5, 5e-324, LARGEST_DRAW, 1 - 2.0**-24, Fraction(0), Fraction(10**30 - 1, 10**30)],
    ids=str,
)
def test_a_draw_in_the_half_open_interval_is_taken_as_it_is(value: float | Fraction) -> None:
    assert checked_draws([value]) == (value,)


def test_draws_become_floats_unless_they_are_fractions() -> None:
    taken = checked_draws([0, np.float32(0.25), np.float64(0.5), np.int64(0), Fraction(1, 3)])
    assert taken == (0.0, 0.25, 0.5, 0.0, Fraction(1, 3))
    assert [type(draw) for draw in taken] == [float] * 4 + [Fraction]


def test_an_array_of_draws_is_taken() -> None:
    assert checked_draws(np.array([0.25, 0.5], dtype=np.float32)) == (0.25, 0.5)


@given(strategies.draws(3))
def test_a_replay_hands_out_the_record_in_order(values: tuple[float | Fraction, ...]) -> None:
    draws = ReplayedDraws(values)
    assert (draws.uniform(), draws.uniform(), draws.uniform()) == values
    draws.require_all_used()


def test_a_replay_that_runs_out_says_so() -> None:
    draws = ReplayedDraws([0.25, 0.5], "coins")
    draws.uniform()
    draws.uniform()
    with pytest.raises(DrawsExhaustedError, match=r"^coins: asked for draw 3 of 2$"):
        draws.uniform()


def test_a_replay_of_nothing_has_nothing_to_give() -> None:
    draws = ReplayedDraws([])
    draws.require_all_used()
    with pytest.raises(DrawsExhaustedError, match=r"^draws: asked for draw 1 of 0$"):
        draws.uniform()


def test_draws_left_over_are_counted() -> None:
    draws = ReplayedDraws([0.0, 0.25, 0.5], "coins")
    draws.uniform()
    with pytest.raises(UnusedDrawsError, match=r"^coins: 2 of 3 were left over$"):
        draws.require_all_used()


def test_a_replay_is_deaf_to_later_changes_of_the_record() -> None:
    values = [0.25]
    draws = ReplayedDraws(values)
    values[0] = 0.75
    assert draws.uniform() == 0.25


@given(strategies.draws(4))
def test_a_record_replays(values: tuple[float | Fraction, ...]) -> None:
    recorded = RecordedDraws(ReplayedDraws(values))
    handed_out = tuple(recorded.uniform() for _ in values)
    assert recorded.record == handed_out == values


def test_a_record_holds_what_was_handed_out_and_no_more() -> None:
    recorded = RecordedDraws(ReplayedDraws([0.25, 0.5]))
    assert recorded.record == ()
    recorded.uniform()
    assert recorded.record == (0.25,)


def test_a_draw_that_failed_is_not_recorded() -> None:
    recorded = RecordedDraws(ReplayedDraws([]))
    with pytest.raises(DrawsExhaustedError):
        recorded.uniform()
    assert recorded.record == ()


def test_generated_draws_are_the_generators_doubles_one_at_a_time() -> None:
    draws = GeneratedDraws(np.random.default_rng(7))
    expected = np.random.default_rng(7).random(5).tolist()
    taken = [draws.uniform() for _ in range(5)]
    assert taken == expected
    assert {type(draw) for draw in taken} == {float}


def test_a_symbolic_draw_leaves_both_questions_to_whoever_follows_it() -> None:
    with pytest.raises(NotImplementedError):
        SymbolicDraw().scaled_below(2, 1)
    with pytest.raises(NotImplementedError):
        SymbolicDraw().choose(Row([1]))
