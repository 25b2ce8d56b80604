import random
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from specdec_core.errors import InvalidParameterError, NondeterminismError, OpaqueDrawError
from specdec_verification.emissions import Malfunction
from specdec_verification.subjects.exact import Execution, called, exact_law
from specdec_verification.subjects.runs import frozen

HALF = Fraction(1, 2)


def coin() -> bool:
    return random.random() < 0.5


def test_several_libraries_draw_at_once(law: Callable[..., Any]) -> None:
    found = law(lambda: (coin(), bool(np.random.rand() < 0.25)))
    assert found[True, True] == HALF / 4


def test_what_is_returned_is_frozen(law: Callable[..., Any]) -> None:
    assert law(lambda: [1, [2, np.int64(3)], np.array([4, 5])]) == {(1, (2, 3), (4, 5)): 1}
    assert frozen(np.float64(0.5)) == 0.5
    assert frozen({1: 2}) == Malfunction("returned {1: 2}: unhashable type: 'dict'")


def test_a_generator_is_given_to_who_asks_for_one(law: Callable[..., Any]) -> None:
    def numpys(rng: np.random.Generator) -> bool:
        return bool(rng.random() < 0.5)

    def legacy(rng: np.random.RandomState) -> bool:
        return bool(rng.random_sample() < 0.5)

    def librarys(rng: random.Random, scale: int = 1) -> bool:
        return rng.random() * scale < 0.5

    for emit in (numpys, legacy, librarys, lambda rng: bool(rng.random() < 0.5)):
        assert law(emit) == {True: HALF, False: HALF}


def test_more_than_one_argument_is_an_error() -> None:
    with pytest.raises(InvalidParameterError, match="takes one, other: expected no argument"):
        called(lambda one, other: None)


def test_a_run_that_raises_is_an_outcome_with_its_probability(law: Callable[..., Any]) -> None:
    def sometimes() -> int:
        if random.random() < 0.25:
            raise ValueError("no token")
        return 3

    found = law(sometimes)
    (broken,) = [outcome for outcome in found if isinstance(outcome, Malfunction)]
    assert found[broken] == Fraction(1, 4)
    assert "ValueError('no token')" in broken.reason
    assert f"{__file__}:" in broken.reason
    assert found[3] == Fraction(3, 4)


def test_a_run_that_exits_is_an_outcome(law: Callable[..., Any]) -> None:
    (found,) = law(lambda: exit(3))
    assert "SystemExit(3)" in found.reason


ONLY_SYMBOLS: dict[str, Callable[[], Any]] = {
    "a method of floats": lambda: random.random().is_integer(),
    "a method of numpy's floats": lambda: np.random.rand(2)[0].is_integer(),
    "formatting": lambda: "%.3f".__mod__(random.random()) < "0",
    "a check of the type": lambda: _checked(random.random()) < 0.5,
    "a view": lambda: np.random.rand(2).view(np.int64).sum() < 0,
    "bytes": lambda: len(np.random.rand(2).tobytes()) < 0,
}


def _checked(number: object) -> float:
    if not isinstance(number, float):
        raise TypeError("expected a float")
    return number


@pytest.mark.parametrize("emit", ONLY_SYMBOLS.values(), ids=ONLY_SYMBOLS)
def test_an_error_that_only_a_symbol_raises_is_no_malfunction(emit: Callable[[], Any]) -> None:
    with pytest.raises(OpaqueDrawError):
        exact_law(emit)


def test_state_that_the_outcome_shows_is_found_out() -> None:
    calls = [0]

    def counting() -> tuple[bool, int]:
        calls[0] += 1
        return coin(), calls[0]

    with pytest.raises(NondeterminismError, match="state from run to run"):
        exact_law(counting)


def test_state_that_the_questions_show_is_found_out() -> None:
    calls = [0]

    def alternating() -> bool:
        calls[0] += 1
        return random.random() < calls[0] % 2 / 2 + 0.25

    with pytest.raises(NondeterminismError):
        exact_law(alternating)


def test_state_that_only_later_runs_have_is_found_out() -> None:
    calls = [0]

    def tiring() -> int:
        calls[0] += 1
        return random.choice([1, 2, 3]) * (calls[0] < 5)

    with pytest.raises(NondeterminismError, match="state from run to run"):
        exact_law(tiring)


def test_a_missing_seed_reset_is_found_out() -> None:
    seeded: list[bool] = []

    def once() -> bool:
        if not seeded:
            random.seed(3)
            seeded.append(True)
        return coin()

    with pytest.raises(NondeterminismError, match="state from run to run"):
        exact_law(once)


def test_a_cached_draw_is_found_out() -> None:
    cache: dict[int, Any] = {}

    def cached() -> bool:
        return cache.setdefault(0, random.random()) < 0.5  # type: ignore[no-any-return]

    with pytest.raises(NondeterminismError):
        exact_law(cached)


def test_a_budget_leaves_mass_missing() -> None:
    found = exact_law(lambda: [coin() for _ in range(4)], Execution(max_paths=3))
    assert (found.paths, found.missing) == (3, Fraction(13, 16))
    found = exact_law(lambda: [coin() for _ in range(4)], Execution(max_seconds=0))
    assert (found.paths, found.missing) == (1, Fraction(15, 16))


def test_an_exploration_inside_one_is_refused_or_right(law: Callable[..., Any]) -> None:
    assert law(lambda: random.random() < float(exact_law(lambda: 0.25).law[0.25]) / 2) == {
        True: HALF,
        False: HALF,
    }


def test_a_run_that_hangs_is_a_malfunction() -> None:
    def hang() -> int:
        while coin():
            while True:
                pass
        return 3

    found = exact_law(hang, Execution(max_run_seconds=0.05)).law
    assert found.probs == {Malfunction("did not end in time"): HALF, 3: HALF}


@pytest.mark.parametrize(
    ("ends", "tosses"), [(0.001, 0), (0.5, 1)], ids=["for its length", "for its weight"]
)
def test_a_bare_except_does_not_end_a_path_that_is_abandoned(ends: float, tosses: int) -> None:
    def stubborn() -> str:
        while True:
            try:
                if random.random() < ends:
                    return "drawn"
                for _ in range(tosses):  # so that more than one way leads on
                    random.random() < 0.5  # noqa: B015
            except:  # noqa: E722  (that is the point)
                return "caught"

    found = exact_law(stubborn)
    assert set(found.law) == {"drawn"}
    assert found.missing > Fraction(1, 1 << 14)


def test_a_bare_except_does_not_end_a_run_that_hangs() -> None:
    def stubborn() -> str:
        try:
            while random.random() < HALF:
                time.sleep(9)
        except:  # noqa: E722  (that is the point)
            return "caught"
        return "drawn"

    found = exact_law(stubborn, Execution(max_run_seconds=0.05)).law
    assert found.probs == {Malfunction("did not end in time"): HALF, "drawn": HALF}


def test_a_program_that_is_never_worth_following_has_no_law() -> None:
    def endless() -> int:
        while random.random() >= 0:
            pass
        return 3

    found = exact_law(endless)
    assert (not found.law, found.missing) == (True, 1)
