"""What the tests of the serving loop share: rows, models and a case to count on."""

from fractions import Fraction

import pytest

from specdec_core.distributions import Row
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.recurrent import RecurrentModel
from specdec_verification.testbed.requests import Limits, Request

HALVES = Row([Fraction(1, 2), Fraction(1, 2)])
QUARTERS = Row([Fraction(1, 4), Fraction(3, 4)])


@pytest.fixture
def case() -> ServingCase:
    """Return two requests over two tokens, one of them with a seed."""
    return ServingCase(
        target=RecurrentModel((HALVES, QUARTERS, HALVES)),
        draft=RecurrentModel((QUARTERS, HALVES, QUARTERS)),
        draft_ids=(0, 1),
        requests=(Request(Limits(2), gamma=1), Request(Limits(1), gamma=2, seed=7)),
    )
