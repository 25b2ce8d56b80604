"""The exact law of a serving loop: by whole runs, or round by round with equal states merged.

`direct` follows every path of a whole run.  `merged` follows every path of one round from each
state that a batch can be in, and adds up the paths that lead to one state: a dynamic programme
over the states between rounds.  The states hold all that a round depends on but the draws, so
merging is right as long as no round uses a draw of an earlier one; a round that asks for one is
refused, and `law_of_loop` then follows whole runs.

Both count, beside the law of the answers, how many rounds are expected to break each claim.
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, TypeVar

from specdec_core.draws import Draws
from specdec_core.errors import NondeterminismError
from specdec_core.laws import Law
from specdec_grids.paths import exact_law
from specdec_verification.emissions import Malfunction, attempted
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.claims import broken
from specdec_verification.testbed.loop import ServingLoop, start
from specdec_verification.testbed.outcomes import Answer, RequestState
from specdec_verification.testbed.streams import Place, Streams

MAX_PATHS = 200_000
"""Of all rounds, or of whole runs; what is not followed is missing from the law."""

Answers: TypeAlias = tuple[Answer, ...]
"""One for each request of a batch."""

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Between:
    """A batch between two rounds.

    Attributes
    ----------
    states : tuple of RequestState
    spent : frozenset of Place
        What was taken of the streams.
    """

    states: tuple[RequestState, ...]
    spent: frozenset[Place] = frozenset()

    @property
    def answers(self) -> Answers:
        """The answers so far."""
        return tuple(state.answer for state in self.states)

    @property
    def open(self) -> bool:
        """Whether an answer goes on."""
        return any(state.open for state in self.states)


@dataclass(frozen=True, slots=True)
class Step:
    """Where a round leads, and which claims it breaks."""

    to: Between | Malfunction
    broken: frozenset[str]


@dataclass(frozen=True, slots=True)
class LoopLaw:
    """What following a loop found.

    Attributes
    ----------
    answers : Law of tuple of Answer, or Malfunction
        Of a whole batch; a run that raises, or does not end, is an outcome of its own.
    breaches : tuple of (str, Fraction)
        Each claim that some round breaks, by name, with the expected number of such rounds.
    paths : int
        How many were followed.
    """

    answers: Law[Answers | Malfunction]
    breaches: tuple[tuple[str, Fraction], ...]
    paths: int


def law_of_loop(loop: ServingLoop, case: ServingCase) -> LoopLaw:
    """Return the exact law of a loop: merged where that is right, else direct."""
    try:
        return merged(loop, case)
    except NondeterminismError:
        return direct(loop, case)


def merged(loop: ServingLoop, case: ServingCase, *, max_paths: int = MAX_PATHS) -> LoopLaw:
    """Return the exact law of a loop, round by round, with equal states merged.

    Past ``max_paths`` the law's mass falls short of one.

    Raises
    ------
    NondeterminismError
        If a round asks for a draw that an earlier one took.
    """
    growing: dict[Between, Fraction] = {Between(start(case)): Fraction(1)}
    ended: dict[Answers | Malfunction, Fraction] = {}
    breaches: dict[str, Fraction] = {}
    paths = 0
    for _ in range(case.rounds):
        shorter, growing = growing, {}
        for between, weight in shorter.items():
            if paths >= max_paths:
                break
            found = exact_law(_round(loop, case, between), max_paths=max_paths - paths)
            paths += found.paths
            for step, prob in found.law.probs.items():
                _add(breaches, step.broken, weight * prob)
                if isinstance(step.to, Between) and step.to.open:
                    _add(growing, (step.to,), weight * prob)
                else:
                    _add(ended, (_ending(step.to),), weight * prob)
    _add(ended, (UNENDED,), sum(growing.values(), Fraction(0)))
    return _law(ended, breaches, paths)


def direct(loop: ServingLoop, case: ServingCase, *, max_paths: int = MAX_PATHS) -> LoopLaw:
    """Return the exact law of a loop, by every path of a whole run.

    Past ``max_paths`` the law's mass falls short of one.
    """
    found = exact_law(_run(loop, case), max_paths=max_paths)
    ended: dict[Answers | Malfunction, Fraction] = {}
    breaches: dict[str, Fraction] = {}
    for (ending, names), prob in found.law.probs.items():
        _add(ended, (ending,), prob)
        _add(breaches, names, prob)
    return _law(ended, breaches, found.paths)


UNENDED = Malfunction("took more rounds than there are tokens to emit")
"""A run that does not end."""


def _round(loop: ServingLoop, case: ServingCase, before: Between) -> Callable[[Draws], Step]:
    def play(draws: Draws) -> Step:
        return _step(loop, case, before, Streams(draws, before.spent))

    return play


def _run(
    loop: ServingLoop, case: ServingCase
) -> Callable[[Draws], tuple[Answers | Malfunction, tuple[str, ...]]]:
    def play(draws: Draws) -> tuple[Answers | Malfunction, tuple[str, ...]]:
        streams = Streams(draws)
        at: Between | Malfunction = Between(start(case))
        names: list[str] = []
        for _ in range(case.rounds):
            if not isinstance(at, Between) or not at.open:
                break
            step = _step(loop, case, at, streams)
            names += sorted(step.broken)
            at = step.to
        return _ending(at), tuple(names)

    return play


def _step(loop: ServingLoop, case: ServingCase, before: Between, streams: Streams) -> Step:
    """Play one round, and ask the claims."""
    earlier = len(streams.taken)
    played = attempted(lambda: loop.play(case, before.states, streams))
    if isinstance(played, Malfunction):
        return Step(played, frozenset())
    taken = streams.taken[earlier:]
    return Step(Between(played.states, before.spent.union(taken)), broken(case, played, taken))


def _ending(at: Between | Malfunction) -> Answers | Malfunction:
    if isinstance(at, Malfunction):
        return at
    return UNENDED if at.open else at.answers


def _add(sums: dict[Key, Fraction], keys: Iterable[Key], weight: Fraction) -> None:
    for key in keys:
        sums[key] = sums.get(key, Fraction(0)) + weight


def _law(
    ended: dict[Answers | Malfunction, Fraction], breaches: dict[str, Fraction], paths: int
) -> LoopLaw:
    return LoopLaw(Law(ended), tuple(sorted(breaches.items())), paths)
