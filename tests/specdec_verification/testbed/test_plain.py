from fractions import Fraction

from hypothesis import given

from specdec_core.draws import ReplayedDraws
from specdec_core.laws import Law
from specdec_grids.paths import exact_law
from specdec_verification.testbed import plain
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.outcomes import Answer
from specdec_verification.testbed.requests import Limits, Request
from specdec_verification.testbed.stops import Finish
from specdec_verification.testbed.strategies import serving_cases


def test_one_draw_a_token(case: ServingCase) -> None:
    draws = ReplayedDraws([0.75, 0.25, 0.5])
    first, second = plain.decode_batch(case, draws)
    draws.require_all_used()
    assert first == Answer((1, 0), Finish.LENGTH)
    assert second == Answer((1,), Finish.LENGTH)


def test_a_law_by_hand(case: ServingCase) -> None:
    """Rows are even at the start, (1/4, 3/4) after token 0; token 0 ends the answer."""
    request = Request(Limits(2, frozenset({0})), gamma=0)
    assert plain.answer_law(case, request) == Law(
        {
            Answer((0,), Finish.STOP_TOKEN): Fraction(1, 2),
            Answer((1, 0), Finish.STOP_TOKEN): Fraction(1, 4),
            Answer((1, 1), Finish.LENGTH): Fraction(1, 4),
        }
    )


@given(serving_cases(max_requests=1))
def test_the_law_is_that_of_the_program(case: ServingCase) -> None:
    (request,) = case.requests
    found = exact_law(lambda draws: plain.decode(case, request, draws))
    assert found.law == plain.answer_law(case, request)


def test_the_joint_law_of_a_batch_is_that_of_the_program(case: ServingCase) -> None:
    found = exact_law(lambda draws: plain.decode_batch(case, draws))
    assert found.law == plain.batch_law(case)
