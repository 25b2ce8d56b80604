from fractions import Fraction

import pytest

from specdec_core.draws import ReplayedDraws
from specdec_core.rules import Verification
from specdec_verification.faults import path_slips as path
from specdec_verification.faults.loop_cases import SHORT_ROUNDS
from specdec_verification.faults.path_slips import SlippedPathRule
from specdec_verification.testbed import steps
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.checking import LAW, broken_claims
from specdec_verification.testbed.lanes import Judged, Seat
from specdec_verification.testbed.loop import ServingLoop, start
from specdec_verification.testbed.outcomes import Counters
from specdec_verification.testbed.steps import ByRule, own_rows
from specdec_verification.testbed.stops import Cut, Finish
from specdec_verification.testbed.streams import Streams

SLIPS = (
    SlippedPathRule("accept_always", accept_with=path.accept_always),
    SlippedPathRule("recovered_from_target", recover_with=path.recover_from_target),
    SlippedPathRule("bonus_from_draft", end_accepted_with=path.bonus_from_draft),
)


@pytest.fixture
def judged(case: ServingCase) -> Judged:
    """Return the first lane of a first round; it drafted token 1."""
    seen: list[Judged] = []

    def gather(batch: object, lane: int) -> Judged:
        seen.append(own_rows(batch, lane))  # type: ignore[arg-type]
        return seen[-1]

    draws = ReplayedDraws([0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0])
    ServingLoop(gather_with=gather).play(case, start(case), Streams(draws))
    return seen[0]


def test_the_state_is_that_after_the_kept_tokens_and_the_added_one(case: ServingCase) -> None:
    states = steps.snapshots(case.target, 0, (1, 0, 1), start(case)[0])
    for kept in range(4):
        verification = Verification((1, 0, 1)[:kept], 0)
        expected = case.target.after(0, verification.tokens)
        assert steps.restored(states, case.target.fed, verification) == expected


def test_a_run_without_a_last_token_ends_at_a_snapshot(case: ServingCase) -> None:
    states = steps.snapshots(case.target, 0, (1, 0), start(case)[0])
    assert steps.restored(states, case.target.fed, Verification((1, 0), None)) == states[2]


def test_probabilities_are_read_from_the_row_of_each_token(judged: Judged) -> None:
    kept = Cut((1, 0), None)
    reported = steps.reported(judged, Verification((1,), 0), kept)
    assert reported == (judged.target_rows[0][1], judged.target_rows[1][0])
    assert reported == (Fraction(1, 2), Fraction(1, 2))


def test_what_was_cut_away_is_not_counted(judged: Judged) -> None:
    kept = Cut((1,), Finish.STOP_TOKEN)
    assert steps.counted(judged, Verification((1,), 0), kept) == Counters(1, 1, 1, 1)
    assert steps.counted(judged, Verification((), 0), Cut((0,), None)) == Counters(1, 1, 0, 1)


@pytest.mark.parametrize("rule", SLIPS, ids=lambda rule: rule.name)
def test_a_fault_of_the_rule_is_one_of_the_loop(rule: SlippedPathRule) -> None:
    loop = ServingLoop(verify_with=ByRule(rule))
    assert LAW in broken_claims(loop, SHORT_ROUNDS)


def test_draft_and_verification_read_one_stream_on(case: ServingCase) -> None:
    streams = Streams(ReplayedDraws([0.25, 0.75]))
    lines = steps.own_stream(Seat(case, (0, 1), 1), start(case)[1], streams)
    assert [lines.draft.uniform(), lines.verify.uniform()] == [0.25, 0.75]
    assert streams.taken == [(7, 0), (7, 1)]
