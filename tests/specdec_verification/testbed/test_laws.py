"""Merged and direct laws agree, and a draw that outlives its round is not merged away."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given, settings

from specdec_core.errors import InvalidParameterError, NondeterminismError
from specdec_verification.emissions import Malfunction
from specdec_verification.faults import loop_books, loop_cases, loop_rounds, loop_streams
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.lanes import Lines, Seat
from specdec_verification.testbed.laws import UNENDED, LoopLaw, direct, law_of_loop, merged
from specdec_verification.testbed.loop import ServingLoop
from specdec_verification.testbed.outcomes import RequestState
from specdec_verification.testbed.stops import Cut
from specdec_verification.testbed.strategies import serving_cases
from specdec_verification.testbed.streams import Streams

MERGED_UP_TO = 30
"""Paths of the merged law, past which the direct one is left out."""


@settings(max_examples=max(10, settings.default.max_examples // 2))  # direct laws are dear
@given(serving_cases(max_requests=2))
def test_merged_and_direct_agree(case: ServingCase) -> None:
    found = merged(ServingLoop(), case)
    assume(found.paths <= MERGED_UP_TO)
    whole = direct(ServingLoop(), case)
    assert (whole.answers, whole.breaches) == (found.answers, found.breaches)


@pytest.mark.parametrize(
    "loop",
    [
        ServingLoop(restore_target_with=loop_rounds.not_restored),
        ServingLoop(report_with=loop_books.probs_of_stale_rows),
        ServingLoop(count_with=loop_books.bonus_counted),
    ],
)
def test_they_agree_on_faults_too(loop: ServingLoop) -> None:
    found, whole = merged(loop, loop_cases.SHORT_ROUNDS), direct(loop, loop_cases.SHORT_ROUNDS)
    assert found.breaches
    assert (whole.answers, whole.breaches) == (found.answers, found.breaches)


def test_merging_needs_fewer_paths() -> None:
    case = loop_cases.LONGER
    assert merged(ServingLoop(), case).paths < direct(ServingLoop(), case).paths


def test_a_draw_used_in_two_rounds_is_followed_through_whole_runs() -> None:
    loop = ServingLoop(stream_with=loop_streams.draft_restarted)
    with pytest.raises(NondeterminismError, match="was taken in an earlier round"):
        merged(loop, loop_cases.SHORT_ROUNDS)
    found = law_of_loop(loop, loop_cases.SHORT_ROUNDS)
    assert found == direct(loop, loop_cases.SHORT_ROUNDS)
    assert found.answers.mass == 1


both: Any = pytest.mark.parametrize("law", [merged, direct])


@both
def test_a_loop_that_emits_nothing_does_not_end(law: Callable[..., LoopLaw]) -> None:
    loop = ServingLoop(cut_with=lambda limits, answer, run: Cut((), None))
    found = law(loop, loop_cases.SHORT_ROUNDS)
    assert found.answers.probs == {UNENDED: 1}
    assert dict(found.breaches)["progress"] == 3


@both
@pytest.mark.parametrize("error", [ZeroDivisionError, InvalidParameterError])
def test_a_run_that_raises_is_an_outcome(
    law: Callable[..., LoopLaw], error: type[Exception]
) -> None:
    """Of whatever it raises: no case lacks what a loop may ask for."""

    def fails(seat: Seat, state: RequestState, streams: Streams) -> Lines:
        raise error

    (outcome,) = law(ServingLoop(stream_with=fails), loop_cases.SHORT_ROUNDS).answers
    assert isinstance(outcome, Malfunction)
    assert error.__name__ in outcome.reason


@both
def test_a_budget_of_paths_leaves_mass_out(law: Callable[..., LoopLaw]) -> None:
    found = law(ServingLoop(), loop_cases.SHORT_ROUNDS, max_paths=40)
    assert 0 < found.answers.mass < 1
    assert found.paths == 40
