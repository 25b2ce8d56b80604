"""The walk over every path of a program.

A program is run, its last uncertain answer is changed, and it is run again, until no answer is
left.  What a draw is does not matter here: the source of draws answers the program's questions
through the trail.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from specdec_core.draws import Draws
from specdec_grids.affine import nothing_refused
from specdec_grids.programs import Outcome, Program, steps_of
from specdec_grids.resolutions import Ratio
from specdec_grids.trails import Abandoned, Trail


class Checkpoint(NamedTuple):
    """Where a step of a program begins: what it is given, and what was asked and drawn before."""

    value: Any
    questions: int
    draws: int


def walk(
    program: Program[Outcome], trail: Trail[Any], draws: Draws
) -> Iterator[tuple[Outcome, Ratio]]:
    """Yield the outcome and weight of every path; the trail and the draws stand as it left them.

    A path that asks more than `specdec_grids.trails.MAX_QUESTIONS`, or that the trail's guide
    abandons, is left out, and counted in ``trail.abandoned``; after ``trail.max_abandoned``
    of them the walk ends.

    Raises
    ------
    NondeterminismError
        If the program asks other questions after the same answers.
    OpaqueDrawError
        If the program does what cannot be followed, even if it catches the error itself.
    """
    steps = steps_of(program)
    begun = [Checkpoint(None, 0, 0)]
    following = True
    watched = nothing_refused()
    try:
        while following:
            value, trail.position, trail.taken = begun[-1]
            trail.given_up = False
            try:
                with watched:
                    for step in steps[len(begun) - 1 : -1]:
                        value = step(value, draws)
                        begun.append(Checkpoint(value, trail.position, trail.taken))
                    outcome = steps[-1](value, draws)
            except Abandoned:
                trail.given_up = True
            if trail.given_up:
                trail.abandoned += 1
                if trail.abandoned == trail.max_abandoned:
                    return
            else:
                trail.require_all_asked()
                yield outcome, trail.weight
            following = trail.advance()
            # The answer that changed is the trail's last: run again from the step that asked.
            while begun[-1].questions >= max(len(trail.questions), 1):
                begun.pop()
    finally:
        trail.close()
