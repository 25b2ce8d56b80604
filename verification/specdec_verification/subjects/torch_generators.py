"""Where torch's real generators stand in their streams of symbols.

A draw that is followed lets the real generator move as it would, and remembers the state that it
comes to as a place in a stream.  A state met again (a seed set again, a second generator with the
seed, a state saved and restored) is the same place, and gives the same symbols.  A fresh state
begins the stream of its seed; the global generator begins each run in a stream of its own, and a
generator made before the exploration stands, at the start of each run and in the end, where it
stood.  Any other state comes from a draw behind our back, and is refused.
"""

import hashlib
import sys
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import torch

from specdec_core.errors import NondeterminismError
from specdec_grids.affine import opaque, users_line
from specdec_grids.resolutions import Continuous, Resolution
from specdec_verification.subjects.curves import Item
from specdec_verification.subjects.running import current
from specdec_verification.subjects.stream_draw import StreamDraw, StreamName
from specdec_verification.subjects.streams import StreamDraws

CONTINUOUS = Continuous()
_UNSEEDED = 0x5DEC_5EED_0F70_7C41  # of no user's: it says that nobody has set a seed
_TWO_WAYS = "one seed turned into numbers in two ways makes draws whose joint law is not known"
_OURS = 2  # references to a generator from here, while it is looked at

Place: TypeAlias = tuple[StreamName, int]
"""A stream, and how many of its draws are taken."""


class Taken(NamedTuple):
    """What an operation drew.

    Attributes
    ----------
    kind : str
        How the generator's bits became numbers.
    number : int
        How many came.
    resolution : Resolution
        What each can be.
    """

    kind: str
    number: int
    resolution: Resolution = CONTINUOUS


class Generators:
    """The places of the run at hand, by the state that a generator is in there."""

    def __init__(self) -> None:
        self._base = torch.Generator().manual_seed(_UNSEEDED).get_state()
        self._met: dict[int, tuple[Item, Item]] = {}
        self.end()

    def start(self) -> None:
        """Start an exploration, with the global generator where nobody has seeded it."""
        self.end()
        self._followed = True
        torch.default_generator.set_state(self._base)

    def end(self) -> None:
        """Leave every generator where it stood, and forget them and every place."""
        for generator, state in self._met.values():
            generator.set_state(state)
        self._followed = False
        self._draws: StreamDraws | None = None
        self._run = 0
        self._places: dict[bytes, Place] = {}
        self._met = {}

    def moved(self) -> Hashable:
        """Return the global generator's state if what was followed did not bring it there."""
        state = _key(torch.default_generator.get_state())
        known = not self._followed or state in self._places
        return None if known or _fresh(torch.default_generator, state) else state

    def begin(self) -> bool:
        """Return whether a new run has begun; put the generators where they stood at its start."""
        draws = current()
        if draws is self._draws and draws.run == self._run:
            return False
        if self.moved() is not None:
            raise NondeterminismError(
                f"the global generator of torch was not where followed draws had left it, before "
                f"{users_line()}: something drew from it behind the functions that are replaced"
            )
        if not _fresh(torch.default_generator, _key(torch.default_generator.get_state())):
            torch.default_generator.set_state(self._base)
        self._draws, self._run = draws, draws.run
        self._places = {_key(self._base): (("torch", "global"), 0)}
        self._put_back()
        return True

    def _put_back(self) -> None:
        """Put back the generators that someone has kept since an earlier run."""
        for number, (generator, state) in list(self._met.items()):
            if sys.getrefcount(generator) > _OURS + 1:
                generator.set_state(state)
            else:
                del self._met[number]

    def take(
        self,
        generator: Item,
        act: Callable[[], Item],
        describe: Callable[[Item], Taken],
    ) -> tuple[Item, list[StreamDraw]]:
        """Do something that draws; return its result, and the symbols of what it drew.

        Parameters
        ----------
        generator : torch.Generator or None
            The global one, if none is given.
        act : callable
            Draws from the real generator.
        describe : callable
            From the result to what was drawn for it.
        """
        generator = generator or torch.default_generator
        stream, position = self._place(generator)
        result = act()
        taken = describe(result)
        place = stream, position + taken.number
        if self._places.setdefault(_key(generator.get_state()), place) != place:
            opaque(f"{taken.kind} from a generator that served another kind before", _TWO_WAYS)
        draws = current()
        return result, [
            draws.draw(stream, position + i, taken.kind, taken.resolution)
            for i in range(taken.number)
        ]

    def _place(self, generator: Item) -> Place:
        state = generator.get_state()
        if generator is not torch.default_generator:
            self._met.setdefault(id(generator), (generator, state))
        key = _key(state)
        if key not in self._places:
            self._places[key] = self._name(generator, state), 0
        return self._places[key]

    def _name(self, generator: Item, state: Item) -> StreamName:
        key = _key(state)
        if _fresh(generator, key):
            return "torch", f"seed {generator.initial_seed()}"
        if generator is torch.default_generator or _key(self._met[id(generator)][1]) != key:
            raise NondeterminismError(
                f"a generator of torch was used at {users_line()} in a state that no followed "
                "draw led to: something drew from it behind the functions that are replaced"
            )
        return "torch", f"state {hashlib.sha256(key).hexdigest()[:8]}"


def _key(state: Item) -> bytes:
    return state.numpy().tobytes()  # type: ignore[no-any-return]


def _fresh(generator: Item, state: bytes) -> bool:
    return state == _seeded(generator.initial_seed())


@lru_cache(maxsize=256)  # the same seeds come up in run after run
def _seeded(seed: int) -> bytes:
    return _key(torch.Generator().manual_seed(seed).get_state())
