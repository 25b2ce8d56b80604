"""The exact law of a serving loop: by whole runs, or round by round with equal states merged.

`direct` follows every path of a whole run.  `merged` follows the rounds from each state that a
batch can be in, and adds up the paths that lead to one state (`specdec_grids.merging`).  The states
hold all that a round depends on but the draws, so merging is right as long as no round uses a draw
of an earlier one; a round that asks for one is refused, and `law_of_loop` then follows whole runs.

Both count, beside the law of the answers, how many rounds are expected to break each claim.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import TypeAlias

from specdec_core.draws import Draws
from specdec_core.errors import NondeterminismError
from specdec_core.laws import Law
from specdec_grids.merging import Loop, merged_law
from specdec_grids.paths import exact_law
from specdec_verification.emissions import NOT_SUITED, Malfunction, attempted
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.claims import broken
from specdec_verification.testbed.loop import ServingLoop, start
from specdec_verification.testbed.outcomes import Answer, RequestState
from specdec_verification.testbed.streams import Place, Streams

MAX_PATHS = 200_000
"""Of all rounds, or of whole runs; what is not followed is missing from the law."""

Answers: TypeAlias = tuple[Answer, ...]
"""One for each request of a batch."""


@dataclass(frozen=True, slots=True)
class Between:
    """A batch between two rounds.

    Attributes
    ----------
    states : tuple of RequestState
    rounds : int
        How many were played.
    spent : frozenset of Place
        What they took of the streams.
    broken : frozenset of str
        The claims that the last of them broke.
    """

    states: tuple[RequestState, ...]
    rounds: int = 0
    spent: frozenset[Place] = frozenset()
    broken: frozenset[str] = frozenset()
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        parts = (self.states, self.rounds, self.spent, self.broken)
        object.__setattr__(self, "_hash", hash(parts))

    def __hash__(self) -> int:
        return self._hash  # merging asks a dozen times a path, and states are deep

    @property
    def answers(self) -> Answers:
        """The answers so far."""
        return tuple(state.answer for state in self.states)

    @property
    def open(self) -> bool:
        """Whether an answer goes on."""
        return any(state.open for state in self.states)


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
    """Return the exact law of a loop: merged where that is right, else direct.

    Raises
    ------
    OpaqueDrawError, NondeterminismError
        If the loop cannot be followed: it keeps a state or a randomness of its own.
    """
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

    def round_of(at: Between | Malfunction) -> Callable[[Draws], Between | Malfunction]:
        assert isinstance(at, Between), "no round follows a malfunction"
        return lambda draws: _played(loop, case, at, Streams(draws, at.spent))

    rounds: Loop[Between | Malfunction] = Loop(
        Between(start(case)), round_of, partial(_finished, case)
    )
    whole = merged_law(rounds, max_paths=max_paths)
    breaches: dict[str, Fraction] = {}
    for at, prob in whole.reached.items():
        _add(breaches, at.broken if isinstance(at, Between) else (), prob)
    return _law(whole.found.law.image(_ending), breaches, whole.found.paths)


def direct(loop: ServingLoop, case: ServingCase, *, max_paths: int = MAX_PATHS) -> LoopLaw:
    """Return the exact law of a loop, by every path of a whole run.

    Past ``max_paths`` the law's mass falls short of one.
    """

    def run(draws: Draws) -> tuple[Answers | Malfunction, tuple[str, ...]]:
        streams, names = Streams(draws), list[str]()
        at: Between | Malfunction = Between(start(case))
        while isinstance(at, Between) and not _finished(case, at):
            at = _played(loop, case, at, streams)
            names += sorted(at.broken) if isinstance(at, Between) else []
        return _ending(at), tuple(names)

    found = exact_law(run, max_paths=max_paths)
    breaches: dict[str, Fraction] = {}
    for (_, names), prob in found.law.probs.items():
        _add(breaches, names, prob)
    return _law(found.law.image(lambda outcome: outcome[0]), breaches, found.paths)


UNENDED = Malfunction("took more rounds than there are tokens to emit")
"""A run that does not end."""


def _played(
    loop: ServingLoop, case: ServingCase, before: Between, streams: Streams
) -> Between | Malfunction:
    """Play one round, and ask the claims."""
    earlier = len(streams.taken)
    try:
        played = attempted(lambda: loop.play(case, before.states, streams))
    except NOT_SUITED as error:  # a case lacks nothing that a right loop asks for
        played = Malfunction(f"raised {error!r}")
    if isinstance(played, Malfunction):
        return played
    taken = streams.taken[earlier:]
    return Between(
        played.states,
        before.rounds + 1,
        before.spent.union(taken),
        broken(case, played, taken),
    )


def _finished(case: ServingCase, at: Between | Malfunction) -> bool:
    return isinstance(at, Malfunction) or not at.open or at.rounds == case.rounds


def _ending(at: Between | Malfunction) -> Answers | Malfunction:
    if isinstance(at, Malfunction):
        return at
    return UNENDED if at.open else at.answers


def _add(sums: dict[str, Fraction], names: Iterable[str], prob: Fraction) -> None:
    for name in names:
        sums[name] = sums.get(name, Fraction(0)) + prob


def _law(answers: Law[Answers | Malfunction], breaches: dict[str, Fraction], paths: int) -> LoopLaw:
    return LoopLaw(answers, tuple(sorted(breaches.items())), paths)
