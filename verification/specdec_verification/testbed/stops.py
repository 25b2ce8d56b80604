"""Where an answer ends inside a run of tokens.

A verified run can hold a stop token, complete a stop sequence that an earlier round began, or
reach the length cap, and the tokens after that place were never asked for.  The plain loop asks
the same function, with runs of one token.
"""

from dataclasses import dataclass
from enum import StrEnum

from specdec_core.models import Context
from specdec_verification.testbed.requests import Limits


class Finish(StrEnum):
    """Why an answer ended."""

    STOP_TOKEN = "stop token"
    STOP_SEQUENCE = "stop sequence"
    LENGTH = "length"


@dataclass(frozen=True, slots=True)
class Cut:
    """What is kept of a run, and whether the answer ends with it.

    Attributes
    ----------
    tokens : tuple of int
    finish : Finish or None
        ``None`` if the answer goes on.
    """

    tokens: Context
    finish: Finish | None


def cut(limits: Limits, answer: Context, run: Context) -> Cut:
    """Return the run as far as the first token that ends the answer.

    Parameters
    ----------
    limits : Limits
    answer : tuple of int
        What was generated before the run.
    run : tuple of int

    Examples
    --------
    >>> cut(Limits(4, stop_sequences=((7, 8),)), (7,), (8, 9))
    Cut(tokens=(8,), finish=<Finish.STOP_SEQUENCE: 'stop sequence'>)
    """
    for end in range(1, len(run) + 1):
        finish = ended(limits, answer + run[:end])
        if finish is not None:
            return Cut(run[:end], finish)
    return Cut(run, None)


def ended(limits: Limits, answer: Context) -> Finish | None:
    """Return why an answer ends with its last token, or ``None`` if it does not."""
    if answer[-1] in limits.stop_tokens:
        return Finish.STOP_TOKEN
    if any(answer[-len(stop) :] == stop for stop in limits.stop_sequences):
        return Finish.STOP_SEQUENCE
    return Finish.LENGTH if len(answer) >= limits.max_new_tokens else None
