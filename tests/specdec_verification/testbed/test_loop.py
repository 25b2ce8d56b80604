"""The loop by hand, and against plain decoding draw by draw."""

from dataclasses import replace
from fractions import Fraction

from hypothesis import given

from specdec_core.distributions import Row
from specdec_core.draws import RecordedDraws, ReplayedDraws
from specdec_verification import strategies as core_strategies
from specdec_verification.testbed import plain
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.loop import ServingLoop, start
from specdec_verification.testbed.outcomes import Answer, Counters
from specdec_verification.testbed.requests import Constraints, Limits, Request
from specdec_verification.testbed.stops import Finish
from specdec_verification.testbed.strategies import serving_cases
from specdec_verification.testbed.streams import Streams

LOOP = ServingLoop()


def test_a_round_by_hand(case: ServingCase) -> None:
    """The first request drafts 1 (q 3/4, p 1/2): refused by 0.75, kept by 0.5."""
    alone = replace(case, requests=case.requests[:1])
    (refused,) = LOOP.play(alone, start(alone), Streams(ReplayedDraws([0.5, 0.75, 0.0]))).states
    assert refused.answer == Answer((0,), None)
    assert (refused.probs, refused.counters) == ((Fraction(1, 2),), Counters(1, 1, 0, 1))
    (kept,) = LOOP.play(alone, start(alone), Streams(ReplayedDraws([0.5, 0.5, 0.0]))).states
    # Token 1 moves the target to state 2, whose row is even.
    assert kept.answer == Answer((1, 0), Finish.LENGTH)
    assert (kept.probs, kept.counters) == ((Fraction(1, 2),) * 2, Counters(1, 1, 1, 2))


def test_the_cap_cuts_a_run(case: ServingCase) -> None:
    alone = replace(case, requests=case.requests[1:])
    draws = ReplayedDraws([0.0] * 5)
    (state,) = LOOP.serve(alone, draws)
    draws.require_all_used()
    assert (state.answer, state.draws) == (Answer((0,), Finish.LENGTH), 5)
    assert state.counters == Counters(rounds=1, drafted=2, accepted=1, emitted=1)


def test_a_closed_request_has_no_lane(case: ServingCase) -> None:
    streams = Streams(ReplayedDraws([0.5, 0.0, 0.0, 0.75, *[0.0] * 7]))
    first = LOOP.play(case, start(case), streams)
    assert [state.open for state in first.states] == [True, False]
    second = LOOP.play(case, first.states, streams)
    assert [lane.seat.number for lane in second.lanes] == [0]
    assert second.states[1] == first.states[1]


def test_a_draft_that_the_masks_leave_no_token_ends_there(case: ServingCase) -> None:
    banned = Constraints(banned=frozenset({0}))
    lone = replace(case, draft=replace(case.draft, rows=(plain_row(),) * 3), draft_ids=(0,))
    masked = replace(lone, requests=(Request(Limits(2), gamma=2, constraints=banned),))
    draws = RecordedDraws(ReplayedDraws([0.5, 0.5]))
    (state,) = LOOP.serve(masked, draws)
    assert state.answer.tokens == (1, 1)
    assert state.counters == Counters(rounds=2, drafted=0, accepted=0, emitted=2)


def plain_row() -> Row:
    return Row([Fraction(1)])


@given(serving_cases(), core_strategies.draws(12))
def test_without_a_draft_it_is_plain_decoding_draw_by_draw(
    case: ServingCase, values: tuple[float | Fraction, ...]
) -> None:
    request = replace(case.requests[0], gamma=0)
    undrafted = replace(case, requests=(request,))
    (state,) = LOOP.serve(undrafted, ReplayedDraws(values))
    assert state.answer == plain.decode(undrafted, request, ReplayedDraws(values))


@given(serving_cases())
def test_a_seeded_request_takes_its_own_draws_in_order(case: ServingCase) -> None:
    streams = Streams(_Halves())
    played = LOOP.play(case, start(case), streams)
    for lane in played.lanes:
        seed = lane.seat.request.seed
        own = [place for place in streams.taken if place[0] == seed]
        if seed is not None:
            assert own == [(seed, index) for index in range(2 * lane.length + 1)]


class _Halves:
    def uniform(self) -> float:
        return 0.5
