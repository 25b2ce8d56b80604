from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from specdec_core.errors import OpaqueDrawError
from specdec_verification.subjects.exact import exact_law

WEIGHTS = [0.5, 0.25, 0.25]


def rng() -> np.random.Generator:
    return np.random.default_rng()


def legacy() -> np.random.RandomState:
    return np.random.RandomState()


def shuffled(source: Any) -> Any:  # noqa: ANN401
    items = np.arange(3)
    source.shuffle(items)
    return items


def shuffled_list() -> list[int]:
    items = [0, 1, 2]
    rng().shuffle(items)
    return items


OPERATIONS: dict[str, Callable[[], Any]] = {
    "random": lambda: rng().random() < 0.25,
    "random of a shape": lambda: rng().random((2, 1)) < np.array([[0.5], [0.25]]),
    "random of a size in a tuple": lambda: rng().random(size=(2,)) < 0.5,
    "random in single precision": lambda: rng().random(dtype=np.float32) < 0.25,
    "uniform": lambda: rng().uniform(1, 3) < 1.5,
    "uniform of arrays": lambda: rng().uniform([0, 1], [1, 3]) < [0.5, 1.5],
    "exponential": lambda: rng().exponential(2.0) < 1.0,
    "exponential of arrays": lambda: rng().exponential([1, 2], size=2) < 1.0,
    "standard_exponential": lambda: rng().standard_exponential(2) < 1.0,
    "gumbel": lambda: rng().gumbel(1, 2, size=2) < 1.0,
    "choice": lambda: rng().choice(3, p=WEIGHTS),
    "choice of items": lambda: rng().choice(["a", "b", "c"], p=WEIGHTS),
    "choice without p": lambda: rng().choice(3),
    "choices": lambda: rng().choice(3, size=2, p=WEIGHTS),
    "choice of rows": lambda: rng().choice(np.arange(6).reshape(3, 2), axis=0),
    "choices without replacement": lambda: rng().choice(3, size=2, p=WEIGHTS, replace=False),
    "integers": lambda: rng().integers(1, 3, endpoint=True),
    "integers below": lambda: rng().integers(3, size=(2, 1)),
    "integers of arrays": lambda: rng().integers([1, 2]),
    "multinomial": lambda: rng().multinomial(1, WEIGHTS),
    "multinomial of two": lambda: rng().multinomial(2, WEIGHTS),
    "multinomial of rows": lambda: rng().multinomial([1, 2], [[0.5, 0.5], [0.25, 0.75]]),
    "binomial": lambda: rng().binomial(1, 0.75),
    "binomial of arrays": lambda: rng().binomial([1, 2], [0.5, 0.25]),
    "permutation": lambda: rng().permutation(3),
    "permutation of items": lambda: rng().permutation([5, 6, 7]),
    "shuffle": lambda: shuffled(rng()),
    "shuffle of a list": shuffled_list,
    "legacy rand": lambda: np.random.rand(2) < 0.25,
    "legacy random": lambda: np.random.random() < 0.25,
    "legacy random_sample": lambda: np.random.random_sample(2) < 0.25,
    "legacy uniform": lambda: np.random.uniform(1, 3) < 1.5,
    "legacy exponential": lambda: np.random.exponential(2.0) < 1.0,
    "legacy standard_exponential": lambda: np.random.standard_exponential() < 1.0,
    "legacy gumbel": lambda: np.random.gumbel(size=2) < 1.0,
    "legacy choice": lambda: np.random.choice(3, p=WEIGHTS),
    "legacy randint": lambda: np.random.randint(1, 3, size=2),
    "the largest two": lambda: frozenset(
        np.argpartition(np.log(WEIGHTS) + rng().gumbel(size=3), -2)[-2:].tolist()
    ),
    "the first": lambda: np.argpartition(rng().exponential(size=3) / WEIGHTS, 0)[0],
    "legacy multinomial": lambda: np.random.multinomial(1, WEIGHTS),
    "legacy binomial": lambda: np.random.binomial(1, 0.75),
    "legacy permutation": lambda: np.random.permutation(3),
    "legacy shuffle": lambda: shuffled(np.random),
    "random of a RandomState": lambda: legacy().random_sample() < 0.25,
    "accept mask": lambda: (rng().random(3) < np.array([0.5, 0.25, 0.5])).cumprod().sum(),
    "first of a mask": lambda: (rng().random(3) >= np.array([0.5, 0.25, 0.5])).argmax(),
    "searchsorted": lambda: np.searchsorted(np.cumsum(WEIGHTS), rng().random(), side="right"),
    "searchsorted of many": lambda: np.searchsorted(np.cumsum(WEIGHTS), rng().random(2)),
    "searchsorted by method": lambda: np.cumsum(WEIGHTS).searchsorted(rng().random()),
    "comparison with the sums": lambda: (np.cumsum(WEIGHTS) > rng().random()).argmax(),
    "Gumbel-max": lambda: np.argmax(np.log(WEIGHTS) + rng().gumbel(size=3)),
    "legacy Gumbel-max": lambda: np.argmax(np.log(WEIGHTS) + np.random.gumbel(size=3)),
    "Gumbel-max of rows": lambda: np.argmax(np.log([WEIGHTS] * 2) + rng().gumbel(size=(2, 3)), -1),
    "race": lambda: np.argmax(WEIGHTS / rng().exponential(size=3)),
    "top two": lambda: np.argsort(-(np.log(WEIGHTS) + rng().gumbel(size=3)))[:2],
}


@pytest.mark.parametrize("emit", OPERATIONS.values(), ids=OPERATIONS)
def test_the_real_functions_agree_with_the_exact_law(
    emit: Callable[[], Any], law: Callable[..., Any], agrees: Callable[..., None]
) -> None:
    agrees(emit, law(emit))


@pytest.mark.parametrize("emit", OPERATIONS.values(), ids=OPERATIONS)
def test_every_path_replays_with_numbers(
    emit: Callable[[], Any], replays: Callable[..., None]
) -> None:
    replays(emit)


@pytest.mark.parametrize("emit", OPERATIONS.values(), ids=OPERATIONS)
def test_shapes_and_types_are_the_real_ones(emit: Callable[[], Any]) -> None:
    shapes: set[tuple[Any, ...]] = set()

    def shaped() -> bool:
        value = emit()
        shapes.add((np.shape(value), np.asarray(value).dtype))
        return True

    shaped()
    exact_law(shaped)
    assert len(shapes) == 1


def test_without_replacement_one_is_drawn_after_the_other(law: Callable[..., Any]) -> None:
    found = law(OPERATIONS["choices without replacement"])
    assert found[0, 1] == Fraction(1, 2) * Fraction(1, 2)
    assert found[1, 0] == Fraction(1, 4) * Fraction(2, 3)


def test_the_last_outcome_of_a_multinomial_takes_the_rest(law: Callable[..., Any]) -> None:
    found = law(lambda: rng().multinomial(1, [0.5, 0.25, 0.125]))
    assert found[0, 0, 1] == Fraction(1, 4)


def test_a_multinomial_of_a_row_that_rounding_left_short_rules_out_what_numpy_does(
    law: Callable[..., Any],
) -> None:
    """What three and four sevenths lack of one is no outcome: all that is left is four sevenths."""
    row = [3 / 7, 4 / 7, 0.0]
    assert sum(map(Fraction, row)) < 1
    assert set(law(lambda: int(rng().multinomial(1, row).argmax()))) == {0, 1}


REFUSED: dict[str, Callable[[], Any]] = {
    "normal": lambda: rng().normal(),
    "standard_normal": lambda: rng().standard_normal(2),
    "dirichlet": lambda: rng().dirichlet([1, 1]),
    "bytes": lambda: rng().bytes(2),
    "randn": lambda: np.random.randn(),
    "random with out=": lambda: rng().random(out=np.empty(2)),
    "integer of 100000 values": lambda: rng().integers(100_000),
    "shuffle along another axis": lambda: rng().shuffle(np.eye(2), axis=1),
    "bit_generator": lambda: rng().bit_generator.state,
}


@pytest.mark.parametrize(("named", "emit"), REFUSED.items(), ids=REFUSED)
def test_what_is_not_followed_is_refused_by_name(named: str, emit: Callable[[], Any]) -> None:
    with pytest.raises(OpaqueDrawError, match=named):
        exact_law(emit)


def test_errors_of_arguments_are_numpys_own(law: Callable[..., Any]) -> None:
    (found,) = law(lambda: np.random.choice(2, p=[0.5, 0.6]))
    assert "ValueError" in found.reason
    assert "sum to 1" in found.reason.lower()


TWO_WAYS: dict[str, Callable[[Any], Any]] = {
    "integers": lambda r: (r(3).integers(3), r(3).integers(5)),
    "integers of two types": lambda r: (r(3).integers(3), r(3).integers(3, dtype=np.uint8)),
    "multinomial": lambda r: (r(3).multinomial(1, [0.5, 0.5]), r(3).multinomial(1, [0.25, 0.75])),
    "binomial": lambda r: (r(3).binomial(1, 0.25), r(3).binomial(1, 0.75)),
    "without replacement": lambda r: (
        r(3).choice(3, 2, replace=False, p=[0.5, 0.25, 0.25]),
        r(3).choice(3, 2, replace=False, p=[0.25, 0.25, 0.5]),
    ),
    "shuffle": lambda r: (r(3).permutation(3), r(3).permutation(4)),
}


@pytest.mark.parametrize("mixed", TWO_WAYS.values(), ids=TWO_WAYS)
def test_one_seed_used_in_two_ways_is_refused(mixed: Callable[[Any], Any]) -> None:
    with pytest.raises(OpaqueDrawError, match="after the same bits served as"):
        exact_law(lambda: mixed(np.random.default_rng))


def test_an_order_that_numpy_leaves_open_is_refused() -> None:
    with pytest.raises(OpaqueDrawError, match="choice with shuffle=False"):
        exact_law(lambda: rng().choice(4, 3, replace=False, shuffle=False))


def test_an_array_of_no_axes_is_one_array(law: Callable[..., Any]) -> None:
    assert law(lambda: rng().uniform(size=())[()] < 0.5) == law(lambda: rng().random() < 0.5)
