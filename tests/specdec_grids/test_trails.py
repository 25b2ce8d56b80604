import math
import re

import pytest

from specdec_core.errors import NondeterminismError
from specdec_grids.trails import Choice, Trail

QUESTION = (0, "<", 1, 0, 0.5)


def choices(*answers: int) -> list[Choice[str]]:
    return [Choice(answer, f"state {answer}", (answer, 7)) for answer in answers]


def trail_after(*forks: list[Choice[str]]) -> Trail[str]:
    """Return the trail of a run that took a draw and asked about it again and again."""
    trail: Trail[str] = Trail()
    trail.taken = 1
    for number, fork in enumerate(forks):
        trail.fork((0, number), fork)
    return trail


def test_a_new_question_gets_the_first_answer() -> None:
    trail = trail_after()
    assert trail.again(QUESTION) is None
    assert trail.fork(QUESTION, choices(5, 3)).state == "state 5"
    assert trail.position == len(trail.questions) == 1


def test_a_question_asked_again_gets_the_same_answer() -> None:
    trail = trail_after(choices(5, 3))
    trail.position = 0
    found = trail.again((0, 0))
    assert found is not None
    assert found.answer == 5
    assert trail.position == 1
    assert trail.again((0, 1)) is None


def test_the_walk_is_depth_first_and_ends() -> None:
    trail = trail_after(choices(1, 2), choices(3))
    assert trail.advance()
    assert [question.choice.answer for question in trail.questions] == [2]
    trail.fork((0, 1), choices(4, 5, 6))
    followed = []
    while trail.advance():
        followed.append([question.choice.answer for question in trail.questions])
    assert followed == [[2, 5], [2, 6]]
    assert trail.questions == []


def test_the_weight_is_the_product_of_the_shares() -> None:
    assert Trail((6, 1)).weight == (6, 1)
    trail = trail_after(choices(5), choices(2, 3))
    assert trail.weight == (5 * 2, 7 * 7)
    trail.advance()
    assert trail.weight == (5 * 3, 7 * 7)


@pytest.mark.parametrize("asked", [(0, 1), (1, 0), (0, 0, 0), (0, "0")])
def test_another_question_after_the_same_answers_is_an_error(asked: tuple[int, ...]) -> None:
    trail = trail_after(choices(1, 2))
    trail.position = 0
    with pytest.raises(NondeterminismError, match="question 1 of a run") as error:
        trail.again(asked)
    assert "was (0, 0), asked after 1 draws" in str(error.value)
    assert f"now {asked}, after 1 draws" in str(error.value)


def test_the_same_question_after_another_number_of_draws_is_an_error() -> None:
    trail = trail_after(choices(1, 2))
    trail.position, trail.taken = 0, 2
    with pytest.raises(NondeterminismError, match=r"now \(0, 0\), after 2 draws"):
        trail.again((0, 0))


def test_nan_is_the_same_nan_when_it_is_asked_again() -> None:
    trail = trail_after()
    trail.fork((0, "<", 1, 0, float("nan")), choices(0))
    trail.position = 0
    assert trail.again((0, "<", 1, 0, -math.nan)) is not None


def test_a_draw_that_this_run_has_not_taken_answers_nothing() -> None:
    trail = trail_after()
    message = "draw 2 was asked about in a run that has taken 1: the program keeps a draw"
    with pytest.raises(NondeterminismError, match=re.escape(message)):
        trail.fork((1, "<"), choices(0, 1))


def test_a_run_that_asks_fewer_questions_is_an_error() -> None:
    trail = trail_after(choices(1, 2), choices(3, 4))
    trail.require_all_asked()
    trail.position = 1
    message = "a run ended after 1 questions, but 2 were asked after the same answers before"
    with pytest.raises(NondeterminismError, match=message):
        trail.require_all_asked()


def test_a_closed_trail_answers_nothing() -> None:
    trail = trail_after(choices(1, 2))
    trail.close()
    assert trail.again((0, 0)) is None
    with pytest.raises(NondeterminismError, match="has taken 0"):
        trail.fork((0, 0), choices(1, 2))
