"""Someone's own program, audited: the exact law of what it emits against the target's.

The program is a function of an instance and of `draws`, and returns the tokens that it emits; it
asks ``draws.uniform()`` for every random number, and compares it with thresholds or hands it to
`specdec_core.sampling.sample`.  A run that raises, or returns something that is no list of tokens,
is a result of its own, with its exact probability: dropping such runs would condition the law.
"""

from collections.abc import Callable
from typing import Any

from specdec_core.draws import Draws
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance
from specdec_core.models import Context
from specdec_grids.paths import Exploration, SymbolicDraws, continuous, explored
from specdec_grids.walking import walk
from specdec_verification.emissions import (
    Malfunction,
    emitted,
    malfunctioned,
    malfunctions,
    tokens_of,
)
from specdec_verification.exact_law import judge, rounding_bound
from specdec_verification.loading import load
from specdec_verification.results import CheckResult, Labels
from specdec_verification.subjects.exact import DEFAULT, Execution, trails, within
from specdec_verification.subjects.running import TookTooLong, time_limit
from specdec_verification.subjects.runs import LATE

Emit = Callable[[Instance, Draws], Any]
"""What is audited: from an instance and draws to the tokens emitted, or a `Verification`."""


def load_program(place: str) -> Emit:
    """Return the function that ``FILE.py:NAME`` stands for.

    Raises
    ------
    InvalidParameterError
        If the file does not exist or does not import, or has no such function.
    """
    program = load(place)
    if not callable(program):
        raise InvalidParameterError(f"{place} is {program!r}, expected a function")
    return program  # type: ignore[no-any-return]


def audit_program(
    emit: Emit, instance: Instance, labels: Labels, execution: Execution = DEFAULT
) -> CheckResult:
    """Check the law of what a program emits against the target's joint law.

    Every run's tokens are completed with the target's conditional probabilities to the length of
    the longest run.

    Parameters
    ----------
    emit : callable
        From an instance and draws to tokens or a `Verification`; deterministic but for the draws.
    instance : Instance
        With rows for every context that the program and the completion can reach.
    labels : Labels
        What the result is called.
    execution : Execution
        Past its paths or seconds, the audit is inconclusive, unless what was followed fails
        already; a single run that takes too long is a malfunction.

    Raises
    ------
    OpaqueDrawError, NondeterminismError
        If the program cannot be followed; the message says where.
    MissingContextError, InvalidParameterError, InvalidInstanceError
        If the instance lacks a row or a parameter that the program or the completion asks for.
    """
    found = followed(emit, instance, execution)
    broken = malfunctions(found)
    if broken.law:
        return malfunctioned(broken, labels)
    sequences = tokens_of(found)
    longest = max(map(len, sequences.law), default=1)
    bound = rounding_bound(instance, longest)
    return judge(sequences, instance.target, longest, bound, labels)


def followed(
    emit: Emit, instance: Instance, execution: Execution = DEFAULT
) -> Exploration[Context | Malfunction]:
    """Return the law of the tokens that a program emits, and of the runs that emit none."""

    def run(draws: Draws) -> Context | Malfunction:
        try:
            with time_limit(execution.max_run_seconds):
                return emitted(lambda: emit(instance, draws), instance.vocab_size)
        except TookTooLong:
            return LATE

    walks = (
        explored(within(walk(run, trail, SymbolicDraws(trail, continuous)), left))
        for trail, left in trails(execution)
    )
    return min(walks, key=lambda found: found.missing)
