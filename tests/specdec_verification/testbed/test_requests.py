from collections.abc import Callable
from fractions import Fraction

import pytest

from specdec_core.errors import InvalidParameterError
from specdec_verification.testbed.grammar import Grammar
from specdec_verification.testbed.requests import Constraints, Limits, Penalties, Request, Sampling


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sampling(Fraction(2, 3)), "temperature is 2/3, expected 0 or one over"),
        (lambda: Sampling(Fraction(-1)), "temperature is -1, expected at least 0"),
        (lambda: Penalties(repetition=0), "repetition is 0, expected at least 1"),
        (lambda: Penalties(presence=Fraction(0)), "presence is 0, expected more than 0"),
        (lambda: Penalties(frequency=Fraction(0)), "frequency is 0, expected more than 0"),
        (lambda: Constraints(bias=(Fraction(1), Fraction(0))), r"bias\[1\] is 0"),
        (lambda: Constraints(min_new_tokens=-1), "min_new_tokens is -1"),
        (lambda: Limits(0), "max_new_tokens is 0, expected at least 1"),
        (lambda: Limits(1, stop_sequences=((),)), "stop_sequences holds an empty one"),
        (lambda: Request(Limits(1), gamma=-1), "gamma is -1, expected at least 0"),
        (lambda: Request(Limits(1), gamma=1, seed=-1), "seed is -1, expected at least 0"),
    ],
)
def test_what_cannot_be_served_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        make()


def test_the_grammar_goes_on_with_every_token() -> None:
    request = Request(Limits(1), gamma=0, grammar=Grammar(((1, 0), (1, 0))))
    assert request.grammar_after((0, 1, 0)) == 1


def test_without_a_grammar_the_state_stays() -> None:
    assert Request(Limits(1), gamma=0).grammar_after((0, 1), state=3) == 3
