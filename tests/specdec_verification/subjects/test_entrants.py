from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.errors import OpaqueDrawError
from specdec_verification.subjects.entrants import entrant
from specdec_verification.subjects.exact import exact_law
from specdec_verification.subjects.noise import Symbol


def test_an_item_knows_its_rate(law: Callable[..., Any], uniform: Callable[[], Symbol]) -> None:
    def rate() -> Fraction:
        found = entrant(3 / -uniform().log())
        assert found is not None
        return found.rate

    assert law(rate) == {3: 1}


NO_ENTRANTS: dict[str, Callable[[Symbol], Any]] = {
    "a uniform": lambda u: u,
    "a scaled uniform's log": lambda u: (2 * u).log(),
    "a shifted exponential's log": lambda u: (1 - u.log()).log(),
    "a shifted exponential turned over": lambda u: 1 / (1 - u.log()),
    "a clamped one": lambda u: u.at_least(0.1).log(),
    "a root of a quotient": lambda u: (1 / -u.log()).sqrt(),
    "a negative speed turned over": lambda u: (-1 / -u.log()).exp(),
}


@pytest.mark.parametrize("made", NO_ENTRANTS.values(), ids=NO_ENTRANTS)
def test_what_is_no_exponential_noise_enters_no_race(
    made: Callable[[Symbol], Any], uniform: Callable[[], Symbol]
) -> None:
    with pytest.raises(OpaqueDrawError, match="comparison of two draws"):
        exact_law(lambda: made(uniform()) < made(uniform()) * 2)
