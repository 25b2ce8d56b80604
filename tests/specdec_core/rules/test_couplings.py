from fractions import Fraction

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import Draws, ReplayedDraws
from specdec_core.laws import Law
from specdec_core.models import ConstantModel
from specdec_core.proposals import DraftPath
from specdec_core.rules.couplings import keep_coupled, keep_matches
from specdec_core.rules.rule import Verification
from specdec_grids.paths import exact_law

TARGET = ConstantModel(Row([Fraction(1, 4), Fraction(3, 4)]))
HALVES = Row([Fraction(1, 2), Fraction(1, 2)])
PATH = DraftPath((0, 1), (HALVES, HALVES))


@pytest.mark.parametrize(
    ("own", "outcome"),
    [
        ((1,), Verification((), 1)),
        ((0, 0), Verification((0,), 0)),
        ((0, 1, 0), Verification((0, 1), 0)),
    ],
)
def test_tokens_are_kept_until_the_target_has_another(
    own: tuple[int, ...], outcome: Verification
) -> None:
    """It is asked no further: there is nothing more in the tuple."""
    assert keep_matches((0, 1), own.__getitem__) == outcome


def same(target_probs: Row, draft_probs: Row, token: int) -> Row:
    return Row([int(other == token) for other in range(len(target_probs))])


def test_a_partner_who_always_agrees_keeps_the_whole_draft() -> None:
    """The bonus token is the target's, and has no partner."""

    def program(draws: Draws) -> Verification:
        return keep_coupled(PATH, TARGET, same, draws)

    law = exact_law(program).law
    assert law == Law(
        {Verification((0, 1), 0): Fraction(1, 4), Verification((0, 1), 1): Fraction(3, 4)}
    )


def test_the_partner_is_told_both_rows_and_the_drafts_token() -> None:
    told = []

    def partner(target_probs: Row, draft_probs: Row, token: int) -> Row:
        told.append((target_probs, draft_probs, token))
        return same(target_probs, draft_probs, token)

    keep_coupled(PATH, TARGET, partner, ReplayedDraws([0.0, 0.0, 0.0]))
    assert told == [(TARGET.row, HALVES, 0), (TARGET.row, HALVES, 1)]


def test_a_draw_is_taken_for_each_position_reached_or_not() -> None:
    draws = ReplayedDraws([0.9, 0.0, 0.0])
    outcome = keep_coupled(PATH, TARGET, lambda p, q, token: p, draws)
    assert outcome == Verification((), 1)
    draws.require_all_used()
