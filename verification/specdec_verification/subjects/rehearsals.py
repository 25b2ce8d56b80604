"""Some paths of an exploration, run again: once as they were, and once with numbers for draws.

A law is right only if a run is a function of its draws.  So some of the paths, spread evenly over
the exploration, are followed again when it has ended: whoever carries state from run to run, or
has randomness of his own, answers otherwise.  The same paths are then taken with numbers that
lead down them: a program that asks what kind of object a draw is, or prints one, answers otherwise.

No proof: state that shows on none of the paths kept, or a coin that falls the same way every time,
is not found out.
"""

from collections.abc import Callable, Hashable
from itertools import cycle, islice
from typing import Any, NamedTuple

from specdec_core.errors import NondeterminismError, OpaqueDrawError
from specdec_grids.trails import Abandoned, Question, Trail
from specdec_verification.subjects.replays import numbers_of
from specdec_verification.subjects.runs import replay, run_once
from specdec_verification.subjects.stream_draw import StreamDraw, StreamName
from specdec_verification.subjects.streams import Resolved, StreamDraws

KEPT = 8
"""Paths that are kept at least, if there are so many; twice as many at most."""

RUNS = 16
"""Runs of the paths kept: a fair coin of the program's own is missed once in two to so many."""

WIDE = 1 / 1024
"""Of what is left of a draw: the middle of less may be rounded out of it."""


class _Kept(NamedTuple):
    """A path: the answers that lead down it, and what came of it."""

    answers: tuple[Question[Any], ...]
    names: tuple[StreamName, ...]
    outcome: Hashable


class Rehearsals:
    """The paths kept of one exploration."""

    def __init__(self) -> None:
        self._kept: list[_Kept] = []
        self._every = 1
        self._seen = 0

    def keep(self, outcome: Hashable, draws: StreamDraws) -> None:
        """Keep the path at hand, if it is its turn."""
        if self._seen % self._every == 0:
            questions = draws.trail.questions
            answers = tuple(
                Question(one.asked, one.taken, one.before, [one.choice]) for one in questions
            )
            self._kept.append(_Kept(answers, draws.names, outcome))
            if len(self._kept) == 2 * KEPT:
                self._kept = self._kept[::2]
                self._every *= 2
        self._seen += 1

    def hold(self, emit: Callable[[], Any], resolved: Resolved, at_least: int = RUNS) -> None:
        """Run the paths again, each once and so many in all.

        Raises
        ------
        NondeterminismError
            If one does not lead where it led.
        OpaqueDrawError
            If it leads elsewhere with numbers in the place of symbols.
        """
        runs = islice(cycle(self._kept), max(at_least, len(self._kept)))
        for number, kept in enumerate(runs):
            draws = _follow(emit, kept, resolved)
            if number < len(self._kept) and all(map(_wide, draws.of_this_run())):
                _require_same_with_numbers(emit, kept, draws)


def _follow(emit: Callable[[], Any], kept: _Kept, resolved: Resolved) -> StreamDraws:
    trail: Trail[Any] = Trail()
    trail.questions = list(kept.answers)
    draws = StreamDraws(trail, resolved)
    try:
        outcome = run_once(emit, draws)
    except Abandoned:
        raise NondeterminismError(STATE) from None
    trail.require_all_asked()
    if (len(trail.questions), draws.names) != (len(kept.answers), kept.names):
        raise NondeterminismError(STATE)
    if differ(outcome, kept.outcome):
        raise NondeterminismError(f"{STATE} ({kept.outcome!r}, then {outcome!r})")
    return draws


def _require_same_with_numbers(emit: Callable[[], Any], kept: _Kept, draws: StreamDraws) -> None:
    outcome = replay(emit, numbers_of(draws.trail, draws.of_this_run()))
    if differ(outcome, kept.outcome):
        raise OpaqueDrawError(
            f"a run returned {kept.outcome!r} where its draws were symbols, and {outcome!r} where "
            "they were numbers: the program asks what kind of object a draw is, or reads it"
        )


def _wide(draw: StreamDraw) -> bool:
    """Return whether a number in the middle of what is left of a draw is safe from rounding."""
    if draw.raced:
        return True
    low, high, denominator = draw.interval
    whole = draw.resolution.whole
    return (high - low) * whole.denominator > WIDE * (whole.high - whole.low) * denominator


def differ(one: object, other: object) -> bool:
    """Return whether two outcomes differ; nan is nan here."""
    return one != other and repr(one) != repr(other)


STATE = (
    "a path, run again, asked other questions or returned something else: the program keeps state "
    "from run to run, or has randomness of its own"
)
