"""The draws of a batch: one stream for each seed, and fresh draws for whoever has none.

A stream is a function from an index to a draw: who asks twice for one place gets one draw twice,
as from a generator that was set back.  Which places were asked for is remembered, for the claim
that a seeded request takes its own draws, one after another, and nobody else's.
"""

from typing import Protocol, TypeAlias

from specdec_core.draws import Draw, Draws
from specdec_core.errors import NondeterminismError

Place: TypeAlias = tuple[int, int]
"""A seed, and which draw of its stream."""


class Streams:
    """The streams of one run over one source of draws.

    Parameters
    ----------
    source : Draws
        Where a draw comes from that was not asked for before.
    spent : frozenset of Place
        Asked for in earlier rounds, whose draws are gone.

    Attributes
    ----------
    taken : list of Place
        All that were asked for, in order, repeated ones too.
    """

    def __init__(self, source: Draws, spent: frozenset[Place] = frozenset()) -> None:
        self._source = source
        self._spent = spent
        self._known: dict[Place, Draw] = {}
        self.taken: list[Place] = []

    def fresh(self) -> Draw:
        """Return a draw of no stream."""
        return self._source.uniform()

    def at(self, place: Place) -> Draw:
        """Return the draw of a place.

        Raises
        ------
        NondeterminismError
            If an earlier round took it: what it was is not known any more.
        """
        if place in self._spent:
            raise NondeterminismError(
                f"draw {place[1]} of the stream {place[0]} was taken in an earlier round, "
                "whose draws are forgotten"
            )
        self.taken.append(place)
        if place not in self._known:
            self._known[place] = self._source.uniform()
        return self._known[place]


class IndexedDraws(Draws, Protocol):
    """A source of draws that knows how many of its stream are behind it."""

    index: int


class Line:
    """The draws of one request: a stream, read on from an index.

    Parameters
    ----------
    streams : Streams
    seed : int or None
        ``None`` for fresh draws.
    index : int
        Of the next draw.
    """

    def __init__(self, streams: Streams, seed: int | None, index: int) -> None:
        self.streams = streams
        self.seed = seed
        self.index = index

    def uniform(self) -> Draw:
        """Return the next draw."""
        self.index += 1
        if self.seed is None:
            return self.streams.fresh()
        return self.streams.at((self.seed, self.index - 1))
