import math
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from itertools import compress, product
from typing import Any

import numpy as np
import pytest

from specdec_core.errors import NondeterminismError, OpaqueDrawError
from specdec_verification.subjects.exact import exact_law
from specdec_verification.subjects.noise import Symbol
from specdec_verification.subjects.races import ranking, winner

WEIGHTS = np.array([0.5, 0.25, 0.125, 0.125])
OTHERS = np.array([0.125, 0.125, 0.25, 0.5])
EXACT = {token: Fraction(weight) for token, weight in enumerate(WEIGHTS)}

Uniforms = Callable[[int], Any]


@pytest.fixture
def uniforms(uniform: Callable[[], Symbol]) -> Uniforms:
    """Return an array of new uniforms of the run at hand."""
    from specdec_verification.subjects.arrays import symbol_array

    return lambda count: symbol_array([uniform() for _ in range(count)], (count,))


def exponential(u: Any) -> Any:  # noqa: ANN401
    return -np.log(u)


def gumbel(u: Any) -> Any:  # noqa: ANN401
    return -np.log(-np.log(u))


SPELLINGS: dict[str, Callable[[Any], Any]] = {
    "argmax p / e": lambda u: np.argmax(WEIGHTS / exponential(u)),
    "argmin e / p": lambda u: np.argmin(exponential(u) / WEIGHTS),
    "argmin of one less": lambda u: np.argmin(-np.log(1 - u) / WEIGHTS),
    "argmin of log1p": lambda u: np.argmin(-np.log1p(-u) / WEIGHTS),
    "argmax of minus times": lambda u: np.argmax(np.log(u) / WEIGHTS),
    "argmax log p + g": lambda u: np.argmax(np.log(WEIGHTS) + gumbel(u)),
    "argmax log p - log e": lambda u: np.argmax(np.log(WEIGHTS) - np.log(exponential(u))),
    "argmin log e - log p": lambda u: np.argmin(np.log(exponential(u)) - np.log(WEIGHTS)),
    "a temperature": lambda u: np.argmax((np.log(WEIGHTS) + gumbel(u)) / 0.5),
    "a temperature inside": lambda u: np.argmax(2 * np.log(WEIGHTS) / 2 + gumbel(u)),
    "exponentiated": lambda u: np.argmax(np.exp(np.log(WEIGHTS) + gumbel(u))),
    "a power": lambda u: np.argmax(u ** (1 / WEIGHTS)),
    "log of a quotient": lambda u: np.argmax(np.log(WEIGHTS / exponential(u))),
    "log of a product": lambda u: np.argmin(np.log(exponential(u) * (1 / WEIGHTS))),
    "twice turned over": lambda u: np.argmin(1 / (WEIGHTS / exponential(u))),
    "shifted alike": lambda u: np.argmax(WEIGHTS / exponential(u) + 3),
    "one by one": lambda u: max(range(4), key=lambda i: WEIGHTS[i] / -math_log(u[i])),
    "one by one, sorted": lambda u: min(range(4), key=lambda i: -math_log(u[i]) / WEIGHTS[i]),
    "two by two": lambda u: np.argmax((WEIGHTS / exponential(u)).reshape(2, 2)),
    "largest value": lambda u: int(np.argmax(np.maximum(WEIGHTS / exponential(u), 0))),
    "unnormalised": lambda u: np.argmax(8 * WEIGHTS / exponential(u)),
    "an object array": lambda u: np.argmax(np.array(list(WEIGHTS / exponential(u)))),
    "in a row": lambda u: np.argmax((WEIGHTS / exponential(u))[np.newaxis], axis=-1)[0],
}


def math_log(symbol: Symbol) -> Any:  # noqa: ANN401
    return symbol.log()


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
def test_a_race_is_one_categorical_draw_however_it_is_written(
    spelling: Callable[[Any], Any], law: Callable[..., Any], uniforms: Uniforms
) -> None:
    found = law(lambda: int(spelling(uniforms(4))))
    assert found.keys() == EXACT.keys()
    assert max(abs(found[token] - EXACT[token]) for token in EXACT) < 1e-15


def test_products_and_quotients_keep_the_weights_exact(
    law: Callable[..., Any], uniforms: Uniforms
) -> None:
    thirds = [Fraction(1, 3), Fraction(2, 3)]
    assert law(lambda: winner(list(thirds / exponential(uniforms(2))), largest=True)) == {
        0: thirds[0],
        1: thirds[1],
    }


MASKED: dict[str, Callable[[Any], Any]] = {
    "p / e": lambda u: np.argmax(np.array([0, 0.5, 0, 0.5]) / exponential(u)),
    "e / p": lambda u: np.argmin(exponential(u) / np.array([0, 0.5, 0, 0.5])),
    "logits": lambda u: np.argmax(np.array([-np.inf, 1, -np.inf, 1]) + gumbel(u)),
    "put in afterwards": lambda u: np.argmax(
        np.where([False, True, False, True], np.ones(4) / exponential(u), 0)
    ),
    "put in as infinity": lambda u: np.argmax(
        np.where([False, True, False, True], gumbel(u), -np.inf)
    ),
}


@pytest.mark.parametrize("spelling", MASKED.values(), ids=MASKED)
def test_a_token_of_weight_zero_never_wins(
    spelling: Callable[[Any], Any], law: Callable[..., Any], uniforms: Uniforms
) -> None:
    def masked() -> int:
        with np.errstate(divide="ignore"):
            return int(spelling(uniforms(4)))

    assert law(masked) == {1: Fraction(1, 2), 3: Fraction(1, 2)}


def test_without_noise_the_first_of_the_largest_wins(
    law: Callable[..., Any], uniforms: Uniforms
) -> None:
    assert law(lambda: int(np.argmax(uniforms(3) * 0 + np.array([1, 2, 2])))) == {1: 1}
    assert law(lambda: winner([1.0, math.inf, uniforms(1)[0]], largest=True)) == {1: 1}


def test_a_race_run_again_has_the_same_winner(law: Callable[..., Any], uniforms: Uniforms) -> None:
    def again() -> bool:
        noise = exponential(uniforms(4))
        other = np.argmax(OTHERS / noise)
        return bool(
            np.argmax(WEIGHTS / noise) == np.argmax(2 * WEIGHTS / noise / 2)
            and np.argmax(OTHERS / noise) == other
        )

    assert law(again) == {True: 1}


def test_noise_in_two_races_replays_with_numbers(
    replays: Callable[[Any], None], uniforms: Uniforms
) -> None:
    def both() -> tuple[int, ...]:
        noise = exponential(uniforms(4))
        steps = max(range(3), key=lambda i: (i + 1) / -np.log(uniforms(1)[0]))
        return int(np.argmax(WEIGHTS / noise)), int(np.argmax(OTHERS / noise)), steps

    replays(both)


def _raced(uniforms: Uniforms) -> Any:  # noqa: ANN401
    u = uniforms(3)
    np.argmax(np.ones(3) / exponential(u))
    return u


REFUSED: dict[str, tuple[str, Callable[[Uniforms], Any]]] = {
    "raw uniforms": ("comparison of two draws", lambda us: np.argmax(us(3))),
    "sorted": ("comparison of two draws", lambda us: np.sort(us(3))),
    "the last of a large race": ("the last of 7", lambda us: np.argmin(1 / exponential(us(7)))),
    "unlike temperatures": (
        "items of different races",
        lambda us: np.argmax(gumbel(us(2)) / np.array([1, 2])),
    ),
    "unlike offsets": (
        "items of different races",
        lambda us: np.argmax(1 / exponential(us(2)) + np.array([0, 1])),
    ),
    "a number in the middle": (
        "noise with 1.0 in a race",
        lambda us: winner([1.0, *exponential(us(2))], largest=False),
    ),
    "something added inside": (
        "log of a draw that lies between",
        lambda us: np.argmax(-np.log(-np.log(us(2) + 1e-9))),
    ),
    "a third race": (
        "third race over the same noise",
        lambda us: [
            np.argmax(weights / noise)
            for noise in [exponential(us(3))]
            for weights in np.array([[1, 2, 3], [3, 2, 1], [1, 1, 3]])
        ],
    ),
    "a second race after one in steps": (
        "third race over the same noise",
        lambda us: [
            reduce(lambda a, b: a if weights[a] / noise[a] > weights[b] / noise[b] else b, range(3))
            for noise in [exponential(us(3))]
            for weights in ([1, 2, 3], [3, 2, 1])
        ],
    ),
    "two sets of noise mixed": (
        "several earlier races",
        lambda us: [
            (np.argmax(np.ones(2) / one), np.argmax(np.ones(2) / two), np.argmax(both))
            for one, two in [(exponential(us(2)), exponential(us(2)))]
            for both in [np.array([1, 2, 3, 4]) / np.concatenate([one, two])]
        ],
    ),
    "a comparison after a race": (
        "which was in a race before",
        lambda us: [u < 0.5 for u in _raced(us)],
    ),
    "a race after a comparison": (
        "compared with a number before",
        lambda us: [np.argmax(np.ones(2) / exponential(u)) for u in [us(2)] if u[0] < 0.5],
    ),
    "those left, at other rates": (
        "race at other rates, among those who were not first",
        lambda us: [
            (winner(list(1 / left), largest=True), winner(list(OTHERS[:3] / left), largest=True))
            for noise in [exponential(us(4))]
            for left in [np.delete(noise, np.argmax(1 / noise))]
        ],
    ),
    "u and one less": (
        "noise made of 1 - u",
        lambda us: [winner([-u.log(), -(1 - u).log()], largest=False) for u in us(1)],
    ),
    "u, then one less": (
        "noise made of 1 - u",
        lambda us: [
            (np.argmin(-np.log(u)), np.argmin(-np.log(1 - u) * np.array([1, 2, 3])))
            for u in [us(3)]
        ],
    ),
}


@pytest.mark.parametrize(("named", "used"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_race_is_refused_by_name(
    named: str, used: Callable[[Uniforms], Any], uniforms: Uniforms
) -> None:
    with pytest.raises(OpaqueDrawError, match=named):
        exact_law(lambda: [bool(item is None) for item in [used(uniforms)]])


def test_noise_shared_by_all_items_leaves_nothing_to_chance(
    law: Callable[..., Any], uniforms: Uniforms
) -> None:
    assert law(lambda: int(np.argmax(WEIGHTS / exponential(uniforms(1))))) == {0: 1}


def test_the_first_of_some_races_on(law: Callable[..., Any], uniforms: Uniforms) -> None:
    """Who comes first tells nothing about when."""

    def in_steps() -> tuple[int, int]:
        items = list(WEIGHTS / exponential(uniforms(4)))
        ahead = winner(items[:2], largest=True)
        return ahead, winner([items[ahead], *items[2:]], largest=True)

    found = law(in_steps)
    for ahead, after in product(range(2), range(3)):
        first = Fraction(WEIGHTS[ahead]) / Fraction(3, 4)
        second = Fraction(3, 4) if after == 0 else Fraction(WEIGHTS[after + 1])
        assert found[ahead, after] == first * second


def test_those_left_race_again(law: Callable[..., Any], uniforms: Uniforms) -> None:
    found = law(lambda: list((WEIGHTS / exponential(uniforms(4))).argsort()[::-1]))
    assert len(found) == 24
    for order, prob in found.items():
        expected, left = Fraction(1), Fraction(1)
        for token in order:
            expected *= EXACT[token] / left
            left -= EXACT[token]
        assert prob == expected


LAST: dict[str, Callable[[Any], Any]] = {
    "argmin for argmax": lambda u: np.argmin(WEIGHTS / exponential(u)),
    "argmax for argmin": lambda u: np.argmax(exponential(u) / WEIGHTS),
}


@pytest.mark.parametrize("slipped", LAST.values(), ids=LAST)
def test_the_last_of_a_race_is_the_last_of_its_ranking(
    slipped: Callable[[Any], Any], law: Callable[..., Any], uniforms: Uniforms
) -> None:
    """The last by inclusion and exclusion: Ross, Introduction to Probability Models, 5.2."""
    found = law(lambda: int(slipped(uniforms(4))))
    for token, rate in EXACT.items():
        others = [EXACT[other] for other in EXACT if other != token]
        expected = sum(
            (-1) ** sum(chosen) * rate / (rate + sum(compress(others, chosen), Fraction(0)))
            for chosen in product((0, 1), repeat=3)
        )
        assert found[token] == expected


def test_a_ranking_can_end_early(law: Callable[..., Any], uniforms: Uniforms) -> None:
    def two() -> list[int]:
        return ranking(list(np.ones(3) / exponential(uniforms(3))), largest=True, count=2)

    assert set(law(two).values()) == {Fraction(1, 6)}


def test_a_race_against_a_draw_of_an_earlier_run_is_refused(uniform: Callable[[], Symbol]) -> None:
    kept: list[Symbol] = []

    def keep() -> bool:
        kept.append(-uniform().log())
        return kept[0] < -uniform().log()

    with pytest.raises(NondeterminismError, match="keeps"):
        exact_law(keep)
