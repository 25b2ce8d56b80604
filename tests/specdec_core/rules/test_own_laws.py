from fractions import Fraction

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.errors import ShapeError
from specdec_core.models import ConstantModel, TableModel
from specdec_core.proposals import DraftPath
from specdec_core.rules.own_laws import kept_within, leading, own_model, rational, verify_against
from specdec_core.rules.rule import Verification

TARGET = ConstantModel(Row([Fraction(1, 4), Fraction(3, 4)]))
DRAFT = ConstantModel(Row([Fraction(1, 2), Fraction(1, 2)]))


def half_way(target_probs: Row, draft_probs: Row) -> Row:
    return Row((p + q) / 2 for p, q in zip(target_probs, draft_probs, strict=True))


@pytest.mark.parametrize("gamma", [0, 1, 2])
def test_its_own_row_holds_for_gamma_tokens_and_the_targets_after_them(gamma: int) -> None:
    model = own_model(TARGET, DRAFT, gamma, half_way)
    mixed = Row([Fraction(3, 8), Fraction(5, 8)])
    rows = [model((0,) * length) for length in range(3)]
    assert rows == [mixed] * gamma + [TARGET.row] * (3 - gamma)


@pytest.mark.parametrize(
    ("admitted", "law"),
    [
        (set(), ("1/4", "3/4")),
        ({0}, ("5/8", "3/8")),
        ({1}, ("1/8", "7/8")),
        ({0, 1}, ("1/2", "1/2")),
    ],
)
def test_what_is_outside_the_set_is_corrected(admitted: set[int], law: tuple[str, ...]) -> None:
    """Q on A + (1 - q(A)) r."""
    assert kept_within(DRAFT.row, admitted, TARGET.row) == tuple(map(Fraction, law))


def test_rows_of_two_vocabularies_are_refused() -> None:
    with pytest.raises(ShapeError, match="correction has 3 tokens, but draft_probs has 2"):
        kept_within(DRAFT.row, {0}, Row([1, 0, 0]))


def test_the_rational_model_is_what_the_floats_are() -> None:
    row = rational(ConstantModel(Row([0.1, 0.9])))(())
    assert row.exact
    assert row == (Fraction(0.1), Fraction(0.9))


@pytest.mark.parametrize(
    ("tokens", "kept"), [((), ()), ((1, 0), ()), ((0, 1), (0, 1)), ((0, 0), (0,))]
)
def test_tokens_are_kept_until_the_first_that_is_not_admitted(
    tokens: tuple[int, ...], kept: tuple[int, ...]
) -> None:
    """Admitted is whatever its own position is."""
    assert leading(tokens, lambda context, token: token == len(context)) == kept


def test_a_token_is_judged_by_the_own_law_and_the_bonus_comes_from_the_target() -> None:
    """Against (3/8, 5/8), token 0 is kept three times in four; the target keeps half."""
    path = DraftPath((0,), (DRAFT.row,))
    target = TableModel({(): TARGET.row, (0,): Row([1, 0])})
    kept = verify_against(half_way, path, target, ReplayedDraws([0.74, 0.99]))
    assert kept == Verification((0,), 0)
    assert verify_against(half_way, path, target, ReplayedDraws([0.75, 0.0])).final == 1
