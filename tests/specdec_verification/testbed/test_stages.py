"""Each stage by hand, and their order."""

from fractions import Fraction

import pytest

from specdec_core.distributions import Row
from specdec_core.errors import ZeroResidualError
from specdec_core.transforms import MinP, TopK, TopP
from specdec_verification.testbed import stages
from specdec_verification.testbed.grammar import Grammar
from specdec_verification.testbed.requests import Constraints, Limits, Penalties, Request, Sampling
from specdec_verification.testbed.stages import WHOLE, Pipeline, Position, unit

ROW = unit([Fraction(weight) for weight in (3, 2, 1)])


def row(*weights: int) -> Row:
    return unit([Fraction(weight) for weight in weights])


def position(request: Request, history: tuple[int, ...] = (), grammar_state: int = 0) -> Position:
    return Position(request, ROW, history, grammar_state)


def test_repetition_counts_the_prompt_and_presence_and_frequency_do_not() -> None:
    request = Request(
        Limits(9),
        gamma=0,
        prompt=(0,),
        penalties=Penalties(2, presence=Fraction(1, 2), frequency=Fraction(1, 3)),
    )
    # Token 0 is squared; token 1 too, and then halved once and divided by three twice.
    squared = [Fraction(1, 4), Fraction(1, 9) / 2 / 9, Fraction(1, 6)]
    assert stages.penalised(position(request, (0, 1, 1)), ROW) == unit(squared)


def test_a_bias_is_a_factor() -> None:
    request = Request(
        Limits(1), 0, constraints=Constraints((Fraction(2), Fraction(3), Fraction(6)))
    )
    assert stages.biased(position(request), ROW) == row(1, 1, 1)


def test_stop_tokens_are_out_while_the_answer_is_short() -> None:
    request = Request(
        Limits(9, frozenset({2})),
        gamma=0,
        prompt=(2, 2),
        constraints=Constraints(banned=frozenset({1}), min_new_tokens=1),
    )
    assert stages.unbanned(position(request, (2, 2)), ROW) == row(1, 0, 0)
    assert stages.unbanned(position(request, (2, 2, 0)), ROW) == row(3, 0, 1)


def test_the_mask_is_that_of_the_state() -> None:
    request = Request(Limits(1), 0, grammar=Grammar(((0, 1, 0), (None, 0, 0))))
    assert stages.grammatical(position(request, grammar_state=1), ROW) == row(0, 2, 1)


def test_temperature_is_a_power() -> None:
    request = Request(Limits(1), 0, sampling=Sampling(Fraction(1, 2)))
    assert stages.tempered(position(request), ROW) == row(9, 4, 1)


def test_filters_are_asked_of_one_row() -> None:
    request = Request(Limits(1), 0, sampling=Sampling(top_k=2, top_p=Fraction(3, 5)))
    assert stages.filtered(position(request), ROW) == row(3, 2, 0)


def test_every_filter_that_is_asked_for_is_made() -> None:
    sampling = Sampling(top_k=2, top_p=Fraction(1, 2), min_p=Fraction(1, 4))
    made = (TopK(2), TopP(Fraction(1, 2)), MinP(Fraction(1, 4)))
    assert stages.filters(sampling) == made
    assert stages.filters(Sampling()) == ()


def test_masks_come_before_the_temperature() -> None:
    request = Request(
        Limits(1),
        gamma=0,
        sampling=Sampling(Fraction(0)),
        constraints=Constraints(banned=frozenset({0})),
    )
    assert WHOLE(position(request)) == row(0, 1, 0)


def test_a_request_that_asks_for_nothing_leaves_the_row() -> None:
    assert WHOLE(position(Request(Limits(1), gamma=0))) == ROW


def test_a_pipeline_of_no_stages_leaves_the_row() -> None:
    request = Request(Limits(1), 0, sampling=Sampling(Fraction(0)))
    assert Pipeline(())(position(request)) == ROW


def test_masks_that_leave_nothing_raise() -> None:
    request = Request(Limits(1), 0, constraints=Constraints(banned=frozenset({0, 1, 2})))
    with pytest.raises(ZeroResidualError):
        WHOLE(position(request))
