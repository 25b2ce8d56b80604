"""The standard library's randomness: `random`, its generators, and `math` on what they draw.

Understood: the functions of `random`, `random.Random` and `random.SystemRandom`: ``random``,
``uniform``, ``expovariate``, ``choices`` (with weights or cumulative weights), ``choice``,
``randrange``, ``randint``, ``sample``, ``shuffle``, ``getrandbits`` of few bits, ``seed``,
``getstate`` and ``setstate``; `math.log`, ``log1p``, ``log2``, ``log10``, ``exp``, ``expm1``,
``sqrt``, ``pow`` and ``floor`` of a draw; ``int`` of one; ``max``, ``min``, ``sorted`` and
`heapq.nlargest` and ``nsmallest`` of a race.

A generator made before the exploration stands, at the start of each run, where it stood.  Equal
seeds are equal streams.  Refused by name: the normal distribution and its kin, and many bits.

Resolution: ``random`` gives multiples of ``2 ** -53`` in ``[0, 1)``.
"""

import _random
import builtins
import heapq
import math
import os
import random
import secrets
from bisect import bisect
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise
from types import BuiltinMethodType, MethodType
from typing import Any, NoReturn

from specdec_grids.affine import opaque
from specdec_grids.resolutions import LeftEndpoints
from specdec_verification.subjects.curves import Item
from specdec_verification.subjects.holders import Swap, methods_of
from specdec_verification.subjects.noise import Symbol
from specdec_verification.subjects.patching import Attribute, Replacement
from specdec_verification.subjects.running import Library, current
from specdec_verification.subjects.stdlib_orders import extreme, first_few, in_order
from specdec_verification.subjects.stream_draw import StreamDraw, StreamName
from specdec_verification.subjects.streams import Stream

DOUBLES = LeftEndpoints(1 << 53)
MAX_BITS = 12
"""Of one draw of bits; every value is a path."""

_KIND = "random.Random"
_REFUSED = (
    *("gauss", "normalvariate", "lognormvariate", "vonmisesvariate", "gammavariate"),
    *("betavariate", "randbytes", "binomialvariate", "triangular"),
)
_real_seed = random.Random.seed
_real_getstate = random.Random.getstate


class _Plain(_random.Random):
    """A generator whose methods stay real while those of `random.Random` are replaced."""

    choices: Any = random.Random.choices


_REAL = _Plain()


def _uniform(self: random.Random) -> Item:
    """Draw a uniform."""
    return _take(self, "uniform").symbol()


def _randbelow(self: random.Random, n: int) -> int:
    """Draw an integer below ``n``."""
    if n > 1 << MAX_BITS:
        opaque(f"an integer of {n} values", f"at most {1 << MAX_BITS} are followed")
    return _take(self, f"integer below {n}").choose([1] * n)


def _getrandbits(self: random.Random, k: int) -> int:
    """Draw ``k`` bits."""
    return _randbelow(self, 1 << k)


def _choices(
    self: random.Random,
    population: Sequence[Any],
    weights: Sequence[Item] | None = None,
    *,
    cum_weights: Sequence[Item] | None = None,
    k: int = 1,
) -> list[Any]:
    """Choose with replacement, by the weights given."""
    checked = _REAL.choices(population, weights, cum_weights=cum_weights, k=k)  # raises as it does
    if cum_weights is None:
        cum_weights = list(accumulate([1] * len(population) if weights is None else weights))
    sums = list(map(Fraction, cum_weights))
    row = [after - before for before, after in pairwise([Fraction(0), *sums])]
    if min(row) < 0:  # which the library does not mind: it searches in what does not ascend
        cum_weights, last = list(cum_weights), len(population) - 1
        return [
            population[bisect(cum_weights, _uniform(self) * cum_weights[-1], 0, last)]
            for _ in checked
        ]
    return [population[_take(self, "uniform").choose(row)] for _ in checked]


def _seed(self: random.Random, a: Item = None, version: int = 2) -> None:
    """Start the stream that a seed names."""
    draws = current()
    if self is not random._inst and all(self is not one for one in _WATCHED):
        _real_seed(self, a, version)  # made in this run, it may outlive the exploration
    name = draws.unseeded(f"{_KIND}()") if a is None else _seeded(a, version)
    draws.restart(self, Stream(name))


def _get_place(self: random.Random) -> Stream:
    """Return the place in the stream, for ``setstate`` alone."""
    stream = _stream(self)
    return Stream(stream.name, stream.position)


def _set_place(self: random.Random, state: Item) -> None:
    """Go back to a place in a stream, or to a real state."""
    place = state if isinstance(state, Stream) else Stream((_KIND, hash(state)))
    current().restart(self, Stream(place.name, place.position))


def _take(generator: random.Random, kind: str) -> StreamDraw:
    return _stream(generator).take(current(), kind, DOUBLES)


def _stream(generator: random.Random) -> Stream:
    return current().stream_of(generator, lambda: (_KIND, hash(_real_getstate(generator))))


@lru_cache(maxsize=4096)  # a Mersenne twister takes its time to seed and to read
def _seeded(seed: Hashable, version: int) -> StreamName:
    generator = random.Random.__new__(random.Random)
    _real_seed(generator, seed, version)  # type: ignore[arg-type]
    return _KIND, hash(_real_getstate(generator))


def _system_random(self: random.SystemRandom) -> Item:
    """Draw a uniform that no seed names."""
    return _unseeded("uniform").symbol()


def _system_randbelow(self: random.SystemRandom, n: int) -> int:
    """Draw an integer that no seed names."""
    return _unseeded_integer(n)


def _unseeded_integer(n: int) -> int:
    if n > 1 << MAX_BITS:
        opaque(f"an integer of {n} values", f"at most {1 << MAX_BITS} are followed")
    return _unseeded("integer").choose([1] * n)


def _system_getrandbits(self: random.SystemRandom, k: int) -> int:
    """Draw bits that no seed names."""
    return _system_randbelow(self, 1 << k)


def _entropy(size: int) -> NoReturn:
    """Refuse to give random bytes."""
    opaque("os.urandom", "bytes of the system are hidden randomness; draw from a generator instead")


def _unseeded(kind: str) -> StreamDraw:
    draws = current()
    return draws.draw(draws.unseeded("random.SystemRandom()"), 0, kind, DOUBLES)


def _refusal(name: str) -> Callable[..., NoReturn]:
    def refuse(self: random.Random, *arguments: Item, **options: Item) -> NoReturn:
        opaque(f"random.{name}", "its law is not followed")

    return refuse


def _function(name: str, of_symbol: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of `math` that takes symbols too."""
    real = getattr(math, name)

    def function(value: Item, *arguments: Item) -> Item:
        return (of_symbol if isinstance(value, Symbol) else real)(value, *arguments)

    return function


_MATH: Mapping[str, Callable[..., Any]] = {
    "log": lambda x, base=math.e: x.log() if base == math.e else x.log() / math.log(base),
    "log1p": lambda x: (1 + x).log(),
    "log2": lambda x: x.log() / math.log(2),
    "log10": lambda x: x.log() / math.log(10),
    "exp": lambda x: x.exp(),
    "expm1": lambda x: x.exp() - 1,
    "sqrt": lambda x: x.sqrt(),
    "pow": lambda x, exponent: x**exponent,
    "isnan": lambda x: False,
    "fabs": abs,
}


_METHODS: Mapping[str, Callable[..., Any]] = {
    "random": _uniform,
    "_randbelow": _randbelow,
    "getrandbits": _getrandbits,
    "choices": _choices,
    "seed": _seed,
    "getstate": _get_place,
    "setstate": _set_place,
    **{name: _refusal(name) for name in _REFUSED if hasattr(random.Random, name)},
}


@contextmanager
def _replaced(held: Sequence[Any]) -> Iterator[Replacement]:
    """Watch the real generators, and say what is replaced of the library."""
    hidden: Any = random._inst
    reals = [one for one in held if type(one) is random.Random and one is not hidden]
    before, _WATCHED[:] = list(_WATCHED), reals
    replacement = Replacement(_attributes(hidden), _bound(reals, held))
    try:
        yield replacement
    finally:
        _WATCHED[:] = before


def _attributes(hidden: random.Random) -> list[Attribute]:
    """Return the methods, and the functions that are methods of the module's hidden generator.

    The other functions (``choice``, ``uniform``, ...) call these methods themselves.
    """
    return [
        *(Attribute(random.Random, name, method) for name, method in _METHODS.items()),
        *(
            Attribute(random, name, MethodType(method, hidden))
            for name, method in _METHODS.items()
            if hasattr(random, name)
        ),
        Attribute(random.SystemRandom, "random", _system_random),
        Attribute(random.SystemRandom, "_randbelow", _system_randbelow),
        Attribute(random.SystemRandom, "getrandbits", _system_getrandbits),
        Attribute(secrets, "randbits", lambda k: _unseeded_integer(1 << k)),
        Attribute(os, "urandom", _entropy),
        Attribute(builtins, "max", extreme(max, largest=True)),
        Attribute(builtins, "min", extreme(min, largest=False)),
        Attribute(builtins, "sorted", in_order(sorted)),
        Attribute(heapq, "nlargest", first_few(heapq.nlargest, largest=True)),
        Attribute(heapq, "nsmallest", first_few(heapq.nsmallest, largest=False)),
        *(Attribute(math, name, _function(name, of_symbol)) for name, of_symbol in _MATH.items()),
    ]


def _bound(reals: Sequence[random.Random], held: Sequence[Any]) -> list[Swap]:
    """Return what is put in the place of methods in C, bound before: they would draw for real."""
    return [
        Swap(method, MethodType(_METHODS[method.__name__], method.__self__))
        for method in methods_of(reals, held)
        if method.__name__ in _METHODS
    ]


_WATCHED: list[random.Random] = []
"""The generators of an exploration: nothing may move their real states."""


def _state() -> Hashable:
    return tuple(hash(_real_getstate(generator)) for generator in (random._inst, *_WATCHED))


LIBRARY = Library(
    name="stdlib",
    needs="random",
    understood="the functions of random, Random and SystemRandom; math's curves of a draw",
    held=frozenset({random.Random, BuiltinMethodType}),
    replaced=_replaced,
    state=_state,
)
