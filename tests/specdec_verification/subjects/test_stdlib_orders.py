import heapq
import random
from collections.abc import Callable
from fractions import Fraction
from math import log
from typing import Any

from specdec_verification.subjects.exact import exact_law

WEIGHTS = [0.5, 0.25, 0.25]


def test_max_and_min_hold_one_race(law: Callable[..., Any]) -> None:
    def followed() -> int:
        items = [weight / random.expovariate(1) for weight in WEIGHTS]
        largest = max(items)
        return [item is largest for item in items].index(True)

    gumbel = lambda: max(range(3), key=lambda i: log(WEIGHTS[i]) - log(-log(random.random())))  # noqa: E731
    assert exact_law(gumbel).paths == 3
    assert law(followed) == {0: Fraction(1, 2), 1: Fraction(1, 4), 2: Fraction(1, 4)}
    assert law(lambda: min(*(random.expovariate(1) for _ in range(2))) is None) == {False: 1}


def test_a_few_of_a_race_are_ranked_alone() -> None:
    """The first two of four are ranked in twelve ways, and all of them in twenty-four."""
    keys = [1, 2, 3, 4]
    few = lambda: heapq.nlargest(2, keys, key=lambda i: i / random.expovariate(1))  # noqa: E731
    assert exact_law(few).paths == 12
    assert exact_law(lambda: sorted(keys, key=lambda _: random.expovariate(1))).paths == 24


def test_orders_of_numbers_are_the_real_ones(law: Callable[..., Any]) -> None:
    pairs = [(1, "b"), (0, "c"), (1, "a")]

    def numbers() -> list[Any]:
        return [
            sorted(pairs, key=lambda pair: pair[0]),
            sorted(pairs, key=lambda pair: pair[0], reverse=True),
            sorted({"b": 1, "a": 2}),
            heapq.nlargest(2, pairs, key=lambda pair: pair[0]),
            heapq.nsmallest(5, [2, 1]),
        ]

    expected = tuple(map(tuple, numbers()))
    assert law(numbers) == {expected: 1}


def test_max_and_min_of_numbers_are_the_real_ones(law: Callable[..., Any]) -> None:
    def numbers() -> list[Any]:
        return [
            max(1, 2),
            min([3, 1, 2]),
            max("ab", "c", key=len),
            min([], default=7),
            max([(1, "b"), (1, "a")], key=lambda pair: pair[0]),
            min(x for x in (2, 1)),
        ]

    assert law(numbers) == {(2, 1, "ab", 7, (1, "b"), 1): 1}
    assert law(lambda: max(random.random(), 0.25) <= 0.25)[True] == Fraction(1, 4)
    for wrong in (lambda: max([]), lambda: max(3), lambda: min()):
        (broken,) = law(wrong)
        assert "Error" in broken.reason
