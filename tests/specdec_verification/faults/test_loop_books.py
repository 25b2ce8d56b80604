from specdec_verification.faults import loop_books as slips
from specdec_verification.testbed.requests import Limits
from specdec_verification.testbed.stops import Cut, Finish, cut

STOP = Limits(9, frozenset({0}))
PAIR = Limits(9, stop_sequences=((2, 1),))


def test_an_end_inside_the_run_is_passed_over() -> None:
    assert slips.end_seen_at_last_token(STOP, (), (0, 1)) == Cut((0, 1), None)
    assert slips.end_seen_at_last_token(STOP, (), (1, 0)) == cut(STOP, (), (1, 0))


def test_an_end_inside_the_run_leaves_the_rest() -> None:
    assert slips.end_seen_and_run_kept(STOP, (), (0, 1)) == Cut((0, 1), Finish.STOP_TOKEN)


def test_a_sequence_over_two_runs_is_missed() -> None:
    assert slips.sequence_within_run(PAIR, (2,), (1, 1)) == Cut((1, 1), None)
    assert slips.sequence_within_run(PAIR, (), (2, 1)) == cut(PAIR, (), (2, 1))


def test_a_sequence_that_ends_with_the_first_token_is_missed() -> None:
    assert slips.first_token_skipped(PAIR, (2,), (1,)) == Cut((1,), None)
    assert slips.first_token_skipped(PAIR, (2,), (1, 1)) == Cut((1, 1), None)
    assert slips.first_token_skipped(PAIR, (), (2, 1)) == cut(PAIR, (), (2, 1))


def test_a_run_that_does_not_fit_is_dropped() -> None:
    assert slips.budget_charged_first(Limits(2), (1,), (1, 1)) == Cut((), Finish.LENGTH)
    assert slips.budget_charged_first(Limits(2), (), (1, 1)) == Cut((1, 1), Finish.LENGTH)
