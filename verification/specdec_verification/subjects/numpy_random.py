"""numpy's randomness: its generators, the legacy functions, and functions that meet a draw.

Understood: `numpy.random.default_rng`, `Generator`, `RandomState` and the legacy functions, with
``random`` (``rand``, ``sample``, ``random_sample``, ``ranf``), ``uniform``, ``exponential``,
``standard_exponential``, ``gumbel``, ``choice`` (with and without ``p``, with and without
replacement), ``integers`` (``randint``), ``multinomial``, ``binomial``, ``permutation`` and
``shuffle``; any shape; ``spawn``, ``seed``, ``get_state`` and ``set_state``.  What the drawn
arrays can do is in `arrays`.

A generator made before the exploration stands, at the start of each run, where it stood; one that
a module holds by name is replaced there.  Refused by name: every other method (``normal``,
``dirichlet``, ``bytes``, ...), ``out=``, and the bits themselves (``bit_generator``).

Resolution: doubles are multiples of ``2 ** -53`` in ``[0, 1)``, single floats of ``2 ** -24``.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from types import MethodType
from typing import Any

import numpy as np

from specdec_grids.affine import opaque
from specdec_verification.subjects import numpy_draws
from specdec_verification.subjects.curves import Item
from specdec_verification.subjects.holders import Swap, methods_of
from specdec_verification.subjects.patching import Attribute, Replacement
from specdec_verification.subjects.running import Library, current
from specdec_verification.subjects.stream_draw import StreamName
from specdec_verification.subjects.streams import Stream

_Operation = Callable[..., Any]

NEAR = 1 << 32
"""Places in a keyed stream: no run draws so many."""

_Generator = np.random.Generator
_RandomState = np.random.RandomState
_REAL = _Generator(np.random.PCG64(0))
_REAL_LEGACY = _RandomState(0)
_GLOBAL = np.random.mtrand._rand
_OURS = (_REAL, _REAL_LEGACY, _GLOBAL)

_MODERN: Mapping[str, _Operation] = {
    "random": numpy_draws.random,
    "uniform": numpy_draws.uniform,
    "exponential": numpy_draws.exponential,
    "standard_exponential": numpy_draws.standard_exponential,
    "gumbel": numpy_draws.gumbel,
    "choice": numpy_draws.choice,
    "integers": numpy_draws.integers,
    "multinomial": numpy_draws.multinomial,
    "binomial": numpy_draws.binomial,
    "permutation": numpy_draws.permutation,
    "shuffle": numpy_draws.shuffle,
}
_LEGACY: Mapping[str, _Operation] = {
    **{name: operation for name, operation in _MODERN.items() if name != "integers"},
    **dict.fromkeys(("rand", "sample", "random_sample", "ranf"), numpy_draws.random),
    "exponential": numpy_draws.legacy_exponential,
    "standard_exponential": numpy_draws.legacy_exponential,
    "randint": numpy_draws.integers,
}


def _followed(name: str, operation: _Operation, real: Item) -> _Operation:
    """Return a method that draws symbols, with the arguments checked by the real one."""

    def method(self: Item, *arguments: Item, **options: Item) -> Item:
        if options.pop("out", None) is not None:
            opaque(f"numpy.random's {name} with out=", "an array of floats cannot hold draws")
        in_place = operation is numpy_draws.shuffle
        like = None if in_place else getattr(real, name)(*arguments, **options)
        return operation(_stream(self), like, *arguments, **options)

    return method


def _stream(generator: Item) -> Stream:
    return current().stream_of(generator, lambda: _name(generator.bits))


def _name(bits: Item) -> StreamName:
    """Return the name of the stream that a bit generator stands in: its state tells it."""
    if isinstance(bits, np.random.Philox):
        return _counted(bits.state)
    return (type(bits).__name__, _hashable(bits.state))


def _counted(state: Item) -> StreamName:
    """Return the name of a keyed stream by its counter; two near one another would overlap."""
    counter = sum(int(word) << 64 * i for i, word in enumerate(state["state"]["counter"]))
    key = state["state"]["key"].tobytes()
    place = counter * len(state["buffer"]) + state["buffer_pos"]
    for kind, other_key, *other in current().started:
        if (kind, other_key) == ("Philox", key) and 0 < abs(other[0] - place) < NEAR:
            opaque("two counters of one Philox key", "their draws overlap, and how is not followed")
    return ("Philox", key, place)


def _hashable(state: Item) -> Hashable:
    if isinstance(state, Mapping):
        return tuple((key, _hashable(value)) for key, value in sorted(state.items()))
    return state.tobytes() if isinstance(state, np.ndarray) else state


def _methods(understood: Mapping[str, _Operation], real: Item) -> dict[str, _Operation]:
    """Return a method for every one that draws: followed, or refused by its name."""
    kept = {"bit_generator", "spawn", "seed", "get_state", "set_state"}
    return {
        name: _followed(name, understood.get(name, numpy_draws.refused(name)), real)
        for name in dir(type(real))
        if not name.startswith("_") and name not in kept
    }


class FollowedGenerator(np.random.Generator):
    """A `Generator` whose draws are symbols.

    Parameters
    ----------
    bits : BitGenerator
        A real one, whose state says which stream it is; nothing is drawn from it.
    """

    def __init__(self, bits: np.random.BitGenerator) -> None:
        super().__init__(bits)
        self.bits = bits

    @property
    def bit_generator(self) -> np.random.BitGenerator:
        """Refused: its state would be read as numbers."""
        opaque("bit_generator of a generator that is followed", "its state does not move")

    def __reduce__(self) -> tuple[Any, ...]:
        opaque("copy of a numpy generator", "seed another one, or spawn it")


class FollowedRandomState(np.random.RandomState):
    """A `RandomState` whose draws are symbols."""

    def __init__(self, seed: Item = None) -> None:
        super().__init__(seed)
        self.bits = self._bit_generator
        if seed is None:
            self.seed()

    def seed(self, seed: Item = None) -> None:
        """Start a stream anew."""
        draws = current()
        name = _seeded(seed) if seed is not None else draws.unseeded("numpy.random.RandomState()")
        draws.restart(self, Stream(name))

    def get_state(self, legacy: bool = True) -> Item:
        """Return the place in the stream, for `set_state` alone."""
        stream = _stream(self)
        return Stream(stream.name, stream.position)

    def set_state(self, state: Item) -> None:
        """Go back to a place in a stream, or to a real state."""
        if isinstance(state, Stream):
            current().restart(self, Stream(state.name, state.position))
            return
        real = _RandomState()
        real.set_state(state)
        current().restart(self, Stream(_name(real._bit_generator)))

    def __reduce__(self) -> tuple[Any, ...]:
        opaque("copy of a numpy generator", "seed another one")


for _class, _understood, _real in (
    (FollowedGenerator, _MODERN, _REAL),
    (FollowedRandomState, _LEGACY, _REAL_LEGACY),
):
    for _method_name, _method in _methods(_understood, _real).items():
        setattr(_class, _method_name, _method)


def _seeded(seed: Item) -> StreamName:
    """Return the name of a legacy stream by its seed."""
    return _seeded_by_integer(int(seed)) if np.ndim(seed) == 0 else _fresh(seed)


@lru_cache(maxsize=4096)  # a Mersenne twister takes its time to seed and to read
def _seeded_by_integer(seed: int) -> StreamName:
    return _fresh(seed)


def _fresh(seed: Item) -> StreamName:
    return _name(_RandomState(seed)._bit_generator)


def _entropy(bits: int) -> int:
    """Return what a generator without a seed is seeded with: a number that no other one gets."""
    *_, number = current().unseeded("numpy.random.SeedSequence()")
    return (1 << bits) - int(str(number))


_default_rng = np.random.default_rng


def followed_default_rng(seed: Item = None) -> FollowedGenerator:
    """Return a generator of symbols, seeded as `numpy.random.default_rng` seeds."""
    if isinstance(seed, FollowedGenerator):
        return seed
    if isinstance(seed, FollowedRandomState):
        return FollowedGenerator(seed.bits)
    # Numpy makes a followed one itself, where it looks its class up.
    real = _default_rng(0 if seed is None else seed)
    made = real if isinstance(real, FollowedGenerator) else FollowedGenerator(real.bit_generator)
    if seed is None:
        draws = current()
        draws.restart(made, Stream(draws.unseeded("numpy.random.default_rng()")))
    return made


@contextmanager
def _replaced(held: Sequence[Any]) -> Iterator[Replacement]:
    """Watch the real generators, and say what is put in their place and in the functions'."""
    reals = [one for one in held if type(one) in _FOLLOWED and all(one is not x for x in _OURS)]
    before, _WATCHED[:] = list(_WATCHED), map(_bits, reals)
    replacement = Replacement(_attributes(), _swaps(reals, methods_of(reals, held)))
    del reals  # which holds what is swapped
    try:
        with _seeding_followed():
            yield replacement
    finally:
        _WATCHED[:] = before


def _attributes() -> list[Attribute]:
    """Return the classes, and the functions that are methods of the global generator."""
    followed = FollowedRandomState(_GLOBAL._bit_generator)
    names = [name for name in dir(followed) if not name.startswith("_") and name != "bits"]
    return [
        *(
            Attribute(np.random, name, getattr(followed, name))
            for name in names
            if hasattr(np.random, name)
        ),
        Attribute(np.random, "default_rng", followed_default_rng),
        Attribute(np.random, "Generator", FollowedGenerator),
        Attribute(np.random, "RandomState", FollowedRandomState),
        Attribute(np.random.mtrand, "_rand", followed),
    ]


@contextmanager
def _seeding_followed() -> Iterator[None]:
    """Seed what has no seed; the function that does is not numpy's own, and others hold it."""
    module: Any = np.random.bit_generator
    old, module.randbits = module.randbits, _entropy
    try:
        yield
    finally:
        module.randbits = old


def _swaps(reals: Sequence[Any], methods: Sequence[Any]) -> list[Swap]:
    """Return what is put in the place of real generators, and of their methods."""
    new = {id(real): _FOLLOWED[type(real)](_bits(real)) for real in reals}
    bound = [(method, new[id(method.__self__)]) for method in methods]
    return [
        *(Swap(real, new[id(real)]) for real in reals),
        *(Swap(method, getattr(owner, method.__name__)) for method, owner in bound),
    ]


_WATCHED: list[np.random.BitGenerator] = []
"""Of the real generators of an exploration: nothing may draw from them."""


def _bits(real: Item) -> np.random.BitGenerator:
    return real.bit_generator if isinstance(real, _Generator) else real._bit_generator


_FOLLOWED: Mapping[type, Callable[..., Any]] = {
    _Generator: FollowedGenerator,
    _RandomState: FollowedRandomState,
}


def _state() -> Hashable:
    return tuple(_hashable(bits.state) for bits in (_GLOBAL._bit_generator, *_WATCHED))


LIBRARY = Library(
    name="numpy",
    needs="numpy",
    understood="Generator, default_rng, RandomState and the legacy functions, of any shape",
    held=frozenset({*_FOLLOWED, MethodType}),
    replaced=_replaced,
    state=_state,
)
