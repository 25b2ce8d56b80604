"""Rows of too few bits, wherever in a proposal they stand."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.instances import Instance
from specdec_core.models import ConstantModel
from specdec_core.rules.recursive_rejection import RECURSIVE_REJECTION
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_verification.faults.rounded_rows import (
    RecordingRounded,
    _with_rows,
    rounded,
    rounded_row,
)

ROW = Row([Fraction(513, 1024), Fraction(511, 1024)])
EVEN = Row([Fraction(1, 2), Fraction(1, 2)])


class Named(NamedTuple):
    name: str
    row: Row


@given(number=st.fractions(Fraction(1, 10**6), 1))
def test_a_number_of_24_bits_is_the_nearest_single(number: Fraction) -> None:
    near = abs(Fraction(float(np.float32(float(number)))) - number)
    assert abs(rounded(number, 24) - number) <= near
    assert Fraction(float(np.float32(float(rounded(number, 24))))) == rounded(number, 24)


def test_the_worked_example_of_bfloat16() -> None:
    """DeepSpec #31: 513/1024 and 511/1024 both become a half."""
    assert rounded_row(ROW, 8) == EVEN
    assert rounded_row(ROW, 24) == ROW


def test_every_row_of_a_proposal_is_rounded_and_nothing_else_changes() -> None:
    assert _with_rows((Named("kept", ROW), 513), 8) == (Named("kept", EVEN), 513)


def test_tokens_are_drawn_from_the_exact_row_and_recorded_with_the_rounded() -> None:
    models = ConstantModel(EVEN), (ConstantModel(ROW),)
    draw = Fraction(1025, 2048)  # below 513/1024, above 1/2
    record = RecordingRounded(8)
    path = record(TokenRejectionBonus(), Instance(*models, {"gamma": 1}), ReplayedDraws([draw]))
    assert (path.tokens, path.draft_probs) == ((0,), (EVEN,))
    instance = Instance(*models, {"k": 2, "depth": 1})
    tree = record(RECURSIVE_REJECTION, instance, ReplayedDraws([draw, draw]))
    siblings = tree.children(())
    assert (siblings.tokens, siblings.draft_probs) == ((0, 0), (EVEN, EVEN))
