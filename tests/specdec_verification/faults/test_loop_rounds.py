"""Steps of a round with one thing wrong, each by hand."""

from fractions import Fraction

import pytest

from specdec_core.distributions import Row, point_mass
from specdec_core.draws import ReplayedDraws
from specdec_core.models import Context
from specdec_core.proposals import DraftPath
from specdec_core.rules import Verification
from specdec_verification.faults import loop_rounds as slips
from specdec_verification.faults.loop_cases import REDUCED, THREE
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.lanes import Batch, Lane, Lines, Seat
from specdec_verification.testbed.loop import start
from specdec_verification.testbed.stages import unit
from specdec_verification.testbed.streams import Line, Streams

ROWS = [unit([Fraction(n), Fraction(1), Fraction(1)]) for n in range(1, 10)]
STATES = (1, 3, 4)
"""Before a draft of two, and after each of its tokens."""


def feed(state: int, token: int) -> int:
    return (state + token + 1) % 5


def lane(case: ServingCase, number: int, tokens: Context) -> Lane:
    line = Line(Streams(ReplayedDraws([])), None, 0)
    seat = Seat(case, tuple(range(len(case.requests))), number)
    states = tuple(range(len(tokens) + 1))
    proposal = DraftPath(tokens, tuple(ROWS[0] for _ in tokens))
    return Lane(
        seat, seat.request, start(case)[number], Lines(line, line), proposal, states, states
    )


@pytest.fixture
def batch() -> Batch:
    """Return three lanes; they drafted one, two and one tokens."""
    lanes = tuple(lane(THREE, number, tokens) for number, tokens in enumerate(((0,), (1, 2), (0,))))
    return Batch(lanes, ROWS[:4], ROWS[:7])


def test_the_neighbours_rows(batch: Batch) -> None:
    assert slips.draft_rows_of_neighbour(batch, 1).draft_rows == tuple(ROWS[:2])
    assert slips.draft_rows_of_neighbour(batch, 0).draft_rows == tuple(ROWS[:1])


def test_two_lanes_read_their_own() -> None:
    two = Batch(tuple(lane(THREE, n, (0,)) for n in range(2)), ROWS[:2], ROWS[:4])
    assert slips.draft_rows_of_neighbour(two, 1).draft_rows == (ROWS[1],)


def test_a_padded_start_is_too_far(batch: Batch) -> None:
    assert slips.padded_draft_start(batch, 1).draft_rows == tuple(ROWS[2:4])


def test_a_narrow_number_wraps(batch: Batch) -> None:
    assert slips.narrow_target_start(batch, 2).target_rows == tuple(ROWS[1:3])


def test_a_row_cut_to_the_drafts_tokens_loses_the_others() -> None:
    reduced = Batch((lane(REDUCED, 0, (0,)),), [ROWS[0]], [ROWS[1], ROWS[2]])
    judged = slips.target_cut_to_draft(reduced, 0)
    assert judged.target_rows[0] == Row([Fraction(2, 3), Fraction(0), Fraction(1, 3)])


def test_the_tables_are_written(batch: Batch) -> None:
    slips.drafted_token_zeroed(batch, 0)
    assert batch.target_rows[0] == Row([Fraction(0), Fraction(1, 2), Fraction(1, 2)])
    slips.draft_row_raced(batch, 0)
    assert batch.draft_rows[0] == unit([Fraction(2), Fraction(1), Fraction(1)])


@pytest.mark.parametrize(
    ("accepted", "unwritten", "early", "kept"),
    [((), 1, 0, 0), ((0,), 4, 2, 0), ((0, 1), 0, 4, 0)],
)
def test_states_that_are_restored_otherwise(
    accepted: Context, unwritten: int, early: int, kept: int
) -> None:
    verification = Verification(accepted, 0)
    assert slips.unwritten_if_refused(STATES, feed, verification) == unwritten
    assert slips.one_snapshot_early(STATES, feed, verification) == early
    assert slips.not_restored(STATES, feed, verification) == kept


def test_the_parity_of_the_draft_stays() -> None:
    assert slips.partly_restored((1, 3, 4), feed, Verification((), 1)) == 2  # 3, made even
    assert slips.partly_restored((4, 3, 1), feed, Verification((), 0)) == 1  # 0, made odd


def test_histories_that_are_kept_otherwise() -> None:
    drafted = lane(THREE, 1, (2, 0))
    prompt = drafted.before.history
    assert slips.rejected_remembered(drafted, (2, 1)) == (*prompt, 0, 2, 1)
    assert slips.accepted_remembered_twice(drafted, (2, 1)) == (*prompt, 2, 2, 1)
    assert slips.placeholders_remembered(drafted, (2, 1)) == (*prompt, 2, 1, -1)


def test_a_first_draft_token_is_always_kept() -> None:
    path = DraftPath((0,), (point_mass(0, 3),))
    position = slips.Position(0, path, (point_mass(1, 3), point_mass(1, 3)))
    assert slips.accept_first_unseen(0.5, position)
