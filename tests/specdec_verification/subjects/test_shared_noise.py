from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specdec_verification.subjects.arrays import symbol_array
from specdec_verification.subjects.exact import exact_law
from specdec_verification.subjects.noise import Symbol
from specdec_verification.subjects.races import winner
from specdec_verification.subjects.running import current
from specdec_verification.subjects.shared_noise import second_race

WEIGHTS = np.array([0.5, 0.25, 0.125, 0.125])
OTHERS = np.array([0.125, 0.125, 0.25, 0.5])
EXACT = {token: Fraction(weight) for token, weight in enumerate(WEIGHTS)}


@pytest.fixture
def both(uniform: Callable[[], Symbol]) -> Callable[[], tuple[int, int]]:
    """Return the winners of two races over the same noise."""

    def raced() -> tuple[int, int]:
        noise = -np.log(symbol_array([uniform() for _ in range(4)], (4,)))
        return int(np.argmax(WEIGHTS / noise)), int(np.argmax(OTHERS / noise))

    return raced


def test_two_runners_by_hand() -> None:
    """Rates (1, 1) and (1, 2): both are 1 if E1 < E0 (1/2), and 2 more if E1 < 2 E0 (2/3)."""
    one, other = (0, False), (1, False)
    half = {one: Fraction(1), other: Fraction(1)}
    third = {one: Fraction(1), other: Fraction(2)}
    first = second_race(half, one, third)
    second = second_race(half, other, third)
    assert first == {one: Fraction(1, 3), other: Fraction(1, 6)}
    assert second == {one: 0, other: Fraction(1, 2)}


def _joint(one: np.ndarray, other: np.ndarray, draws: int = 200_000) -> np.ndarray:
    rng = np.random.default_rng()
    noise = rng.exponential(size=(draws, len(one)))
    counts = np.zeros((len(one), len(other)))
    np.add.at(counts, ((one / noise).argmax(1), (other / noise).argmax(1)), 1)
    return counts


def test_two_races_over_one_noise_are_a_joint_draw(
    law: Callable[..., Any], both: Callable[[], tuple[int, int]]
) -> None:
    """Daliri et al., arXiv:2408.07978: the chance that both have one winner."""
    found = law(both)
    for token in range(4):
        alone = sum(found.get((token, other), 0) for other in range(4))
        assert alone == EXACT[token]
        assert sum(found.get((other, token), 0) for other in range(4)) == Fraction(OTHERS[token])
        shares = np.maximum(WEIGHTS / WEIGHTS[token], OTHERS / OTHERS[token])
        assert float(found[token, token]) == pytest.approx(1 / shares.sum())


def test_the_joint_draw_agrees_with_drawn_noise(
    law: Callable[..., Any], both: Callable[[], tuple[int, int]]
) -> None:
    from scipy import stats

    found = law(both)
    counts = _joint(WEIGHTS, OTHERS)
    cells = sorted(found)
    assert sum(counts[cell] for cell in cells) == counts.sum()
    expected = [float(found[cell]) * counts.sum() for cell in cells]
    tested = stats.power_divergence([counts[c] for c in cells], expected, lambda_="log-likelihood")
    assert tested.pvalue > 1e-9


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=4))
def test_both_races_keep_their_own_laws(pairs: list[tuple[int, int]]) -> None:
    one, other = ([pair[side] for pair in pairs] for side in (0, 1))
    if not any(one) or not any(other):
        return

    def both() -> tuple[int, int]:
        draws = current()
        noise = [
            -Symbol(draws.draw(("tests",), place, "uniform"), 1, 0).log()
            for place in range(len(pairs))
        ]
        return (
            winner([weight / e for weight, e in zip(one, noise, strict=True)], largest=True),
            winner([weight / e for weight, e in zip(other, noise, strict=True)], largest=True),
        )

    found = exact_law(both).law
    for side, weights in enumerate((one, other)):
        marginal = found.image(lambda pair, side=side: pair[side])
        assert all(
            marginal[token] == Fraction(weight, sum(weights))
            for token, weight in enumerate(weights)
        )
