import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_verification.subjects.curves import EXP, LOG, RECIPROCAL, isolate, nearest
from specdec_verification.subjects.exact import exact_law
from specdec_verification.subjects.noise import Symbol
from specdec_verification.subjects.running import current

HALF = Fraction(1, 2)

# Each is true with probability one half, to the last bit.
HALVES: dict[str, Callable[[Symbol], Any]] = {
    "log": lambda u: u.log() < math.log(0.5),
    "log, other way round": lambda u: math.log(0.5) > u.log(),
    "log, not above": lambda u: not u.log() >= math.log(0.5),
    "minus log": lambda u: -u.log() > -math.log(0.5),
    "log of one less": lambda u: (1 - u).log() < math.log(0.5),
    "exp": lambda u: u.exp() < math.exp(0.5),
    "reciprocal": lambda u: 1 / u > 2,
    "reciprocal, scaled": lambda u: 3 / u < 6,
    "power": lambda u: u**2 < 0.25,
    "root": lambda u: u.sqrt() < math.sqrt(0.5),
    "root by power": lambda u: u**0.5 < math.sqrt(0.5),
    "exp of log": lambda u: u.log().exp() < 0.5,
    "gumbel": lambda u: -(-u.log()).log() < -math.log(math.log(2)),
    "floor below": lambda u: u.at_least(0.25) < 0.5,
    "ceiling above": lambda u: u.at_most(0.75) < 0.5,
    "scaled log": lambda u: u.log() / 2 + 1 < math.log(0.5) / 2 + 1,
}


@pytest.mark.parametrize("asked", HALVES.values(), ids=HALVES)
def test_a_comparison_is_taken_back_through_curves(
    asked: Callable[[Symbol], Any], law: Callable[..., Any], uniform: Callable[[], Symbol]
) -> None:
    found = law(lambda: asked(uniform()))
    assert float(found[True]) == pytest.approx(0.5, abs=2e-16)


CERTAIN: dict[str, Callable[[Symbol], Any]] = {
    "exp is above 0": lambda u: u.exp() > 0,
    "exp is above -1": lambda u: u.log().exp() > -1,
    "log is below 0": lambda u: u.log() < 0,
    "log is below infinity": lambda u: u.log() < math.inf,
    "log is above minus infinity": lambda u: u.log() > -math.inf,
    "reciprocal is above 1": lambda u: 1 / u > 1,
    "reciprocal is above 0": lambda u: 1 / u > 0,
    "reciprocal is above -1": lambda u: 1 / u >= -1,
    "at least": lambda u: u.at_least(0.5) >= 0.5,
    "at most": lambda u: u.at_most(0.5) <= 0.5,
    "nan is not above": lambda u: not u.log() < math.nan,
    "nan is not above what is clamped": lambda u: not u.at_least(0.5) < math.nan,
    "times 0": lambda u: u.log() * 0 + 1 > 0.5,
    "clamped times 0": lambda u: u.at_least(0.5) * 0 + 1 > 0.5,
}


@pytest.mark.parametrize("asked", CERTAIN.values(), ids=CERTAIN)
def test_what_is_certain_does_not_fork(
    asked: Callable[[Symbol], Any], law: Callable[..., Any], uniform: Callable[[], Symbol]
) -> None:
    assert law(lambda: asked(uniform())) == {True: 1}


def test_the_bound_of_a_clamp_has_a_mass(
    law: Callable[..., Any], uniform: Callable[[], Symbol]
) -> None:
    def ties() -> tuple[bool, bool]:
        clamped = uniform().at_least(0.25)
        return clamped < 0.25, clamped <= 0.25

    assert law(ties) == {(False, True): Fraction(1, 4), (False, False): Fraction(3, 4)}


def test_a_bound_outside_what_a_draw_can_be_is_no_clamp(
    law: Callable[..., Any], uniform: Callable[[], Symbol]
) -> None:
    assert law(lambda: uniform().at_least(-1) < HALF) == {True: HALF, False: HALF}
    assert law(lambda: uniform().at_least(2)) == {2.0: 1}
    assert law(lambda: uniform().at_most(2) < HALF) == {True: HALF, False: HALF}
    assert law(lambda: uniform().at_most(-1)) == {-1.0: 1}


@given(
    st.sampled_from([LOG, EXP, RECIPROCAL]),
    st.fractions(min_value=Fraction(1, 100), max_value=100),
)
def test_backward_undoes_forward(function: Any, value: Fraction) -> None:  # noqa: ANN401
    assert float(function.backward(function.forward(value))) == pytest.approx(float(value))


@given(
    st.sampled_from(["<", "<=", ">", ">="]),
    st.fractions(max_denominator=9).filter(bool),
    st.fractions(max_denominator=9),
    st.fractions(max_denominator=9),
    st.fractions(max_denominator=9),
)
def test_isolating_the_inside_changes_no_answer(
    relation: str, scale: Fraction, shift: Fraction, threshold: Fraction, inside: Fraction
) -> None:
    from specdec_grids.affine import RELATIONS

    other, bound = isolate(relation, scale, shift, threshold)
    assert RELATIONS[relation](scale * inside + shift, threshold) == RELATIONS[other](inside, bound)


def test_isolating_from_an_infinity_gives_one() -> None:
    assert isolate("<", -2, 1, math.inf) == (">", -math.inf)


def test_the_double_nearest_to_a_huge_number_is_infinite() -> None:
    assert nearest(Fraction(10) ** 400) == math.inf
    assert nearest(-(Fraction(10) ** 400)) == -math.inf


def test_the_logarithm_of_a_tiny_fraction_is_its_own() -> None:
    assert LOG.forward(Fraction(1, 10**400)) == pytest.approx(-400 * math.log(10))
    assert EXP.forward(1000) == math.inf
    assert RECIPROCAL.forward(math.inf) == 0


@pytest.mark.parametrize("power", [1, 2, 3, 40])
def test_a_lattice_keeps_its_point_zero_through_a_logarithm(power: int) -> None:
    from specdec_grids.resolutions import LeftEndpoints
    from specdec_verification.subjects.exact import Execution
    from specdec_verification.subjects.streams import as_drawn

    def is_minus_infinity() -> bool:
        draws = current()
        drawn = draws.draw(draws.unseeded("tests"), 0, "uniform", LeftEndpoints(1 << power))
        return Symbol(drawn, 1, 0).log() <= -math.inf

    found = exact_law(is_minus_infinity, Execution(resolved=as_drawn)).law
    assert found[True] == Fraction(1, 1 << power)
