"""The exact law of a loop, round by round, with equal states merged.

A loop plays rounds, each a program over fresh draws, until its state is a finished one.  What
follows a state depends on the state alone, however it was come to: so the paths of one round are
followed once from each state, and the probabilities of all ways to a state are added up before
they go on.  That is a dynamic programme over states.  It costs the sum of the paths of the rounds,
where whole runs cost about their product; how many paths whole runs have is found by the same
programme, with numbers of ways for probabilities.

Not here: rounds that use a draw of an earlier round again, whose law does not depend on the state
alone; and loops that can come back to a state, whose law is no finite sum.
"""

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from specdec_core.draws import Draws
from specdec_core.errors import InvalidParameterError
from specdec_core.laws import Law
from specdec_core.parameters import require_integer
from specdec_grids.paths import Exploration, exact_law
from specdec_grids.programs import Program, Steps, steps_of

State = TypeVar("State", bound=Hashable)

RoundOf: TypeAlias = Callable[[State], Program[State]]
"""From a state to the round that is played there: a program that returns the next state."""


@dataclass(frozen=True, slots=True)
class Loop(Generic[State]):
    """Rounds until a state is finished: to whoever calls it, a program like any other.

    Attributes
    ----------
    start : State
        Before the first round.
    round_of : callable
        From a state to a program that returns the state after one round.  A state is hashable,
        and holds all that the rounds after it depend on but their draws.
    finished : callable
        Whether no round follows a state.  Every run comes to such a state.
    """

    start: State
    round_of: RoundOf[State]
    finished: Callable[[State], bool]

    def __call__(self, draws: Draws) -> State:
        """Play a whole run, and return the state that it finishes in."""
        state = self.start
        while not self.finished(state):
            state = self.round_of(state)(draws)
        return state


@dataclass(frozen=True, slots=True)
class MergedLaw(Generic[State]):
    """What following a loop with equal states merged found.

    Attributes
    ----------
    found : Exploration
        The law of the finished state, the paths of all rounds that were followed, and the
        probability of the runs that were not followed to their end.
    reached : mapping of State to Fraction
        Probability, in ``(0, 1]``, that a run comes to each state: what is counted once a round is
        summed over it.
    states : int
        Whose round was followed.
    unmerged_paths : int
        Paths of whole runs: as many as `specdec_grids.paths.exact_law` of the loop would follow.
        Only of the runs that were followed to their end, if mass is missing.
    """

    found: Exploration[State]
    reached: Mapping[State, Fraction]
    states: int
    unmerged_paths: int


def merged_law(loop: Loop[State], *, max_paths: int | None = None) -> MergedLaw[State]:
    """Return the exact law of the state that a loop finishes in, with equal states merged.

    Equal to `specdec_grids.paths.exact_law` of the loop, which follows whole runs.

    Parameters
    ----------
    loop : Loop
    max_paths : int or None
        Stop after that many paths of rounds, and state the missing mass; a loop that might not
        end needs a limit.

    Raises
    ------
    InvalidParameterError
        If the loop can come back to a state, or ``max_paths`` is no integer or less than 1.
    OpaqueDrawError, NondeterminismError
        As `specdec_grids.paths.exact_law`.

    Examples
    --------
    A fair coin, until it has been thrown three times; a state is throws and heads.

    >>> def throw(state):
    ...     return lambda draws: (state[0] + 1, state[1] + (draws.uniform() < Fraction(1, 2)))
    >>> merged = merged_law(Loop((0, 0), throw, lambda state: state[0] == 3))
    >>> {heads: str(prob) for (_, heads), prob in sorted(merged.found.law.probs.items())}
    {0: '1/8', 1: '3/8', 2: '3/8', 3: '1/8'}
    >>> merged.states, merged.found.paths, merged.unmerged_paths
    (6, 12, 8)
    >>> str(merged.reached[2, 1])
    '1/2'
    """
    if max_paths is not None:
        require_integer(max_paths, "max_paths", minimum=1)
    rounds = _rounds(loop, max_paths)
    probs: dict[State, Fraction] = {loop.start: Fraction(1)}
    ways: Counter[State] = Counter({loop.start: 1})
    for state in _in_order(rounds):
        played, so_far, ways_so_far = rounds[state], probs[state], ways[state]
        for after, prob in played.found.law.probs.items():
            probs[after] = probs.get(after, Fraction(0)) + so_far * prob
            ways[after] += ways_so_far * played.ways[after]
    ended = [state for state in probs if state not in rounds and loop.finished(state)]
    law = Law({state: probs[state] for state in ended})
    paths = sum(played.found.paths for played in rounds.values())
    found = Exploration(law, paths, 1 - law.mass)
    return MergedLaw(found, probs, len(rounds), sum(ways[state] for state in ended))


class _Round(NamedTuple, Generic[State]):
    """The law of the state after a round, and how many of its paths lead to each."""

    found: Exploration[State]
    ways: Counter[State]


def _rounds(loop: Loop[State], max_paths: int | None) -> dict[State, _Round[State]]:
    """Follow the round of every state that can be come to, each once, nearest first."""
    rounds: dict[State, _Round[State]] = {}
    left, met, waiting = max_paths, {loop.start}, deque([loop.start])
    while waiting and left != 0:
        state = waiting.popleft()
        if loop.finished(state):
            continue
        rounds[state] = played = _played(loop.round_of(state), left)
        left = None if left is None else left - played.found.paths
        new = [after for after in played.found.law if after not in met]
        met.update(new)
        waiting.extend(new)
    return rounds


def _played(program: Program[State], max_paths: int | None) -> _Round[State]:
    ways: Counter[State] = Counter()

    def counted(after: State, draws: Draws) -> State:
        ways[after] += 1  # the last step, which draws nothing, is run once a path
        return after

    counting: Steps[State] = Steps((*steps_of(program), counted))
    return _Round(exact_law(counting, max_paths=max_paths), ways)


def _in_order(rounds: Mapping[State, _Round[State]]) -> Iterator[State]:
    """Yield the states that a round was followed from, each after all that lead to it."""
    ahead = {
        state: [after for after in played.found.law if after in rounds]
        for state, played in rounds.items()
    }
    try:
        return reversed(list(TopologicalSorter(ahead).static_order()))
    except CycleError as error:
        state = error.args[1][0]
        raise InvalidParameterError(
            f"the loop can come back to the state {state!r}, expected one that never does"
        ) from None
