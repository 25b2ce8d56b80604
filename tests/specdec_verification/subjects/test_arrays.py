from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from specdec_core.errors import OpaqueDrawError
from specdec_verification.subjects.arrays import (
    SymbolArray,
    extreme_item,
    larger,
    lines,
    search,
    smaller,
    symbol_array,
)
from specdec_verification.subjects.exact import exact_law
from specdec_verification.subjects.noise import Symbol

Uniforms = Callable[..., Any]
HALF = Fraction(1, 2)


@pytest.fixture
def uniforms(uniform: Callable[[], Symbol]) -> Uniforms:
    """Return an array of new uniforms of the run at hand."""
    return lambda *shape: symbol_array([uniform() for _ in range(int(np.prod(shape)))], shape)


MOVED: dict[str, Callable[[Any], Any]] = {
    "as it is": lambda u: u,
    "indexed": lambda u: u[::-1],
    "masked": lambda u: u[np.array([True, True])],
    "picked": lambda u: u[[1, 0]],
    "reshaped": lambda u: u.reshape(1, 2),
    "turned": lambda u: u.reshape(2, 1).T,
    "copied": lambda u: u.copy(),
    "ravelled": lambda u: u.reshape(2, 1).ravel(),
    "stacked": lambda u: np.stack([u, u]),
    "joined": lambda u: np.concatenate([u, [0.5]])[:2],
    "with an axis": lambda u: u[np.newaxis, :],
    "broadcast": lambda u: np.broadcast_to(u, (2, 2)),
    "repeated": lambda u: np.repeat(u, 1),
    "where": lambda u: np.where([True, True], u, 0.0),
    "assigned": lambda u: _assigned(u),
    "added in place": lambda u: _in_place(u),
    "filled by out": lambda u: np.add(u, 0, out=u.copy()),
    "as floats": lambda u: u.astype(np.float32),
    "clipped": lambda u: np.minimum(np.maximum(u, 0), 1),
    "read as an array": lambda u: np.asarray(u),
    "a list again": lambda u: np.array(u.tolist()),
    "squared and rooted": lambda u: np.sqrt(np.square(u)),
    "turned over twice": lambda u: 1 / np.reciprocal(u),
    "log and exp": lambda u: np.exp2(np.log2(np.expm1(np.log1p(u)))),
    "log to ten": lambda u: np.float64(10) ** 0 * np.exp(np.log10(u) * np.log(10)),
    "signs": lambda u: -np.negative(np.positive(u)),
}


def _assigned(u: Any) -> Any:  # noqa: ANN401
    u[0] = u[1]
    return u[:1]


def _in_place(u: Any) -> Any:  # noqa: ANN401
    u += 1
    u -= 1
    return u


@pytest.mark.parametrize("moved", MOVED.values(), ids=MOVED)
def test_shape_operations_move_the_elements(
    moved: Callable[[Any], Any], law: Callable[..., Any], uniforms: Uniforms
) -> None:
    def below() -> Any:  # noqa: ANN401
        answers = moved(uniforms(2)) < 0.5
        assert answers.dtype == bool
        return bool(answers.all())

    found = law(below)
    share = found[True]
    assert min(abs(share - HALF), abs(share - HALF * HALF)) < 1e-15


def test_what_holds_no_symbol_is_an_array_of_floats() -> None:
    assert symbol_array([1, 2.5], (2,)).dtype == float
    assert not isinstance(symbol_array([1, 2.5], (2,)), SymbolArray)


def test_numbers_divide_as_numpys_do(law: Callable[..., Any], uniforms: Uniforms) -> None:
    def quotients() -> Any:  # noqa: ANN401
        with np.errstate(divide="ignore"):
            mixed = np.concatenate([-np.log(uniforms(1)), [1.0]])
            return (mixed / np.array([0.0, 0.0])).tolist()

    assert law(quotients) == {(np.inf, np.inf): 1}


def test_the_largest_item_is_the_winner_of_a_race(
    law: Callable[..., Any], uniforms: Uniforms
) -> None:
    def is_first() -> bool:
        items = 1 / -np.log(uniforms(2))
        return bool(np.max(items) is items[0])

    def of_lines() -> list[bool]:
        items = 1 / -np.log(uniforms(2, 2))
        largest = extreme_item(items, 1, True)
        return [item is row[0] for item, row in zip(largest, items, strict=True)]

    assert law(is_first) == {True: HALF, False: HALF}
    assert len(law(of_lines)) == 4


def test_larger_and_smaller_choose_between_symbols_and_numbers(
    law: Callable[..., Any], uniform: Callable[[], Symbol]
) -> None:
    assert (larger(1, 2), smaller(1, 2)) == (2, 1)
    for pick in (larger, smaller):
        assert len(law(lambda pick=pick: pick(uniform(), 0.5) < 0.6)) > 0
        assert law(lambda pick=pick: bool(pick(0.5, uniform()) <= 0.5))[True] >= HALF
    noise = lambda: -uniform().log()  # noqa: E731
    assert law(lambda: isinstance(larger(noise(), noise()), Symbol)) == {True: 1}
    assert law(lambda: isinstance(smaller(noise(), noise()), Symbol)) == {True: 1}


@pytest.mark.parametrize("right", [False, True])
def test_searching_is_one_choice(
    right: bool, law: Callable[..., Any], uniform: Callable[[], Symbol]
) -> None:
    sums = [0.25, 0.25, 0.5, 1.0]
    expected = {0: Fraction(1, 4), 2: Fraction(1, 4), 3: HALF}
    assert law(lambda: search(sums, uniform(), right)) == expected
    assert law(lambda: search(sums, 1 - uniform(), right)) == expected
    assert law(lambda: search([0.5, 1, 2], 2 * uniform(), right))[1] == Fraction(1, 4)
    assert search([0.5, 1], 0.5, right) == int(right)


def test_searching_takes_infinite_bounds(
    law: Callable[..., Any], uniform: Callable[[], Symbol]
) -> None:
    assert law(lambda: search([-np.inf, 0.5, np.inf], uniform(), True)) == {1: HALF, 2: HALF}


def test_lines_are_rows_along_an_axis() -> None:
    rows, shape = lines(np.arange(6).reshape(2, 3), 0)
    assert rows.tolist() == [[0, 3], [1, 4], [2, 5]]
    assert shape == (3,)
    assert lines(np.arange(6).reshape(2, 3), None)[0].shape == (1, 6)


REFUSED: dict[str, Callable[[Any], Any]] = {
    "numpy.add \\(reduce\\)": np.sum,
    "numpy.multiply \\(reduce\\)": np.prod,
    "numpy.add \\(accumulate\\)": np.cumsum,
    "numpy.matmul": lambda u: u @ u,
    "isfinite of a draw that has no bounds": lambda u: np.isfinite(np.log(u)),
    "isinf of a draw that has no bounds": lambda u: np.isinf(np.log(u)),
    "numpy.sin": np.sin,
    "with where": lambda u: np.add(u, 1, where=[True, False], out=u.copy()),
    "conversion of draws to float16": lambda u: u.astype(np.float16),
    "conversion of draws to bool": lambda u: u.astype(bool),
    "float of a draw": lambda u: np.zeros(2).__setitem__(slice(None), u),
    "descends from 1.0 to 0.5": lambda u: np.searchsorted([1.0, 0.5], u),
    "comparison of two draws": np.argmax,
    "comparison of two draws ": np.sort,
    "numpy.logical_or": np.any,
}


@pytest.mark.parametrize(("named", "used"), REFUSED.items(), ids=REFUSED)
def test_what_is_not_understood_is_refused_by_name(
    named: str, used: Callable[[Any], Any], uniforms: Uniforms
) -> None:
    with pytest.raises(OpaqueDrawError, match=named.strip()):
        exact_law(lambda: used(uniforms(2)) is None)


EVERYDAY: dict[str, tuple[Callable[[Any], Any], dict[Any, int]]] = {
    "floor": (lambda u: np.floor(2 * u), {(0, 0): 1, (0, 1): 1, (1, 0): 1, (1, 1): 1}),
    "integers": (lambda u: (2 * u).astype(int), {(0, 0): 1, (0, 1): 1, (1, 0): 1, (1, 1): 1}),
    "absolute": (lambda u: np.abs(u[:1] - 0.5) < 0.25, {(True,): 2, (False,): 2}),
    "clip": (lambda u: np.clip(u[:1], 0.25, 0.5) <= 0.25, {(True,): 1, (False,): 3}),
    "nan": (np.isnan, {(False, False): 4}),
    "finite": (np.isfinite, {(True, True): 4}),
    "infinite": (np.isinf, {(False, False): 4}),
    "the largest": (lambda u: (e := -np.log(u)) == e.max(), {(True, False): 2, (False, True): 2}),
    "32 bits": (lambda u: u[:1].astype(np.float32) < 0.25, {(True,): 1, (False,): 3}),
}


@pytest.mark.parametrize(("asked", "quarters"), EVERYDAY.values(), ids=EVERYDAY)
def test_what_people_do_to_arrays_of_draws(
    asked: Callable[[Any], Any],
    quarters: dict[Any, int],
    law: Callable[..., Any],
    uniforms: Uniforms,
) -> None:
    found = law(lambda: asked(uniforms(2)))
    assert found == {key: Fraction(part, 4) for key, part in quarters.items()}
