import copy
import math
import operator
import pickle
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.draws import Draws
from specdec_core.errors import OpaqueDrawError
from specdec_core.sampling import accepts
from specdec_grids.affine import RELATIONS, Cut, Scaled, ratio, solve
from specdec_grids.lattices import count, midpoint_lattice, visit
from specdec_grids.paths import exact_law
from specdec_grids.populations import sample_counts

QUARTER = {True: Fraction(1, 4), False: Fraction(3, 4)}
INFINITE = [math.inf, -math.inf, math.nan, np.float64("inf"), np.float32("-inf"), np.float16("nan")]
DTYPES = [np.float16, np.float32, np.float64, np.longdouble, np.int8, np.int64, np.uint8]
ENGINES: dict[str, Callable[[Any], Any]] = {
    "paths": exact_law,
    "split": lambda program: count(program, midpoint_lattice([4, 4])),
    "visit": lambda program: visit(program, midpoint_lattice([4, 4])),
    "sample": lambda program: sample_counts(program, 4, np.random.default_rng()),
}

numbers = st.fractions(-3, 3, max_denominator=6)


def law_of(program: Callable[[Draws], Any]) -> dict[Any, Fraction]:
    return dict(exact_law(program).law.probs)


# What is understood.


@pytest.mark.parametrize(
    "question",
    [
        lambda u: u < Fraction(1, 4),
        lambda u: u <= 0.25,
        lambda u: 0.25 > u,  # noqa: SIM300  (the reflected comparison)
        lambda u: Decimal("0.25") >= u,
        lambda u: u * 4 < 1,
        lambda u: 4 * u < 1,
        lambda u: u / 3 < Fraction(1, 12),
        lambda u: u + 1 < 1.25,
        lambda u: 1 + u < 1.25,
        lambda u: u - 1 < -0.75,
        lambda u: 1 - u > 0.75,
        lambda u: -u > -0.25,
        lambda u: -(2 * -u) < 0.5,
        lambda u: (2 * u - 1) / 2 + 0.5 < 0.25,
        lambda u: sum([u]) < 0.25,
        lambda u: max(u, 0.25) is not u,
        lambda u: u * True < 0.25,
        lambda u: not u >= 0.25,
    ],
)
def test_scaling_shifting_and_comparing_are_understood(question: Callable[[Any], bool]) -> None:
    assert law_of(lambda draws: question(draws.uniform())) == QUARTER


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "question",
    [
        lambda u, one, two: u * two < one,
        lambda u, one, two: two * u < one,
        lambda u, one, two: u + one < Fraction(3, 2),
        lambda u, one, two: one + u < Fraction(3, 2),
        lambda u, one, two: u - one < -Fraction(1, 2),
        lambda u, one, two: one - u > Fraction(1, 2),
        lambda u, one, two: u / two < Fraction(1, 4),
        lambda u, one, two: two * u <= one,
        lambda u, one, two: one > two * u,
        lambda u, one, two: one >= two * u,
        lambda u, one, two: not (u * two > one),
        lambda u, one, two: not (u * two >= one),
        lambda u, one, two: not (one < u * two),
        lambda u, one, two: not (one <= u * two),
    ],
)
def test_a_numpy_scalar_is_a_number_on_either_side(
    question: Callable[..., bool], dtype: type[Any]
) -> None:
    law = law_of(lambda draws: question(draws.uniform(), dtype(1), dtype(2)))
    assert law == {True: Fraction(1, 2), False: Fraction(1, 2)}


def test_a_float_is_the_rational_number_that_it_is() -> None:
    assert law_of(lambda draws: draws.uniform() < 0.1)[True] == Fraction(0.1)
    assert law_of(lambda draws: draws.uniform() * 3.0 < 0.3)[True] == Fraction(0.3) / 3


@pytest.mark.parametrize("relation", sorted(RELATIONS))
@given(scale=numbers, shift=numbers, threshold=numbers, u=numbers)
def test_a_cut_answers_as_the_comparison_does(
    relation: str, scale: Fraction, shift: Fraction, threshold: Fraction, u: Fraction
) -> None:
    cut = solve(relation, scale, shift, threshold)
    assert cut.denominator > 0
    at = Fraction(cut.numerator, cut.denominator)
    for draw in (u, at) if scale else (abs(u) / 4,):
        below = draw <= at if cut.inclusive else draw < at
        got = cut.answer_below if below else cut.answer_above
        assert got == RELATIONS[relation](scale * draw + shift, threshold)


@given(numbers, numbers, numbers, numbers)
def test_a_chain_of_operations_is_one_affine_function(
    a: Fraction, b: Fraction, c: Fraction, u: Fraction
) -> None:
    chain = lambda draw: c - ((draw * a + b) * c - a) / 2  # noqa: E731
    symbol = chain(Scaled(None, 1, 0))  # type: ignore[arg-type]  (never asked)
    assert symbol.scale * u + symbol.shift == chain(u)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("relation", sorted(RELATIONS))
@pytest.mark.parametrize("threshold", INFINITE, ids=repr)
def test_infinity_and_nan_compare_as_with_a_float(
    threshold: float, relation: str, engine: str
) -> None:
    def program(draws: Draws) -> tuple[bool, bool, bool]:
        u = draws.uniform()
        first = RELATIONS[relation](u, threshold)
        fork = u < 0.5
        return bool(first), bool(fork), bool(RELATIONS[relation](1 - 2 * u, threshold))

    found = ENGINES[engine](program)
    outcomes = set(found.law)
    expected = bool(RELATIONS[relation](0.5, threshold))
    assert {(first, last) for first, _, last in outcomes} == {(expected, expected)}


# What is not.


def line_of(function: Callable[..., Any]) -> str:
    return f"{__file__}:{function.__code__.co_firstlineno}: "


REFUSED: dict[str, Callable[[Any], Any]] = {
    "eq of a draw": lambda u: u == 0.5,
    "ne of a draw": lambda u: u != 0.5,
    "hash of a draw": hash,
    "bool of a draw": bool,
    "str of a draw": str,
    "format of a draw": lambda u: f"{u}",
    "array of a draw": np.asarray,
    "float of a draw": float,
    "int of a draw": int,
    "index of a draw": lambda u: range(9)[u],
    "complex of a draw": complex,
    "round of a draw": lambda u: round(u, 2),
    "floor of a draw": math.floor,
    "ceil of a draw": math.ceil,
    "trunc of a draw": math.trunc,
    "abs of a draw": abs,
    "pos of a draw": lambda u: +u,
    "pow of a draw": lambda u: u**2,
    "rpow of a draw": lambda u: 2**u,
    "rtruediv of a draw": lambda u: 1 / u,
    "floordiv of a draw": lambda u: u // 1,
    "rfloordiv of a draw": lambda u: 1 // u,
    "mod of a draw": lambda u: u % 1,
    "rmod of a draw": lambda u: 1 % u,
    "divmod of a draw": lambda u: divmod(u, 1),
    "rdivmod of a draw": lambda u: divmod(1, u),
    "reduce_ex of a draw": pickle.dumps,
    "division by zero": lambda u: u / 0,
    "division with inf (float)": lambda u: u / math.inf,
    "division with 'a' (str)": lambda u: u / "a",
    "addition with nan (float)": lambda u: u + math.nan,
    "addition with None (NoneType)": lambda u: u + None,
    "subtraction with inf (float)": lambda u: u - math.inf,
    "multiplication with nan (float)": lambda u: u * math.nan < 0.5,
    "multiplication with inf (float)": lambda u: math.inf * u < math.inf,
    "multiplication with 'a' (str)": lambda u: u * "a" > math.nan,
    "multiplication with 1j (complex)": lambda u: 1j * u < 0.5,
    "comparison with 'a' (str)": lambda u: u < "a",
    "comparison with None (NoneType)": lambda u: u >= None,
    "comparison with <class 'float'> (type)": lambda u: u < float,
    "comparison with np.True_ (bool)": lambda u: np.bool_(True) > u,
    "comparison with array([0.5]) (ndarray)": lambda u: u < np.array([0.5]),
    "comparison with array(0.5) (ndarray)": lambda u: np.array(0.5) > u,
}
ON_TWO: list[tuple[str, Callable[[Any, Any], Any]]] = [
    ("comparison of two draws", operator.lt),
    ("comparison of two draws", lambda u, v: sorted([u, v])),
    ("comparison of two draws", lambda u, v: 1 - 2 * u >= v + 1),
    ("eq of a draw", operator.eq),
    ("addition with ", operator.add),
    ("subtraction with ", operator.sub),
    ("division with ", operator.truediv),
    ("multiplication with ", lambda u, v: u * v < 0.5),
    ("pow of a draw", operator.pow),
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("scaled", [False, True], ids=["draw", "scaled"])
@pytest.mark.parametrize("message", REFUSED)
def test_whatever_would_have_to_guess_is_refused(message: str, scaled: bool, engine: str) -> None:
    def program(draws: Draws) -> object:
        u = draws.uniform()
        return REFUSED[message](2 * u + 1 if scaled else u)

    with pytest.raises(OpaqueDrawError) as error:
        ENGINES[engine](program)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("message", "mix"), ON_TWO)
def test_two_draws_do_not_mix(message: str, mix: Callable[[Any, Any], Any], engine: str) -> None:
    with pytest.raises(OpaqueDrawError) as error:
        ENGINES[engine](lambda draws: mix(draws.uniform(), draws.uniform()))
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("ufunc", [np.sqrt, np.floor, lambda u: np.less(u, 0.5)])
def test_a_numpy_function_refuses_a_draw_itself(ufunc: Callable[..., Any], engine: str) -> None:
    with pytest.raises(TypeError, match="does not support ufuncs"):
        ENGINES[engine](lambda draws: ufunc(draws.uniform()))


@pytest.mark.parametrize(
    "operation",
    [name for name, function in REFUSED.items() if getattr(function, "__name__", "") == "<lambda>"],
)
def test_the_message_names_the_line_of_the_program(operation: str) -> None:
    with pytest.raises(OpaqueDrawError) as error:
        exact_law(lambda draws: REFUSED[operation](draws.uniform()))
    assert line_of(REFUSED[operation]) in str(error.value)


def test_inside_the_core_the_line_is_that_of_the_call() -> None:
    program = lambda draws: accepts(draws.uniform(), "half", 1)  # type: ignore[arg-type]  # noqa: E731
    with pytest.raises(OpaqueDrawError, match=r"comparison with 'half' \(str\)") as error:
        exact_law(program)
    assert line_of(program) in str(error.value)


def test_a_users_package_may_be_called_almost_like_ours() -> None:
    namespace: dict[str, Any] = {"__name__": "specdec_grids_of_a_user"}
    source = "\n\ndef program(draws):\n    return float(draws.uniform())"
    exec(compile(source, "theirs.py", "exec"), namespace)
    with pytest.raises(OpaqueDrawError) as error:
        exact_law(namespace["program"])
    assert "at theirs.py:4: " in str(error.value)


def test_inside_numpy_the_line_is_that_of_the_call() -> None:
    program = lambda draws: np.searchsorted([0.25, 0.5], draws.uniform())  # noqa: E731
    with pytest.raises(OpaqueDrawError, match="array of a draw") as error:
        exact_law(program)
    assert line_of(program) in str(error.value)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_draw_that_is_the_outcome_is_refused(engine: str) -> None:
    with pytest.raises(OpaqueDrawError, match="hash of a draw"):
        ENGINES[engine](lambda draws: (1, draws.uniform()))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_a_copy_of_a_draw_is_the_draw(duplicate: Callable[[Any], Any]) -> None:
    """As with floats: a copy of the state that holds a draw must not lose an answer."""

    def program(draws: Draws) -> tuple[bool, bool]:
        u, (v,) = duplicate(draws.uniform()), duplicate([2 * draws.uniform()])
        return u < 0.25, v < 0.5

    assert sorted(law_of(program).values()) == [Fraction(n, 16) for n in (1, 3, 3, 9)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_source_of_draws_is_not_copied(duplicate: Callable[[Any], Any], engine: str) -> None:
    with pytest.raises(OpaqueDrawError, match="copying the source of draws"):
        ENGINES[engine](duplicate)


def test_a_ratio_is_two_python_integers() -> None:
    assert ratio(np.float32(0.5), "comparison") == (1, 2)
    assert [type(part) for part in ratio(np.int64(3), "comparison")] == [int, int]


def test_a_certain_cut_leaves_every_draw_on_one_side() -> None:
    assert solve("<", 0, 0, 1) == solve(">", 1, 0, -math.inf) == Cut(1, 1, False, True)
    assert solve("<", 0, 1, 1) == solve("<", 1, 0, math.nan) == Cut(1, 1, False, False)
