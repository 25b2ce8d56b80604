import copy
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng as default_rng_by_name

from specdec_core.errors import NondeterminismError, OpaqueDrawError
from specdec_verification.subjects.exact import Execution, exact_law
from specdec_verification.subjects.streams import as_drawn

HALF = Fraction(1, 2)


HERE: Any = ModuleType("here")
"""Holds what exists before an exploration."""


@pytest.fixture(autouse=True, scope="module")
def _earlier() -> Iterator[None]:
    """Make what exists before; while it does, every exploration searches memory for its holders."""
    global HERE
    HERE = ModuleType("here")

    class Shared:
        """Holds a generator for all of its instances."""

        rng = np.random.default_rng(3)

    def by_default(rng: np.random.Generator = Shared.rng) -> bool:
        return bool(rng.random() < 0.5)

    HERE.Shared, HERE.by_default = Shared, by_default
    HERE.rng, HERE.bound = np.random.default_rng(3), np.random.default_rng(3).random
    yield
    vars(HERE).clear()


class Sampler:
    """Holds a generator, as samplers do."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(3)

    def emit(self) -> bool:
        return bool(self.rng.random() < 0.5)


def two(one: Any, other: Any) -> tuple[bool, bool]:  # noqa: ANN401
    return bool(one.random() < 0.5), bool(other.random() < 0.5)


def seeded(seed: Any) -> np.random.Generator:  # noqa: ANN401
    return np.random.default_rng(seed)


SAME: dict[str, Callable[[], Any]] = {
    "equal seeds": lambda: two(seeded(3), seeded(3)),
    "a name of one's own": lambda: two(default_rng_by_name(3), seeded(3)),
    "a bit generator": lambda: two(np.random.Generator(np.random.PCG64(3)), seeded(3)),
    "a seed sequence": lambda: two(seeded(np.random.SeedSequence(3)), seeded(3)),
    "an earlier generator": lambda: two(HERE.rng, seeded(3)),
    "a generator given again": lambda: two(HERE.rng, np.random.default_rng(3)),
    "equal children": lambda: two(seeded(3).spawn(1)[0], seeded(3).spawn(1)[0]),
    "equal RandomStates": lambda: two(np.random.RandomState(3), np.random.RandomState(3)),
    "the global one and a RandomState": lambda: (np.random.seed(3), two(np.random, STATE()))[1],
}


def STATE() -> np.random.RandomState:
    return np.random.RandomState(3)


@pytest.mark.parametrize("emit", SAME.values(), ids=SAME)
def test_equal_seeds_are_equal_streams(emit: Callable[[], Any], law: Callable[..., Any]) -> None:
    assert law(emit) == {(True, True): HALF, (False, False): HALF}


APART: dict[str, Callable[[], Any]] = {
    "unlike seeds": lambda: two(seeded(3), seeded(4)),
    "no seeds": lambda: two(seeded(None), seeded(None)),
    "siblings": lambda: two(*seeded(3).spawn(2)),
    "parent and child": lambda: two(HERE.rng, seeded(3).spawn(1)[0]),
    "the same one twice": lambda: two(HERE.rng, HERE.rng),
    "a generator handed on": lambda: two(*[np.random.default_rng(HERE.rng)] * 2),
    "the global one twice": lambda: two(np.random, np.random),
    "unseeded RandomStates": lambda: two(np.random.RandomState(), np.random.RandomState()),
    "unlike bit generators": lambda: two(np.random.Generator(np.random.MT19937(3)), seeded(3)),
}


@pytest.mark.parametrize("emit", APART.values(), ids=APART)
def test_other_streams_are_independent(emit: Callable[[], Any], law: Callable[..., Any]) -> None:
    assert set(law(emit).values()) == {HALF * HALF}


def test_a_held_generator_is_found_wherever_it_is_held(law: Callable[..., Any]) -> None:
    sampler, inside = Sampler(), np.random.default_rng(3)
    listed = [np.random.default_rng(3)]
    emits = [
        sampler.emit,
        lambda: bool(inside.random() < 0.5),
        lambda: bool(listed[0].random() < 0.5),
    ]
    assert len(law(lambda: [emit() for emit in emits])) == 2
    assert type(sampler.rng) is type(inside) is type(listed[0]) is type(HERE.rng)
    assert isinstance(sampler.rng.random(), float)


def test_a_state_can_be_kept_and_set(law: Callable[..., Any]) -> None:
    kept = np.random.RandomState(5).get_state()

    def restored() -> tuple[bool, bool]:
        state = np.random.get_state()
        first = np.random.rand() < 0.5
        np.random.set_state(state)
        return bool(first), bool(np.random.rand() < 0.5)

    def set_to_another() -> tuple[bool, bool]:
        np.random.set_state(kept)
        return two(np.random, np.random.RandomState(5))

    assert len(law(restored)) == 2
    assert len(law(set_to_another)) == 2


def test_the_legacy_global_generator_seeded_by_an_array(law: Callable[..., Any]) -> None:
    def reseeded() -> tuple[bool, bool]:
        np.random.seed([1, 2])
        return two(np.random, np.random.RandomState([1, 2]))

    assert len(law(reseeded)) == 2


def test_a_legacy_generator_lends_its_bits(law: Callable[..., Any]) -> None:
    assert len(law(lambda: two(np.random.default_rng(STATE()), STATE()))) == 2


def test_one_seed_used_in_two_ways_is_refused() -> None:
    def mixed() -> list[Any]:
        return [seeded(3).integers(2), seeded(3).random() < 0.5]

    with pytest.raises(OpaqueDrawError, match="as uniform, after the same bits served as integer"):
        exact_law(mixed)


@pytest.mark.parametrize("made", [np.random.default_rng, np.random.RandomState])
def test_a_copy_is_refused(made: Callable[[int], Any]) -> None:
    holder = [made(0)]
    with pytest.raises(OpaqueDrawError, match="copy of a numpy generator"):
        exact_law(lambda: copy.deepcopy(holder[0]).random() < 0.5)


def test_a_function_that_was_put_aside_is_found_out() -> None:
    aside = (np.random.rand,)
    with pytest.raises(NondeterminismError, match="real generator of numpy"):
        exact_law(lambda: bool(aside[0]() < 0.5))


def test_on_the_lattice_zero_has_a_mass() -> None:
    execution = Execution(resolved=as_drawn)
    found = exact_law(lambda: bool(seeded(None).random() <= 0), execution).law
    assert found[True] == Fraction(1, 1 << 53)
    found = exact_law(lambda: bool(seeded(None).random(dtype=np.float32) <= 0), execution).law
    assert found[True] == Fraction(1, 1 << 24)


def test_everything_is_restored_even_if_the_subject_is_refused() -> None:
    before = (np.random.rand, np.random.default_rng, np.random.Generator, default_rng_by_name)
    with pytest.raises(OpaqueDrawError):
        exact_law(lambda: float(np.random.rand()))
    after = (np.random.rand, np.random.default_rng, np.random.Generator, default_rng_by_name)
    assert before == after
    assert type(HERE.rng) is np.random.Generator


def test_a_generator_is_one_of_numpys_for_whoever_asks(law: Callable[..., Any]) -> None:
    assert law(lambda: isinstance(seeded(0), np.random.Generator)) == {True: 1}
    assert law(lambda: isinstance(STATE(), np.random.RandomState)) == {True: 1}


HELD: dict[str, Callable[[], Any]] = {
    "a bound method": lambda: bool(HERE.bound() < 0.5),
    "a class": lambda: bool(HERE.Shared.rng.random() < 0.5),
    "a class, from an instance": lambda: bool(HERE.Shared().rng.random() < 0.5),
    "a default argument": lambda: HERE.by_default(),
    "a bit generator without a seed": lambda: bool(
        np.random.Generator(np.random.PCG64()).random() < 0.5
    ),
    "a sequence of seeds without one": lambda: bool(
        np.random.default_rng(np.random.SeedSequence()).random() < 0.5
    ),
}


@pytest.mark.parametrize("emit", HELD.values(), ids=HELD)
def test_a_generator_is_followed_wherever_it_is_held(
    emit: Callable[[], Any], law: Callable[..., Any]
) -> None:
    assert law(emit) == {True: HALF, False: HALF}
    assert emit() in (True, False)  # and is a real one afterwards


def test_what_has_no_seed_is_independent(law: Callable[..., Any]) -> None:
    made = np.random.PCG64
    assert len(law(lambda: two(*(np.random.Generator(made()) for _ in range(2))))) == 4


def test_a_generator_that_cannot_be_followed_where_it_is_held_is_found_out() -> None:
    aside = partial(lambda rng: rng.random() < 2, np.random.default_rng(0))  # whatever it draws
    with pytest.raises(NondeterminismError, match="real generator of numpy"):
        exact_law(aside)


def philox(counter: int, key: int = 5) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=key, counter=counter))


def test_counters_of_one_key_that_overlap_are_refused(law: Callable[..., Any]) -> None:
    with pytest.raises(OpaqueDrawError, match="two counters of one Philox key"):
        exact_law(lambda: two(philox(0), philox(1)))
    assert len(law(lambda: two(philox(0), philox(0)))) == 2
    assert len(law(lambda: two(philox(0), philox(1 << 64)))) == 4
    assert len(law(lambda: two(philox(0), philox(0, key=6)))) == 4
