"""Two lanes of unequal length: who owns which rows."""

from fractions import Fraction

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.proposals import DraftPath
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.lanes import Batch, Lane, Lines, Seat
from specdec_verification.testbed.loop import start
from specdec_verification.testbed.streams import Line, Streams

ROWS = [Row([Fraction(n, 8), 1 - Fraction(n, 8)]) for n in range(9)]


def lane(case: ServingCase, number: int, tokens: tuple[int, ...]) -> Lane:
    line = Line(Streams(ReplayedDraws([])), None, 0)
    seat = Seat(case, (0, 1), number)
    proposal = DraftPath(tokens, tuple(ROWS[1] for _ in tokens))
    states = tuple(range(len(tokens) + 1))
    return Lane(
        seat, seat.request, start(case)[number], Lines(line, line), proposal, states, states
    )


@pytest.fixture
def batch(case: ServingCase) -> Batch:
    lanes = (lane(case, 0, (1,)), lane(case, 1, (0, 1)))
    return Batch(lanes, ROWS[:3], ROWS[3:8])


def test_rows_of_a_lane_follow_those_of_the_lane_before(batch: Batch) -> None:
    assert [batch.draft_start(0), batch.draft_start(1)] == [0, 1]
    assert [batch.target_start(0), batch.target_start(1)] == [0, 2]


def test_a_lane_reads_one_target_row_more_than_it_drafted(batch: Batch) -> None:
    judged = batch.judged(1, 1, 2)
    assert judged.draft_rows == tuple(ROWS[1:3])
    assert judged.target_rows == tuple(ROWS[5:8])
    assert judged.target((0,)) == ROWS[6]
    assert judged.proposal == DraftPath((0, 1), tuple(ROWS[1:3]))


def test_a_position_stands_after_its_prefix_of_the_draft(batch: Batch) -> None:
    first, second, bonus = batch.lanes[1].positions()
    assert [first.history, second.history, bonus.history] == [(), (0,), (0, 1)]
    assert [(p.index, p.last) for p in (first, second, bonus)] == [(0, 2), (1, 2), (2, 2)]
    assert bonus.raw == batch.lanes[1].seat.case.target.row(2)


def test_a_seat_names_a_request_by_its_number_in_the_case(case: ServingCase) -> None:
    seat = Seat(case, open=(1,), lane=0)
    assert (seat.number, seat.request) == (1, case.requests[1])
