"""The exact law of whatever a callable returns, its random source replaced while it runs.

The callable takes no argument, or one generator, and is run once for each path: every comparison
and every categorical draw that could go several ways goes another way in another run.  Nothing is
sampled.  Besides what `noise`, `streams` and `arrays` refuse, the law is refused if

- a run draws from a real generator behind the replaced functions (the states are compared);
- a path, run again, asks or returns something else, or does with numbers in the place of its draws
  (`rehearsals`): the callable carries state from run to run, or looks at what a draw is;
- a refusal was caught by the callable itself.

A run that raises or returns what cannot be hashed is an outcome of its own, a `Malfunction`.
"""

import math
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from inspect import Parameter, signature
from typing import Any, NamedTuple

from specdec_core.errors import (
    InvalidParameterError,
    NondeterminismError,
    OpaqueDrawError,
    SpecdecError,
)
from specdec_grids.paths import Exploration, explored
from specdec_grids.resolutions import Ratio
from specdec_grids.trails import Trail, weighing
from specdec_grids.walking import walk
from specdec_verification.emissions import Malfunction
from specdec_verification.exact_law import EPSILON
from specdec_verification.subjects.libraries import available, generator_for
from specdec_verification.subjects.rehearsals import RUNS, STATE, Rehearsals, differ
from specdec_verification.subjects.replays import numbers_of
from specdec_verification.subjects.running import (
    Library,
    replacing,
    require_untouched,
    states,
    time_limit,
)
from specdec_verification.subjects.runs import replay, run_once
from specdec_verification.subjects.streams import Resolved, StreamDraws, continuous
from specdec_verification.subjects.watching import Watch, unwatched

Emit = Callable[..., Any]
"""What is followed: takes no argument, or one generator, and returns the outcome."""


@dataclass(frozen=True, slots=True)
class Execution:
    """How a subject is executed.

    Attributes
    ----------
    max_paths : int
        How many paths to follow at most.
    max_seconds : float
        After how many seconds to start no further one; at least zero.
    max_run_seconds : float
        After how many seconds a single run hangs, which is a malfunction.
    resolved : callable
        `continuous`, or `as_drawn`: the lattices that the libraries really draw from.
    epsilon : Fraction
        Of the floats that the subject computes with, at least; bounds what rounding can do.
    watch : callable
        Told of every path.
    rehearsals : int
        Runs of the paths that are kept, at least.  With none, a law is to be believed only of a
        program that is executed once more with them.
    """

    max_paths: int = 1_000_000
    max_seconds: float = math.inf
    max_run_seconds: float = 10.0
    resolved: Resolved = continuous
    epsilon: Fraction = EPSILON
    watch: Watch = unwatched
    rehearsals: int = RUNS

    def __post_init__(self) -> None:
        if not self.max_seconds >= 0:
            raise InvalidParameterError(
                f"max_seconds is {self.max_seconds}, expected a number of at least 0"
            )

    @property
    def end(self) -> float:
        """When its seconds are over if they begin now, by `time.monotonic`."""
        return time.monotonic() + self.max_seconds

    def until(self, end: float) -> "Execution":
        """Return it with the seconds that are left until then."""
        return replace(self, max_seconds=max(0.0, end - time.monotonic()))


DEFAULT = Execution()

SINGLE = Fraction(1, 1 << 23)
"""The epsilon of floats of 32 bits.  Shorter ones are no excuse: rows in them are other rows."""


LIGHTEST = Fraction(1, 1 << 14)
"""Of a path, where some may never end: seconds for all that are heavier."""

MAX_LIGHT = 5000
"""Paths that are abandoned for their weight: of a program that never ends, all are."""


class Executed(NamedTuple):
    """What came of an execution.

    Attributes
    ----------
    found : Exploration
        The law, the paths followed, and the probability of those that were not.
    epsilon : Fraction
        Of the coarsest floats that the subject was told to compute with, or was seen to: `SINGLE`
        at most, unless it was told.
    """

    found: Exploration[Hashable]
    epsilon: Fraction


def exact_law(emit: Emit, execution: Execution = DEFAULT) -> Exploration[Hashable]:
    """Return the exact law of whatever hashable value a callable returns.

    Parameters
    ----------
    emit : callable
        Takes no argument, or one generator: numpy's, unless its annotation says
        `random.Random` or `torch.Generator`.  Lists and arrays that it returns count as tuples.
    execution : Execution
        When to stop, and what a uniform is taken to be.

    Returns
    -------
    Exploration
        The law, the paths followed, and the probability of those that were not.

    Raises
    ------
    OpaqueDrawError
        If a draw meets an operation that is not understood; the message names it and its line.
    NondeterminismError
        If the callable has randomness or state of its own.

    Examples
    --------
    >>> import random
    >>> exact_law(lambda: random.random() < 0.25).law.probs
    mappingproxy({True: Fraction(1, 4), False: Fraction(3, 4)})
    """
    return executed(emit, execution).found


def executed(emit: Emit, execution: Execution = DEFAULT) -> Executed:
    """Return the exact law as `exact_law` does, and the precision of the floats it came from."""
    libraries = available()
    try:
        found = follow(called(emit), libraries, execution)
    except SpecdecError:
        if available() == libraries:
            raise
    else:
        if available() == libraries:
            return found
    return executed(emit, execution)  # it has imported one that draws, and was not replaced


def called(emit: Emit) -> Callable[[], Any]:
    """Return a callable without arguments: the generator, if one is asked for, is a new one."""
    asked = [
        parameter
        for parameter in signature(emit).parameters.values()
        if parameter.default is parameter.empty and parameter.kind not in _ANY_NUMBER
    ]
    if not asked:
        return emit
    if len(asked) > 1:
        names = ", ".join(parameter.name for parameter in asked)
        raise InvalidParameterError(
            f"{emit!r} takes {names}: expected no argument, or one generator"
        )
    make = generator_for(str(asked[0].annotation))
    return lambda: emit(make())


_ANY_NUMBER = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def follow(
    emit: Callable[[], Any],
    libraries: Sequence[Library],
    execution: Execution = DEFAULT,
) -> Executed:
    """Return the exact law of what a callable without arguments returns."""
    emit = partial(_limited, emit, execution.max_run_seconds)
    with replacing(libraries):
        before = states(libraries)
        first, again = (_first_path(emit, execution) for _ in range(2))
        require_untouched(libraries, before)
        if differ(first, again):
            raise NondeterminismError(STATE)
        walks = []
        for trail, left in trails(execution):
            draws, kept = StreamDraws(trail, execution.resolved), Rehearsals()
            found = explored(within(_kept(_walked(emit, draws), draws, kept), left))
            walks.append((found, draws, kept))
        found, draws, kept = min(walks, key=lambda walk: walk[0].missing)
        require_untouched(libraries, before)
        if execution.rehearsals:
            kept.hold(emit, execution.resolved, execution.rehearsals)
            require_untouched(libraries, before)
    return Executed(found, max(execution.epsilon, SINGLE) if draws.single else execution.epsilon)


def trails(execution: Execution) -> Iterator[tuple[Trail[Any], Execution]]:
    """Yield a trail to walk on, and then another one if that walk was left for its endless paths.

    On the second a path is abandoned for its weight.  A loop that may go on for ever is followed
    through its likely runs then.  The law is what the walk found that misses less.  With each trail
    comes the execution, whose seconds are those that are left.
    """
    end = execution.end
    trail: Trail[Any] = Trail()
    yield trail, execution
    if trail.abandoned == trail.max_abandoned:
        yield Trail(guide=weighing(LIGHTEST), max_abandoned=MAX_LIGHT), execution.until(end)


def _limited(emit: Callable[[], Any], seconds: float) -> Any:  # noqa: ANN401  (what it returns)
    with time_limit(seconds):
        return emit()


def _walked(emit: Callable[[], Any], draws: StreamDraws) -> Iterator[tuple[Hashable, Ratio]]:
    for outcome, weight in walk(lambda _: run_once(emit, draws), draws.trail, draws):
        if isinstance(outcome, Malfunction):
            yield _confirmed(outcome, emit, draws), weight
        else:
            yield outcome, weight


def _kept(
    walked: Iterator[tuple[Hashable, Ratio]], draws: StreamDraws, kept: Rehearsals
) -> Iterator[tuple[Hashable, Ratio]]:
    for outcome, weight in walked:
        if not isinstance(outcome, Malfunction):  # which was confirmed already
            kept.keep(outcome, draws)
        yield outcome, weight


def _confirmed(outcome: Malfunction, emit: Callable[[], Any], draws: StreamDraws) -> Hashable:
    """Return a malfunction as it is with numbers in the place of symbols."""
    again = replay(emit, numbers_of(draws.trail, draws.of_this_run()))
    if not isinstance(again, Malfunction):
        raise OpaqueDrawError(f"a run {outcome.reason}, but only where its draws are symbols")
    return again


def _first_path(emit: Callable[[], Any], execution: Execution) -> tuple[Any, ...]:
    """Run the first path alone; return all that must be the same when it is run again."""
    trail: Trail[Any] = Trail()
    draws = StreamDraws(trail, execution.resolved)
    walked = _walked(emit, draws)
    outcome, weight = next(walked, (None, (0, 1)))  # none, if all paths are abandoned
    return outcome, weight, repr([question.asked for question in trail.questions]), draws.names


def within(walked: Iterator[tuple[Hashable, Ratio]], execution: Execution) -> Iterable[Any]:
    """Yield paths until a limit of an execution is reached."""
    end, covered = execution.end, 0.0
    for followed, (outcome, (part, whole)) in enumerate(walked, start=1):
        covered += part / whole
        execution.watch(followed, covered)
        yield outcome, (part, whole)
        if followed >= execution.max_paths or time.monotonic() > end:
            return
