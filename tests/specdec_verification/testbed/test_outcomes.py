from specdec_verification.testbed.outcomes import Answer, Counters, opened
from specdec_verification.testbed.requests import Limits, Request


def test_a_request_that_was_not_served_yet() -> None:
    state = opened(Request(Limits(1), gamma=1, prompt=(2,)), target_state=3, draft_state=1)
    assert state.open
    assert (state.tokens, state.history, state.probs) == ((), (2,), ())
    assert (state.target_state, state.draft_state, state.grammar_state) == (3, 1, 0)
    assert (state.answer, state.counters) == (Answer((), None), Counters(0, 0, 0, 0))
