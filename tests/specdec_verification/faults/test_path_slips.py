"""Without a slip, the rule of replaceable steps is the rule itself, path by path."""

from fractions import Fraction

import pytest
from hypothesis import given

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance
from specdec_core.models import ConstantModel
from specdec_core.proposals import DraftPath
from specdec_core.rules import Verification, play_round
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_grids.paths import paths
from specdec_grids.programs import round_program
from specdec_verification import strategies
from specdec_verification.faults import path_slips as slips
from specdec_verification.faults.path_slips import Position, SlippedPathRule

NO_SLIP = SlippedPathRule("no_slip")
P = Row([Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)])
Q = Row([Fraction(1, 4), Fraction(3, 4), Fraction(0)])


def position(token: int, p: Row = P, q: Row = Q) -> Position:
    return Position(0, DraftPath((token,), (q,)), (p, p))


@given(instance=strategies.instances(TokenRejectionBonus()))
def test_no_slip_is_token_rejection_path_by_path(instance: Instance) -> None:
    real = list(paths(round_program(TokenRejectionBonus(), instance)))
    assert list(paths(round_program(NO_SLIP, instance))) == real


@given(instance=strategies.instances(TokenRejectionBonus()), values=strategies.draws(8))
def test_no_slip_replays_as_token_rejection(
    instance: Instance, values: tuple[float | Fraction, ...]
) -> None:
    real = play_round(TokenRejectionBonus(), instance, ReplayedDraws(values))
    assert play_round(NO_SLIP, instance, ReplayedDraws(values)) == real


@given(instance=strategies.instances(TokenRejectionBonus()))
def test_a_slip_reaches_no_farther_than_the_rule(instance: Instance) -> None:
    assert NO_SLIP.horizon(instance) == TokenRejectionBonus().horizon(instance)


def test_a_slip_needs_a_draft_token() -> None:
    with pytest.raises(InvalidParameterError, match="'gamma' is 0, expected at least 1"):
        NO_SLIP.horizon(Instance(ConstantModel(P), (ConstantModel(Q),), {"gamma": 0}))


def test_a_position_names_both_rows() -> None:
    here = position(1)
    assert (here.token, here.p, here.q) == (1, P, Q)


@pytest.mark.parametrize(
    ("step", "accepted"),
    [
        (slips.accept, False),
        (slips.accept_inclusive, True),
        (slips.accept_swapped, True),
        (slips.accept_target, False),
        (slips.accept_likelier, False),
        (slips.accept_always, True),
        (slips.accept_leniently, True),
        (slips.accept_first_row, False),
        (slips.accept_next_row, False),
        (slips.accept_next_token, False),
    ],
    ids=lambda step: getattr(step, "__name__", None),
)
def test_a_slip_in_acceptance_shows_at_the_threshold(
    step: type[slips.accept], accepted: bool
) -> None:
    """Token 1 is kept with probability 1/3, for draws below it."""
    assert step(Fraction(1, 3), position(1)) is accepted


@pytest.mark.parametrize(
    ("step", "token"),
    [
        (slips.recover, 0),
        (slips.recover_reversed, 1),
        (slips.recover_from_target, 1),
        (slips.recover_from_draft, 1),
        (slips.recover_likeliest, 0),
        (slips.recover_without_token, 0),
        (slips.recover_unnormalised, 2),
        (slips.recover_with_coin, 2),
        (slips.recover_next_row, 0),
        (slips.recover_first_draft_row, 0),
    ],
    ids=lambda step: getattr(step, "__name__", None),
)
def test_a_slip_in_recovery_changes_the_token(step: type[slips.recover], token: int) -> None:
    """The residual is (1/2, 0, 1/2): a draw of 49/100 recovers token 0."""
    target = Row([Fraction(1, 2), Fraction(0), Fraction(1, 2)])
    draft = Row([Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)])
    draws = ReplayedDraws([Fraction(26, 100)])
    if step is slips.recover_from_target:
        target, draft = P, Q
        draws = ReplayedDraws([Fraction(1, 2)])
    assert step(position(1, target, draft), Fraction(99, 100), draws) == token


def test_filtering_leaves_a_certain_row_alone() -> None:
    certain = Row([Fraction(0), Fraction(1)])
    instance = Instance(ConstantModel(certain), (ConstantModel(certain),), {"gamma": 1})
    drafted = slips.propose_from_filtered(instance, ReplayedDraws([0.5]))
    assert drafted == DraftPath((1,), (certain,))


def test_the_rest_is_kept_behind_the_replacement() -> None:
    proposal = DraftPath((0, 1, 2), (Q, Q, Q))
    kept = slips.end_keeping_rest((0,), Position(1, proposal, (P, P, P, P)), 0)
    assert kept == Verification((0, 0, 2), None)
