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
    "a root of a quotient": lambda u: (1 / -u.log()).sqrt(),
    "a negative speed turned over": lambda u: (-1 / -u.log()).exp(),
}


@pytest.mark.parametrize("made", NO_ENTRANTS.values(), ids=NO_ENTRANTS)
def test_what_is_no_exponential_noise_enters_no_race(
    made: Callable[[Symbol], Any], uniform: Callable[[], Symbol]
) -> None:
    with pytest.raises(OpaqueDrawError, match="comparison of two draws"):
        exact_law(lambda: made(uniform()) < made(uniform()) * 2)


GUARDED: dict[str, Callable[[Symbol, float], Any]] = {
    "added to a uniform": lambda u, guard: -(u + guard).log(),
    "added to one less": lambda u, guard: -(1 - u + guard).log(),
    "a floor of a uniform": lambda u, guard: -u.at_least(guard).log(),
    "added to a time": lambda u, guard: -u.log() + guard,
    "a floor of a time": lambda u, guard: (-u.log()).at_least(guard),
    "both": lambda u, guard: -(-(u + guard).log() + guard).log(),
    "under a speed": lambda u, guard: 1 / (-u.log() + guard),
    "a floor under a speed": lambda u, guard: 3 / (-u.log()).at_least(guard),
}


@pytest.mark.parametrize("made", GUARDED.values(), ids=GUARDED)
def test_a_guard_that_no_draw_feels_is_left_out(
    made: Callable[[Symbol, float], Any], law: Callable[..., Any], uniform: Callable[[], Symbol]
) -> None:
    assert law(lambda: made(uniform(), 1e-20) < made(uniform(), 1e-20)) == {
        True: Fraction(1, 2),
        False: Fraction(1, 2),
    }


FELT = {name: made for name, made in GUARDED.items() if name != "added to a time"}  # all alike


@pytest.mark.parametrize("made", FELT.values(), ids=FELT)
def test_a_guard_that_counts_is_refused_with_what_to_write(
    made: Callable[[Symbol, float], Any], uniform: Callable[[], Symbol]
) -> None:
    with pytest.raises(OpaqueDrawError, match=r"in a race at .* below 5e-20, like 1e-20"):
        exact_law(lambda: made(uniform(), 1e-10) < made(uniform(), 1e-10))


def test_a_guard_stays_what_it_is_in_a_comparison(
    law: Callable[..., Any], uniform: Callable[[], Symbol]
) -> None:
    assert law(lambda: uniform() + 1e-20 < 0.5)[True] == Fraction(1, 2) - Fraction(1e-20)
    assert law(lambda: uniform().at_least(0.25) <= 0.25)[True] == Fraction(1, 4)
