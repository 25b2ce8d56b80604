import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from specdec_core.errors import OpaqueDrawError
from specdec_verification.subjects.exact import exact_law
from specdec_verification.subjects.noise import Symbol

REFUSED: dict[str, Callable[[Symbol], Any]] = {
    "float of a draw": float,
    "index of a draw": lambda u: [0, 1][u],
    "complex of a draw": complex,
    "bool of a draw": bool,
    "str of a draw": str,
    "format of a draw": lambda u: f"{u:.3f}",
    "hash of a draw": lambda u: {u},
    "mod of a draw": lambda u: u % 1,
    "round of a draw to digits": lambda u: round(u, 2),
    "search for equal ones": lambda u: u == 1 - u,
    "floordiv of a draw": lambda u: u // 1,
    "rpow of a draw": lambda u: 2**u,
    "division by zero": lambda u: u / 0,
    "division with": lambda u: u / u,
    "multiplication with": lambda u: u * u,
    "addition with": lambda u: u + u,
    "comparison with": lambda u: u < "a",
    "numpy.sin": np.sin,
    "addition with a draw": lambda u: np.sum(np.array([u, u])),
    "conversion of a draw to float64": lambda u: np.array([u], dtype=float),
    "conversion of a draw to int64": lambda u: np.array(u, dtype=np.int64),
    "float of a draw ": lambda u: np.zeros(1).__setitem__(0, u),
    "float of a draw  ": math.sin,
    "log of a draw that lies between -1 and 0": lambda u: (u - 1).log(),
    "1 / x of a draw that lies between -0.5 and 0.5": lambda u: 1 / (u - 0.5),
    "multiplication with inf": lambda u: (u - 0.5) * math.inf,
    "truncation of a draw that can be negative": lambda u: int(u - 0.5),
    "integer part of a draw that lies between 0 and 1e+06": lambda u: int(u * 1e6),
    "comparison of two draws": lambda u: u < 1 - u,
    "return of a draw itself": lambda u: u,
}


@pytest.mark.parametrize(("named", "used"), REFUSED.items(), ids=REFUSED)
def test_what_is_not_understood_is_refused_by_name_and_line(
    named: str, used: Callable[[Symbol], Any], uniform: Callable[[], Symbol]
) -> None:
    with pytest.raises(OpaqueDrawError) as refused:
        exact_law(lambda: used(uniform()))
    assert named.strip() in str(refused.value)
    assert f"{__file__}:" in str(refused.value)


def test_a_refusal_that_the_program_catches_is_still_one(uniform: Callable[[], Symbol]) -> None:
    def swallow() -> float:
        try:
            return float(uniform())
        except TypeError:
            return 0.0

    with pytest.raises(OpaqueDrawError, match="float of a draw"):
        exact_law(swallow)


HALVES: dict[str, Callable[[Symbol], Any]] = {
    "scaled": lambda u: u * 3 < 1.5,
    "scaled from the left": lambda u: 3 * u < 1.5,
    "scaled by numpy": lambda u: np.float64(3) * u < np.float64(1.5),
    "compared by numpy": lambda u: np.float64(0.5) > u,
    "divided": lambda u: u / 2 < 0.25,
    "one less": lambda u: 1 - u < 0.5,
    "numpy's one less": lambda u: np.float64(1) - u < 0.5,
    "shifted": lambda u: u + np.float64(1) < 1.5,
    "exact": lambda u: u * Fraction(1, 3) < Fraction(1, 6),
    "integer part": lambda u: int(2 * u) == 0,
    "floor": lambda u: math.floor(2 * u - 1) == -1,
    "floor of a curve": lambda u: math.floor(2 * u.log().exp()) == 0,
    "floor downwards": lambda u: math.floor(-2 * u) == -1,
    "numpy's log": lambda u: np.log(u) < np.log(0.5),
    "in an array": lambda u: (np.array([u, 1 - u]) < 0.5)[0],
    "times an array": lambda u: (u * np.array([1.0, 2.0]) < 0.5)[0],
    "an array times it": lambda u: (np.array([1.0, 2.0]) * u < 0.5)[0],
    "compared with an array": lambda u: (u < np.array([0.5, 2.0]))[0],
}


@pytest.mark.parametrize("asked", HALVES.values(), ids=HALVES)
def test_an_affine_change_is_exact(
    asked: Callable[[Symbol], Any], law: Callable[..., Any], uniform: Callable[[], Symbol]
) -> None:
    assert law(lambda: bool(asked(uniform()))) == {True: Fraction(1, 2), False: Fraction(1, 2)}


INFINITE: dict[str, tuple[Callable[[Symbol], Any], float]] = {
    "times infinity": (lambda u: u * math.inf, math.inf),
    "times minus infinity": (lambda u: u * -math.inf, -math.inf),
    "negative times infinity": (lambda u: -u * math.inf, -math.inf),
    "plus infinity": (lambda u: u + math.inf, math.inf),
    "minus infinity": (lambda u: u - math.inf, -math.inf),
    "from minus infinity": (lambda u: -math.inf - u, -math.inf),
    "over infinity": (lambda u: u / math.inf, 0.0),
    "over numpy's zero": (lambda u: u / np.float64(0), math.inf),
}


@pytest.mark.parametrize(("made", "expected"), INFINITE.values(), ids=INFINITE)
def test_an_infinity_swallows_the_draw(
    made: Callable[[Symbol], Any],
    expected: float,
    law: Callable[..., Any],
    uniform: Callable[[], Symbol],
) -> None:
    with np.errstate(divide="ignore"):
        assert law(lambda: made(uniform())) == {expected: 1}


def test_equal_draws_compare_as_equal(
    law: Callable[..., Any], uniform: Callable[[], Symbol]
) -> None:
    def same() -> tuple[bool, bool]:
        drawn = uniform()
        return drawn < drawn, drawn <= drawn

    assert law(same) == {(False, True): 1}


def test_the_line_is_the_users_where_a_library_is_in_between() -> None:
    with pytest.raises(OpaqueDrawError, match=r"test_noise\.py"):
        exact_law(lambda: random.triangular(0, 1, 0.5) if random.random() < 2 else None)


INTEGERS: dict[str, tuple[Callable[[Symbol], Any], dict[Any, Fraction]]] = {
    "int": (lambda u: int(3 * u), dict.fromkeys(range(3), Fraction(1, 3))),
    "ceil": (lambda u: math.ceil(2 * u), dict.fromkeys((1, 2), Fraction(1, 2))),
    "round": (lambda u: round(2 * u), {0: Fraction(1, 4), 1: Fraction(1, 2), 2: Fraction(1, 4)}),
    "abs": (lambda u: abs(u - 0.5) < 0.125, {True: Fraction(1, 4), False: Fraction(3, 4)}),
    "a point": (lambda u: u == 0.5, {False: Fraction(1)}),
    "no point": (lambda u: u != 0.5, {True: Fraction(1)}),
}


@pytest.mark.parametrize(("asked", "expected"), INTEGERS.values(), ids=INTEGERS)
def test_integers_near_a_draw_and_points_of_it(
    asked: Callable[[Symbol], Any],
    expected: dict[Any, Fraction],
    law: Callable[..., Any],
    uniform: Callable[[], Symbol],
) -> None:
    found = law(lambda: asked(uniform()))
    assert {key: prob for key, prob in found.items() if prob} == expected


def test_a_draw_equals_itself_and_no_other(
    law: Callable[..., Any], uniform: Callable[[], Symbol]
) -> None:
    def asked() -> tuple[bool, ...]:
        one, other = uniform(), uniform()
        return one == one + 0, -one.log() == -one.log(), one == other, one != other, one == "a"

    assert law(asked) == {(True, True, False, True, False): 1}
