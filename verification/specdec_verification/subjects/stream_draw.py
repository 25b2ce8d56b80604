"""One uniform draw of one run: what the questions about a symbol are put to in the end."""

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeAlias

from specdec_core.errors import NondeterminismError
from specdec_grids.affine import RELATIONS, opaque
from specdec_grids.resolutions import Interval, Resolution
from specdec_grids.symbols import Uniform, choices
from specdec_verification.subjects.curves import Item, isolate
from specdec_verification.subjects.noise import Symbol
from specdec_verification.subjects.standings import UNDERSTOOD, Standing

if TYPE_CHECKING:
    from specdec_verification.subjects.streams import StreamDraws

StreamName: TypeAlias = tuple[Hashable, ...]
"""The kind of generator, and its seed: whatever makes two streams the same or different."""


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
            if isinstance(state, Standing):
                if state.holds(self.index):
                    opaque(f"use of {self.label}, which was in a race before", UNDERSTOOD)
            elif question.asked[0] == self.index:
                return question.choice.state
        return self.resolution.whole

    @property
    def raced(self) -> bool:
        """Whether it has been in a race on this path."""
        states: list[Any] = [question.choice.state for question in self.trail.questions]
        return any(isinstance(one, Standing) and one.holds(self.index) for one in states)

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
            sides.append((len(thresholds), rest))
            choice = self.trail.fork(asked, choices(before, sides))
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
