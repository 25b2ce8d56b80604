"""Streams of symbols: what a random generator hands out while its code is followed.

A generator is a stream, named by its kind and its seed; its draws are named by the stream and
their position in it.  Within one run the same name is the same symbol, so that two generators with
one seed, or one seed set again, show as what they are.  A generator without a seed is a stream of
its own, and so is each library's global generator, until it is seeded.

Two operations that turn the generator's bits into numbers in different ways are of two `kind`s; a
place in a stream that is asked for in both ways would be two dependent draws, and how they depend
on one another is not known, so it is refused by name.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from specdec_grids.affine import opaque, refusal
from specdec_grids.resolutions import Continuous, Resolution
from specdec_grids.trails import Trail
from specdec_verification.subjects.stream_draw import StreamDraw, StreamName

CONTINUOUS = Continuous()

Resolved: TypeAlias = Callable[[Resolution], Resolution]
"""From what a library really draws from to what a draw is taken to be."""


def continuous(own: Resolution) -> Resolution:
    """Take every uniform for continuous."""
    return CONTINUOUS


def as_drawn(own: Resolution) -> Resolution:
    """Take a uniform for what its library draws it from: ``<=`` for ``<`` then has a mass."""
    return own


MAX_DRAWS = 20_000
"""Of one run; past it the path is abandoned, and its mass is missing."""

NEGLIGIBLE_BITS = 256
"""A path whose probability falls below two to minus so many is abandoned likewise."""


class StreamDraws:
    """The draws of the run at hand, each named by its stream and its position there.

    Parameters
    ----------
    trail : Trail
        Of the questions that are asked of them.
    resolved : callable
        What a uniform is taken to be.
    numbers : sequence of float or None
        What each draw is, if a path is replayed.

    Attributes
    ----------
    single : bool
        Whether the program was seen, in any run, to draw or to compare in floats of 32 bits or
        fewer.
    """

    def __init__(
        self,
        trail: Trail[Any],
        resolved: Resolved = continuous,
        numbers: Sequence[float] | None = None,
    ) -> None:
        self.trail = trail
        self.numbers = numbers
        self.single = False
        self.run = 0
        self._resolved = resolved
        self.begin()
        self.run = 0

    def begin(self) -> None:
        """Start a new run: nothing is drawn yet, and every generator stands where it stood."""
        self.run += 1
        self._draws: dict[StreamName, StreamDraw] = {}
        self._streams: dict[int, tuple[object, Stream]] = {}
        self._unseeded = 0

    def end(self) -> None:
        """End a run: let its generators go, which would seem to be held by someone."""
        self._streams = {}

    def stream_of(self, generator: object, name_of: Callable[[], StreamName]) -> "Stream":
        """Return a generator's stream; its name is asked for when it is first met in a run."""
        if id(generator) not in self._streams:
            self.restart(generator, Stream(name_of()))
        return self._streams[id(generator)][1]

    def restart(self, generator: object, stream: "Stream") -> None:
        """Give a generator a stream, as seeding it does."""
        # The generator is held, so that no other one gets its id in this run.
        self._streams[id(generator)] = generator, stream

    @property
    def started(self) -> list[StreamName]:
        """The names of the streams that generators of this run stand in."""
        return [stream.name for _, stream in self._streams.values()]

    def uniform(self) -> StreamDraw:
        """Return a draw that belongs to no generator."""
        return self.draw(self.unseeded("draws"), 0, "uniform")

    def draw(
        self, stream: StreamName, position: int, kind: str, resolution: Resolution = CONTINUOUS
    ) -> StreamDraw:
        """Return the draw at a position of a stream: the same one whenever it is asked for.

        Raises
        ------
        OpaqueDrawError
            If it was asked for before as another kind of number.
        """
        name, resolution = (*stream, position), self._resolved(resolution)
        drawn = self._draws.get(name)
        if drawn is None:
            self._require_worth_following()
            drawn = self._draws[name] = StreamDraw(self, self.trail.taken, resolution)
            drawn.kind, drawn.name = kind, name
            self.trail.taken += 1
            return drawn
        if drawn.kind != kind or drawn.resolution != resolution:
            opaque(
                f"{drawn.label} as {kind}, after the same bits served as {drawn.kind}", _TWO_WAYS
            )
        return drawn

    def of_this_run(self) -> list[StreamDraw]:
        """Return the draws that this run has taken, in order."""
        return list(self._draws.values())

    @property
    def names(self) -> tuple[StreamName, ...]:
        """The names of the draws of this run, in order."""
        return tuple(self._draws)

    def _require_worth_following(self) -> None:
        if self.numbers is not None and self.trail.taken == len(self.numbers):
            self.trail.abandon()
        if self.trail.position < len(self.trail.questions):
            return
        numerator, denominator = self.trail.weight
        lost = denominator.bit_length() - numerator.bit_length()
        if self.trail.taken >= MAX_DRAWS or lost > NEGLIGIBLE_BITS:
            self.trail.abandon()

    def unseeded(self, kind: str) -> StreamName:
        """Return the name of a stream that no other is equal to."""
        self._unseeded += 1
        return kind, "unseeded", self._unseeded


_TWO_WAYS = "one seed turned into numbers in two ways makes draws whose joint law is not known"


class Stream:
    """A generator's place in its stream.

    Parameters
    ----------
    name : StreamName
        What kind of generator it is, and what it was seeded with.
    position : int
        How many of its draws are taken.
    """

    __slots__ = ("name", "position")
    __getitem__ = __iter__ = refusal("reading of a generator's state")

    def __init__(self, name: StreamName, position: int = 0) -> None:
        self.name = name
        self.position = position

    def take(
        self, source: StreamDraws, kind: str, resolution: Resolution = CONTINUOUS
    ) -> StreamDraw:
        """Return the next draw."""
        self.position += 1
        return source.draw(self.name, self.position - 1, kind, resolution)
