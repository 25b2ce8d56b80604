import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.errors import InvalidDistributionError, InvalidDrawError, ShapeError
from specdec_core.instances import Instance
from specdec_core.rules import Verification, play_round
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.simulation import SimulationRound
from specdec_verification import strategies
from specdec_verification.strategies import LARGEST_DRAW, RowsOver

BINARY = SimulationRound(
    target_probs=([0.25, 0.75],),
    draft_probs=([0.5, 0.5],),
    draft_uniforms=(0.25,),
    accept_uniforms=(0.25,),
    residual_uniform=0.0,
)

REJECTED_AT_ONCE = SimulationRound(
    target_probs=([0.0, 1.0], [0.5, 0.5]),
    draft_probs=([1.0, 0.0], [0.5, 0.5]),
    draft_uniforms=(0.0, 0.0),
    accept_uniforms=(0.0, 0.0),
    residual_uniform=0.0,
)
"""Its second position is never come to."""


def test_the_binary_example_has_the_contracts_counts() -> None:
    """The contract, "Evidence": 2500 of 10000 occurrences for probability 0.25."""
    midpoints = [Fraction(2 * i + 1, 200) for i in range(100)]
    counts = Counter(
        replace(BINARY, draft_uniforms=(draft,), accept_uniforms=(accept,)).replay().tokens
        for draft in midpoints
        for accept in midpoints
    )
    assert counts == {(0,): 2500, (1,): 7500}


@pytest.mark.parametrize(
    ("draft", "accept", "emitted"),
    [
        (0.0, 0.0, Verification((0,), None)),
        (0.49, 0.49, Verification((0,), None)),
        (0.49, 0.5, Verification((), 1)),
        (0.0, LARGEST_DRAW, Verification((), 1)),
        (0.5, LARGEST_DRAW, Verification((1,), None)),
        (LARGEST_DRAW, 0.0, Verification((1,), None)),
    ],
)
def test_each_uniform_has_its_own_decision(
    draft: float, accept: float, emitted: Verification
) -> None:
    played = replace(BINARY, draft_uniforms=(draft,), accept_uniforms=(accept,))
    assert played.replay() == emitted


@pytest.mark.parametrize(("uniform", "token"), [(0.0, 1), (0.49, 1), (0.5, 2), (0.99, 2)])
def test_the_residual_uniform_draws_the_replacement(uniform: float, token: int) -> None:
    played = SimulationRound(
        target_probs=([0.5, 0.25, 0.25],),
        draft_probs=([1.0, 0.0, 0.0],),
        draft_uniforms=(0.75,),
        accept_uniforms=(0.5,),
        residual_uniform=uniform,
    )
    assert played.replay() == Verification((), token)


def test_a_round_ends_with_its_first_replacement() -> None:
    assert REJECTED_AT_ONCE.gamma == 2
    assert REJECTED_AT_ONCE.draft_tokens == (0, 0)
    assert REJECTED_AT_ONCE.replay() == Verification((), 1)


def test_a_round_without_a_rejection_ends_with_its_last_draft_token() -> None:
    played = replace(REJECTED_AT_ONCE, target_probs=([1.0, 0.0], [0.5, 0.5]))
    assert played.replay() == Verification((0, 0), None)


def test_a_later_position_is_replaced_from_its_own_rows() -> None:
    played = SimulationRound(
        target_probs=([1, 0, 0], [0, 0, 1]),
        draft_probs=([1, 0, 0], [0, 1, 0]),
        draft_uniforms=(0.0, 0.0),
        accept_uniforms=(LARGEST_DRAW, 0.0),
        residual_uniform=0.5,
    )
    assert played.replay() == Verification((0,), 2)


def test_a_vocabulary_of_one_leaves_no_choice() -> None:
    played = SimulationRound(([1],) * 3, ([1.0],) * 3, (0.5,) * 3, (LARGEST_DRAW,) * 3, 0.0)
    assert played.replay() == Verification((0, 0, 0), None)


def test_arrays_are_taken_and_kept_as_rows_and_tuples() -> None:
    played = SimulationRound(
        target_probs=np.array([[0.25, 0.75]], dtype=np.float32),
        draft_probs=np.array([[0.5, 0.5]]),
        draft_uniforms=np.array([0.25]),
        accept_uniforms=np.array([0.25], dtype=np.float32),
        residual_uniform=np.float64(0.0),
    )
    assert played == BINARY
    assert hash(played) == hash(BINARY)


def test_a_round_is_a_value_that_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        BINARY.residual_uniform = 0.5  # type: ignore[misc]


BAD_ROWS: dict[str, tuple[object, str]] = {
    "negative": ([1.5, -0.5], "[1] is -0.5, expected a nonnegative probability"),
    "nan": ([math.nan, 1.0], "[0] is nan, expected a finite probability"),
    "infinite": ([0.5, math.inf], "[1] is inf, expected a finite probability"),
    "minus infinite": ([-math.inf, 1.0], "[0] is -inf, expected a finite probability"),
    "bool": ([True, False], "[0] is True (bool), expected an int, Fraction or float"),
    "str": ([0.5, "0.5"], "[1] is '0.5' (str), expected an int, Fraction or float"),
    "none": ([None, 1.0], "[0] is None (NoneType), expected an int, Fraction or float"),
    "mixed": ([Fraction(1, 2), 0.5], " mixes fractions and floats, expected one kind"),
    "empty": ([], " is empty, expected one probability a token"),
    "too little": ([0.5, 0.25], " sums to 0.75, not 1 (off by -0.25)"),
    "too much": ([0.5, 0.75], " sums to 1.25, not 1 (off by 0.25)"),
    "off by one in a million": ([0.5, 0.500001], " sums to 1.000001, not 1 (off by 1e-06)"),
    "inexact": ([Fraction(1, 2), Fraction(1, 3)], " sums to 5/6, not 1 (off by -1/6)"),
    "no row": (0.5, " is 0.5 (float), expected a sequence of probabilities"),
}

BAD_DRAWS: dict[str, tuple[object, str]] = {
    "one": (1.0, " is 1.0, expected a finite number in [0, 1)"),
    "above one": (Fraction(3, 2), " is 3/2, expected a finite number in [0, 1)"),
    "negative": (-5e-324, " is -5e-324, expected a finite number in [0, 1)"),
    "nan": (math.nan, " is nan, expected a finite number in [0, 1)"),
    "infinite": (math.inf, " is inf, expected a finite number in [0, 1)"),
    "bool": (False, " is False (bool), expected a number in [0, 1)"),
    "str": ("0.5", " is '0.5' (str), expected a number in [0, 1)"),
    "none": (None, " is None (NoneType), expected a number in [0, 1)"),
}


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("table", ["target_probs", "draft_probs"])
@pytest.mark.parametrize(("row", "message"), BAD_ROWS.values(), ids=BAD_ROWS.keys())
def test_a_row_that_is_no_distribution_is_refused_wherever_it_stands(
    row: object, message: str, table: str, place: int
) -> None:
    """The contract: inputs after the first rejection are validated too."""
    rows = [*getattr(REJECTED_AT_ONCE, table)]
    rows[place] = row
    expected = f"{table}[{place}]{message}"
    with pytest.raises(InvalidDistributionError, match=f"^{re.escape(expected)}"):
        replace(REJECTED_AT_ONCE, **{table: rows})


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("uniforms", ["draft_uniforms", "accept_uniforms"])
@pytest.mark.parametrize(("draw", "message"), BAD_DRAWS.values(), ids=BAD_DRAWS.keys())
def test_a_draw_outside_the_half_open_interval_is_refused_wherever_it_stands(
    draw: object, message: str, uniforms: str, place: int
) -> None:
    """The contract: inputs after the first rejection are validated too."""
    draws = [0.0, 0.0]
    draws[place] = draw
    expected = f"{uniforms}[{place}]{message}"
    with pytest.raises(InvalidDrawError, match=f"^{re.escape(expected)}"):
        replace(REJECTED_AT_ONCE, **{uniforms: draws})


@pytest.mark.parametrize(("draw", "message"), BAD_DRAWS.values(), ids=BAD_DRAWS.keys())
def test_a_residual_draw_that_is_not_needed_is_refused_too(draw: object, message: str) -> None:
    assert BINARY.replay().final is None
    with pytest.raises(InvalidDrawError, match=re.escape(message)):
        replace(BINARY, residual_uniform=draw)


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("table", ["target_probs", "draft_probs"])
def test_rows_of_unequal_vocabulary_are_refused_wherever_they_stand(table: str, place: int) -> None:
    rows = [*getattr(REJECTED_AT_ONCE, table)]
    rows[place] = [0.5, 0.5, 0.0]
    with pytest.raises(ShapeError, match=rf"^{table}\[1\] has . tokens, but {table}\[0\] has ."):
        replace(REJECTED_AT_ONCE, **{table: rows})


def test_target_and_draft_are_over_one_vocabulary() -> None:
    message = "draft_probs[0] has 3 tokens, but target_probs[0] has 2"
    with pytest.raises(ShapeError, match=f"^{re.escape(message)}$"):
        replace(BINARY, draft_probs=([0.5, 0.5, 0.0],))


@pytest.mark.parametrize("name", ["draft_probs", "draft_uniforms", "accept_uniforms"])
@pytest.mark.parametrize("entries", [0, 1, 3])
def test_there_is_one_entry_a_draft_token(name: str, entries: int) -> None:
    values = (getattr(REJECTED_AT_ONCE, name) * 2)[:entries]
    message = f"{name} has {entries} entries, but target_probs has 2"
    with pytest.raises(ShapeError, match=f"^{re.escape(message)}$"):
        replace(REJECTED_AT_ONCE, **{name: values})


@pytest.mark.parametrize("entries", [1, 3])
def test_there_is_one_target_row_a_draft_token(entries: int) -> None:
    with pytest.raises(
        ShapeError, match=f"draft_probs has 2 entries, but target_probs has {entries}"
    ):
        replace(REJECTED_AT_ONCE, target_probs=([0.5, 0.5],) * entries)


def test_a_round_of_no_draft_tokens_is_refused() -> None:
    with pytest.raises(ShapeError, match=r"^target_probs has no row, expected at least one"):
        SimulationRound((), (), (), (), 0.0)


def recorded(
    instance: Instance, draws: tuple[float | Fraction, ...], kind: Callable[..., float | Fraction]
) -> SimulationRound:
    """Return the round that the instance's rule plays on these draws, with all its rows."""
    gamma = instance.integer("gamma", minimum=1)
    drafts, accepts = draws[:gamma], draws[gamma : 2 * gamma]
    tokens = TokenRejection().propose(instance, ReplayedDraws(drafts)).tokens
    prefixes = [tokens[:i] for i in range(gamma)]
    return SimulationRound(
        target_probs=tuple(map(instance.target, prefixes)),
        draft_probs=tuple(map(instance.draft, prefixes)),
        draft_uniforms=tuple(map(kind, drafts)),
        accept_uniforms=tuple(map(kind, accepts)),
        residual_uniform=kind(draws[-1]),
    )


@pytest.mark.parametrize("rows_over", [strategies.rows, strategies.float_rows])
@given(data=st.data())
def test_a_recorded_round_replays_in_floats_and_in_fractions(
    rows_over: RowsOver, data: st.DataObject
) -> None:
    """The outcome of the rule itself, and nothing of it depends on what a draw is written in."""
    instance = data.draw(strategies.instances(TokenRejection(), rows_over=rows_over))
    gamma = instance.integer("gamma", minimum=1)
    draws = tuple(map(float, data.draw(strategies.draws(2 * gamma + 1))))
    emitted = play_round(TokenRejection(), instance, ReplayedDraws(draws))
    assert recorded(instance, draws, float).replay() == emitted
    assert recorded(instance, draws, Fraction).replay() == emitted


def test_rounding_alone_can_reject_and_the_target_then_replaces() -> None:
    """Three quarters of the smallest subnormal is rounded up to it."""
    row = Row([5e-324, 1.0])
    played = SimulationRound((row,), (row,), (0.0,), (0.75,), 0.5)
    assert played.draft_tokens == (0,)
    assert played.replay() == Verification((), 1)
