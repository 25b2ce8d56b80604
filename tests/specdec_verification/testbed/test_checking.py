"""The serving loop's exact law is plain decoding's; what is wrong is said."""

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings

from specdec_core.laws import Law
from specdec_verification.faults import loop_books, loop_cases, loop_streams
from specdec_verification.results import Labels, Verdict
from specdec_verification.testbed import checking
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.checking import LAW, broken_claims, check_loop
from specdec_verification.testbed.laws import LoopLaw, law_of_loop
from specdec_verification.testbed.loop import ServingLoop
from specdec_verification.testbed.plain import batch_law
from specdec_verification.testbed.strategies import serving_cases


@settings(max_examples=settings.default.max_examples * 5)  # 300 of them in the ci profile
@given(serving_cases())
def test_the_law_is_plain_decodings_under_any_settings(case: ServingCase) -> None:
    expected = batch_law(case)
    assume(len(expected) > 1)
    found = law_of_loop(ServingLoop(), case)
    assert found.answers.probs == expected.probs
    assert found.breaches == ()


def test_a_right_loop_passes() -> None:
    result = check_loop(ServingLoop(), loop_cases.SHORT_ROUNDS)
    assert (result.verdict, result.total_variation) == (Verdict.PASSED, 0)
    assert result.detail == "the law is plain decoding's, and every claim holds"
    assert result.labels.parameters == "V=3 requests=1 gamma=1"


def test_a_wrong_law_fails_with_its_distance_and_an_answer_that_shows_it() -> None:
    """Equal draws make equal answers: of two tokens, ``1 - sum(p**2)`` is lost."""
    loop = ServingLoop(stream_with=loop_streams.shared_by_unseeded)
    result = check_loop(loop, loop_cases.UNSEEDED_PAIR)
    lost = 1 - Fraction(1, 4) - Fraction(1, 9) - Fraction(1, 36)
    assert (result.verdict, result.total_variation) == (Verdict.FAILED, lost)
    assert result.detail == (
        "the law is off by TV 11/18: (0,) (length) and (0,) (length) has probability 1/2, "
        "expected 1/4; seed broken in 1 rounds a run"
    )


def test_wrong_books_fail_under_a_right_law() -> None:
    loop = ServingLoop(count_with=loop_books.bonus_counted)
    result = check_loop(loop, loop_cases.SHORT_ROUNDS)
    assert (result.verdict, result.total_variation) == (Verdict.FAILED, 0)
    assert broken_claims(loop, loop_cases.SHORT_ROUNDS) == ("counters",)
    assert result.detail.startswith("counters broken in ")


def test_the_law_is_named_first() -> None:
    loop = ServingLoop(cut_with=loop_books.budget_charged_first)
    assert broken_claims(loop, loop_cases.CAPPED) == (LAW, "progress")


def test_labels_are_the_callers(labels: Labels) -> None:
    assert check_loop(ServingLoop(), loop_cases.SHORT_ROUNDS, labels).labels == labels


def test_too_few_paths_are_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    def half(loop: ServingLoop, case: ServingCase) -> LoopLaw:
        answers, prob = next(iter(batch_law(case).probs.items()))
        return LoopLaw(Law({answers: prob}), (), 1)

    monkeypatch.setattr(checking, "law_of_loop", half)
    result = check_loop(ServingLoop(), loop_cases.SHORT_ROUNDS)
    assert (result.verdict, result.total_variation) == (Verdict.INCONCLUSIVE, None)
    assert "not followed" in result.detail
