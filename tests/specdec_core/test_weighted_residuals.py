from fractions import Fraction

import pytest

from specdec_core.distributions import Row, residual, total_variation
from specdec_core.errors import ShapeError
from specdec_core.weighted_residuals import weighted_residual
from specdec_grids.simplex import Simplex

SIXTHS = Simplex(vocab_size=3, denominator=6)


@pytest.mark.parametrize("number", range(len(SIXTHS) - 1))
def test_with_weights_of_one_it_is_the_residual(number: int) -> None:
    target, draft = SIXTHS[number], SIXTHS[number + 1]
    left = weighted_residual(target, draft)
    assert left.mass == total_variation(target, draft)
    assert left.row == residual(target, draft)


def test_each_row_is_weighed_by_its_own_weight() -> None:
    """3/4 (1/3, 2/3) - 1/2 (2/3, 1/3) = (-1/12, 1/3)."""
    target = Row([Fraction(1, 3), Fraction(2, 3)])
    draft = Row([Fraction(2, 3), Fraction(1, 3)])
    left = weighted_residual(target, draft, Fraction(3, 4), Fraction(1, 2))
    assert (left.mass, left.row) == (Fraction(1, 3), (0, 1))


def test_without_any_excess_the_targets_row_takes_its_place() -> None:
    target, draft = Row([0.25, 0.75]), Row([0.5, 0.5])
    left = weighted_residual(target, draft, target_weight=0.5)
    assert (left.mass, left.row) == (0.0, target)


def test_numbers_of_two_kinds_do_not_share_a_cached_residual() -> None:
    """Equal rows, equal weights: only their kinds tell them apart."""
    floats = [Row([0.25, 0.75]), Row([0.5, 0.5])]
    fractions = [Row(Fraction(prob) for prob in row) for row in floats]
    assert floats != fractions
    assert not weighted_residual(floats[0], floats[1], 1.0, 0.5).row.exact
    assert weighted_residual(fractions[0], fractions[1], Fraction(1), Fraction(1, 2)).row.exact


def test_rows_of_two_vocabularies_are_refused() -> None:
    with pytest.raises(ShapeError, match="draft_probs has 3 tokens, but target_probs has 2"):
        weighted_residual(Row([0.5, 0.5]), Row([0.5, 0.25, 0.25]))
