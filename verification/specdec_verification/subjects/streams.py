"""Streams of symbols: what a random generator hands out while its code is followed.

A generator is a stream, named by its kind and its seed; its draws are named by the stream and
their position in it.  Within one run the same name is the same symbol, so that two generators with
one seed, or one seed set again, show as what they are.  A generator without a seed is a stream of
its own, and so is each library's global generator, until it is seeded.

Two operations that turn the generator's bits into numbers in different ways are of two `kind`s; a
place in a stream that is asked for in both ways would be two dependent draws, and how they depend
on one another is not known, so it is refused by name.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any, TypeAlias

from specdec_core.errors import NondeterminismError
from specdec_grids.affine import RELATIONS, opaque, refusal
from specdec_grids.resolutions import Continuous, Interval, Resolution
from specdec_grids.symbols import Uniform
from specdec_grids.trails import Trail
from specdec_verification.subjects import races
from specdec_verification.subjects.curves import Item, isolate
from specdec_verification.subjects.noise import Symbol

StreamName: TypeAlias = tuple[Hashable, ...]
"""The kind of generator, and its seed: whatever makes two streams the same or different."""

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


class Abandoned(BaseException):
    """A path is not followed further; no ``except Exception`` of the user's catches it."""


class StreamDraw(Uniform):
    """A uniform draw of one run: the next number of a stream.

    The user's code gets it as a `Symbol`; this is what the symbol's questions are put to.
    """

    __slots__ = ("kind", "name", "run", "source")

    def __init__(self, source: "StreamDraws", index: int, resolution: Resolution) -> None:
        super().__init__(source.trail, index, resolution)
        self.source = source
        self.run = source.run
        self.kind = ""
        self.name: StreamName = ()

    @property
    def span(self) -> tuple[float, float]:
        """The ends of what it can be."""
        return 0.0, 1.0

    @property
    def number(self) -> float | None:
        """What it is, if a path is replayed; ``None`` if it is followed."""
        numbers = self.source.numbers
        return None if numbers is None else numbers[self.index]

    @property
    def interval(self) -> Interval:
        """Where the draw lies on this path; refused once it has been in a race."""
        for question in reversed(self.trail.questions):
            state: Any = question.choice.state
            if isinstance(state, races.Standing):
                if state.holds(self.index):
                    opaque(f"use of {self.label}, which was in a race before", races.UNDERSTOOD)
            elif question.asked[0] == self.index:
                return question.choice.state
        return self.resolution.whole

    @property
    def untouched(self) -> bool:
        """Whether no answer so far has told anything about it."""
        low, high, denominator = self.interval
        whole = self.resolution.whole
        return (high - low) * whole.denominator == (whole.high - whole.low) * denominator

    def ask(self, relation: str, scale: Item, shift: Item, threshold: Item) -> bool:
        """Return whether ``scale * self + shift`` has the relation to the threshold."""
        self.require_of_this_run()
        if self.number is not None:
            return bool(RELATIONS[relation](float(scale) * self.number + float(shift), threshold))
        return super().ask(relation, scale, shift, threshold)

    def place(self, item: Symbol, thresholds: list[Any], inclusive: bool) -> int:
        """Return how many thresholds lie below an item made of this draw by affine changes.

        Parameters
        ----------
        item : Symbol
            A positive multiple of this draw, shifted.
        thresholds : list of number
            Never descending.
        inclusive : bool
            Whether a threshold that equals the item counts too.
        """
        self.require_of_this_run()
        if self.number is not None:
            number = float(item.scale) * self.number + float(item.shift)
            return (bisect_right if inclusive else bisect_left)(thresholds, number)
        asked = (self.index, "place", item.scale, item.shift, tuple(thresholds), inclusive)
        choice = self.trail.again(asked)
        if choice is None:
            rest = before = self.interval
            sides = []
            for number, threshold in enumerate(thresholds):
                _, bound = isolate("<", item.scale, item.shift, threshold)
                cell, rest = rest.cut(*self._below(bound, not inclusive))
                sides.append((number, cell))
            choice = self._fork(asked, before, [*sides, (len(thresholds), rest)])
        return choice.answer

    def _below(self, bound: Item, inclusive: bool) -> tuple[int, int]:
        if bound in (float("-inf"), float("inf")):
            return self.resolution.below(int(bound > 0) * 2, 1, inclusive)
        numerator, denominator = bound.as_integer_ratio()
        return self.resolution.below(numerator, denominator, inclusive)

    def require_of_this_run(self) -> None:
        """Raise `NondeterminismError` if the program kept the draw from an earlier run."""
        if self.run != self.source.run:
            raise NondeterminismError(
                f"{self.label}, run {self.run}, was used in run {self.source.run}: the "
                "program keeps it from run to run"
            )

    def symbol(self) -> Item:
        """Return what the user's code gets: a symbol, or a number while a path is replayed."""
        return Symbol(self, 1, 0) if self.number is None else self.number

    def choose(self, row: Sequence[Item]) -> int:
        """Return an index with probability proportional to its weight, by inverse distribution.

        Parameters
        ----------
        row : sequence of number
            Finite weights, none negative and one positive; floats are the rationals that they are.
        """
        sums = list(accumulate(map(Fraction, row)))
        thresholds: list[Item] = [part / sums[-1] for part in sums[:-1]]
        return self.place(Symbol(self, 1, 0), thresholds, True)

    @property
    def label(self) -> str:
        """What to call it in an error message."""
        return f"draw {self.index + 1} of the run, of {self.name[0]}"


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
    """

    def __init__(
        self,
        trail: Trail[Any],
        resolved: Resolved = continuous,
        numbers: Sequence[float] | None = None,
    ) -> None:
        self.trail = trail
        self.numbers = numbers
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

    def stream_of(self, generator: object, name_of: Callable[[], StreamName]) -> "Stream":
        """Return a generator's stream; its name is asked for when it is first met in a run."""
        if id(generator) not in self._streams:
            self.restart(generator, Stream(name_of()))
        return self._streams[id(generator)][1]

    def restart(self, generator: object, stream: "Stream") -> None:
        """Give a generator a stream, as seeding it does."""
        # The generator is held, so that no other one gets its id in this run.
        self._streams[id(generator)] = generator, stream

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
        if self.numbers is not None and self.trail.taken == len(self.numbers):
            raise Abandoned
        name, resolution = (*stream, position), self._resolved(resolution)
        drawn = self._draws.get(name)
        if drawn is None:
            index = self.trail.taken
            self._require_worth_following()
            self.trail.taken = index + 1
            drawn = self._draws[name] = StreamDraw(self, index, resolution)
            drawn.kind, drawn.name = kind, name
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
        if self.trail.position < len(self.trail.questions):
            return
        numerator, denominator = self.trail.weight
        lost = denominator.bit_length() - numerator.bit_length()
        if self.trail.taken >= MAX_DRAWS or lost > NEGLIGIBLE_BITS:
            raise Abandoned

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
