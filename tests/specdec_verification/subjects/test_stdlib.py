import heapq
import itertools
import math
import os
import random
import secrets
import uuid
from bisect import bisect
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import log
from random import random as drawn_by_name
from typing import Any

import pytest

from specdec_core.errors import NondeterminismError, OpaqueDrawError
from specdec_verification.subjects.exact import Execution, exact_law
from specdec_verification.subjects.streams import as_drawn

WEIGHTS = [0.5, 0.25, 0.25]
SUMS = list(itertools.accumulate(WEIGHTS))
EARLIER = random.Random(0)


def shuffled() -> list[int]:
    items = [0, 1, 2]
    random.shuffle(items)
    return items


OPERATIONS: dict[str, Callable[[], Any]] = {
    "random": lambda: random.random() < 0.25,
    "random by name": lambda: drawn_by_name() < 0.25,
    "random of an instance": lambda: random.Random().random() < 0.25,
    "random of an earlier instance": lambda: EARLIER.random() < 0.25,
    "random of the system": lambda: random.SystemRandom().random() < 0.25,
    "uniform": lambda: random.uniform(1, 3) < 1.5,
    "uniform downwards": lambda: random.uniform(3, 1) < 1.5,
    "choices": lambda: random.choices("abc", weights=WEIGHTS)[0],
    "choices by sums": lambda: random.choices("abc", cum_weights=SUMS, k=2),
    "choices without weights": lambda: random.choices("abc"),
    "choice": lambda: random.choice("abc"),
    "choice of the system": lambda: random.SystemRandom().choice("abc"),
    "randrange": lambda: random.randrange(1, 9, 3),
    "randint": lambda: random.randint(1, 3),
    "getrandbits": lambda: random.getrandbits(2),
    "sample": lambda: random.sample(range(3), 2),
    "shuffle": shuffled,
    "expovariate": lambda: random.expovariate(2) < 0.25,
    "paretovariate": lambda: random.paretovariate(2) < 2,
    "weibullvariate": lambda: random.weibullvariate(1, 2) < 0.5,
    "bisection": lambda: bisect(SUMS, random.random()),
    "scaled integer": lambda: int(3 * random.random()),
    "floor": lambda: math.floor(3 * random.random()),
    "log": lambda: log(random.random()) < log(0.25) - log(0.5),
    "log to a base": lambda: math.log(random.random(), 2) < -1,
    "log2": lambda: math.log2(random.random()) < -1,
    "log10": lambda: math.log10(random.random()) < -1,
    "log1p": lambda: math.log1p(-random.random()) < -1,
    "exp": lambda: math.exp(random.random()) < 1.5,
    "expm1": lambda: math.expm1(-random.random()) < -0.5,
    "sqrt": lambda: math.sqrt(random.random()) < 0.5,
    "pow": lambda: math.pow(random.random(), 2) < 0.25,
    "gumbel": lambda: max(range(3), key=lambda i: log(WEIGHTS[i]) - log(-log(random.random()))),
    "race": lambda: min(range(3), key=lambda i: random.expovariate(WEIGHTS[i])),
    "sorted": lambda: sorted(range(3), key=lambda i: random.expovariate(WEIGHTS[i])),
    "sorted down": lambda: sorted(
        range(3), key=lambda i: log(WEIGHTS[i]) - log(-log(random.random())), reverse=True
    ),
    "nsmallest": lambda: heapq.nsmallest(2, range(3), key=lambda i: random.expovariate(WEIGHTS[i])),
    "two draws": lambda: (random.random() < 0.5, random.random() < 0.25),
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


def test_weights_are_exact(law: Callable[..., Any]) -> None:
    third = Fraction(1, 3)
    assert law(lambda: random.choices("ab", weights=[third, 2 * third])) == {
        ("a",): third,
        ("b",): 2 * third,
    }
    assert law(lambda: random.choice("abc")) == dict.fromkeys("abc", third)


REFUSED = {
    "gauss": lambda: random.gauss(0, 1),
    "normalvariate": lambda: random.normalvariate(0, 1),
    "betavariate": lambda: random.betavariate(1, 1),
    "randbytes": lambda: random.randbytes(1),
    "integer of 8192 values": lambda: random.getrandbits(13),
    "integer of 5000 values": lambda: random.randrange(5000),
    "reading of a generator's state": lambda: random.getstate()[1],
}


@pytest.mark.parametrize(("named", "emit"), REFUSED.items(), ids=REFUSED)
def test_what_is_not_followed_is_refused_by_name(named: str, emit: Callable[[], Any]) -> None:
    with pytest.raises(OpaqueDrawError, match=named):
        exact_law(emit)


def two(one: random.Random, other: random.Random) -> tuple[bool, bool]:
    return one.random() < 0.5, other.random() < 0.5


def test_equal_seeds_are_equal_streams(law: Callable[..., Any]) -> None:
    half = Fraction(1, 2)
    assert law(lambda: two(random.Random(3), random.Random(3))) == {
        (True, True): half,
        (False, False): half,
    }
    assert len(law(lambda: two(random.Random(3), random.Random(4)))) == 4
    assert len(law(lambda: two(random.Random(), random.Random()))) == 4
    assert len(law(lambda: two(random.Random("a"), random.Random("a")))) == 2


def test_a_generator_made_before_is_the_stream_of_its_state(law: Callable[..., Any]) -> None:
    one, same, other = random.Random(3), random.Random(3), random.Random(4)
    assert len(law(lambda: two(one, same))) == 2
    assert len(law(lambda: two(one, random.Random(3)))) == 2
    assert len(law(lambda: two(one, other))) == 4


def test_seeding_again_gives_the_same_symbols_again(law: Callable[..., Any]) -> None:
    def reseeded() -> tuple[bool, bool]:
        random.seed(3)
        first = random.random() < 0.5
        random.seed(3)
        return first, random.random() < 0.5

    def restored() -> tuple[bool, bool]:
        state = random.getstate()
        first = random.random() < 0.5
        random.setstate(state)
        return first, random.random() < 0.5

    def set_to_another() -> tuple[bool, bool]:
        random.setstate(KEPT)
        return two(random, random.Random(5))  # type: ignore[arg-type]

    assert len(law(reseeded)) == 2
    assert len(law(restored)) == 2
    assert len(law(set_to_another)) == 2


KEPT = random.Random(5).getstate()


def test_an_unseeded_generator_is_a_stream_of_its_own(law: Callable[..., Any]) -> None:
    def unseeded() -> tuple[bool, bool]:
        random.seed()
        first = random.random() < 0.5
        random.seed()
        return first, random.random() < 0.5

    assert len(law(unseeded)) == 4


def test_one_seed_used_in_two_ways_is_refused() -> None:
    def mixed() -> tuple[int, bool]:
        return random.Random(3).randrange(2), random.Random(3).random() < 0.5

    with pytest.raises(OpaqueDrawError, match="as uniform, after the same bits served as integer"):
        exact_law(mixed)


def test_a_function_that_was_put_aside_is_found_out() -> None:
    aside = (random.random,)
    with pytest.raises(NondeterminismError, match="real generator of stdlib"):
        exact_law(lambda: aside[0]() < 0.5)


def test_on_the_lattice_zero_has_a_mass() -> None:
    execution = Execution(resolved=as_drawn)
    point = Fraction(1, 1 << 53)
    assert exact_law(lambda: random.random() <= 0, execution).law[True] == point
    assert exact_law(lambda: random.random() <= 0.5, execution).law[True] == Fraction(1, 2) + point
    assert exact_law(lambda: random.random() < 0.5, execution).law[True] == Fraction(1, 2)
    assert exact_law(lambda: random.random() < 1 - 2**-53, execution).law[False] == point


def test_everything_is_restored_even_if_the_subject_is_refused() -> None:
    before = (random.random, random.Random.choices, math.log, log, dict(vars(random.Random)))
    with pytest.raises(OpaqueDrawError):
        exact_law(lambda: float(random.random()))
    after = (random.random, random.Random.choices, math.log, log, dict(vars(random.Random)))
    assert before == after
    assert isinstance(random.random(), float)


def test_the_real_state_does_not_move() -> None:
    before = random.getstate()
    exact_law(lambda: random.choices("ab"))
    assert random.getstate() == before


def test_errors_of_arguments_are_the_librarys_own(law: Callable[..., Any]) -> None:
    (found,) = law(lambda: random.choices("ab", weights=[0, 0]))
    assert "Total of weights must be greater than zero" in found.reason


@pytest.mark.parametrize("weights", [[0.5, -0.25, 0.75], [0.5, -0.625, 0.25, 0.875]])
def test_negative_weights_do_what_the_library_does(
    weights: list[float], law: Callable[..., Any], agrees: Callable[..., None]
) -> None:
    def chosen() -> int:
        return random.choices(range(len(weights)), weights=weights)[0]

    agrees(chosen, law(chosen))


def test_one_seed_for_two_ranges_of_integers_is_refused() -> None:
    with pytest.raises(OpaqueDrawError, match=r"integer below 5, after .* integer below 3"):
        exact_law(lambda: (random.Random(7).randrange(3), random.Random(7).randrange(5)))


ENTROPY: dict[str, Callable[[], Any]] = {
    "urandom": lambda: os.urandom(1)[0] < 250,
    "uuid": lambda: uuid.uuid4().int % 100 < 97,
    "token": lambda: secrets.token_bytes(1)[0] < 250,
    "bits": lambda: secrets.randbits(128) % 100 < 97,
}


@pytest.mark.parametrize("emit", ENTROPY.values(), ids=ENTROPY)
def test_the_systems_own_randomness_is_refused_by_name(emit: Callable[[], Any]) -> None:
    with pytest.raises(OpaqueDrawError, match=r"os\.urandom at|an integer of"):
        exact_law(emit)


def test_secrets_are_draws_that_no_seed_names(law: Callable[..., Any]) -> None:
    assert len(law(lambda: (secrets.randbits(1), secrets.randbelow(2)))) == 4
    assert len(law(lambda: random.SystemRandom().getrandbits(2))) == 4


def test_a_method_bound_before_is_followed(law: Callable[..., Any]) -> None:
    held = random.Random(9)
    bound = held.random
    assert law(lambda: (bound() < 0.5, bound() < 0.5)) == dict.fromkeys(
        itertools.product((True, False), repeat=2), Fraction(1, 4)
    )
    assert bound.__self__ is held
    assert isinstance(bound(), float)


def test_a_generator_made_in_a_run_is_a_real_one_afterwards() -> None:
    made: list[random.Random] = []

    def emit() -> bool:
        made.append(random.Random())
        made.append(random.Random(7))
        return made[-1].random() < 0.5

    exact_law(emit)
    assert len({generator.random() for generator in made[::2]}) == len(made[::2])
    assert {generator.random() for generator in made[1::2]} == {random.Random(7).random()}


def test_a_generator_that_cannot_be_followed_where_it_is_held_is_found_out() -> None:
    aside = partial(lambda draw: draw() < 2, random.Random(9).random)  # whatever it draws
    with pytest.raises(NondeterminismError, match="real generator of stdlib"):
        exact_law(aside)
