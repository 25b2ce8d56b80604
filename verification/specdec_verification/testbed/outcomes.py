"""What a loop says of a request: while it is served, and when it is done."""

from dataclasses import dataclass
from fractions import Fraction

from specdec_core.models import Context
from specdec_verification.testbed.recurrent import START
from specdec_verification.testbed.requests import Request
from specdec_verification.testbed.stops import Finish


@dataclass(frozen=True, slots=True)
class Counters:
    """What is counted.

    Attributes
    ----------
    rounds : int
    drafted : int
        Draft tokens proposed.
    accepted : int
        Draft tokens that became part of the answer.
    emitted : int
        Tokens of the answer.
    """

    rounds: int = 0
    drafted: int = 0
    accepted: int = 0
    emitted: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What the user reads, and what the law is of.

    Attributes
    ----------
    tokens : tuple of int
    finish : Finish or None
        ``None`` while the answer goes on.
    """

    tokens: Context
    finish: Finish | None


@dataclass(frozen=True, slots=True)
class RequestState:
    """A request between two rounds; all that the next round depends on, the draws apart.

    Attributes
    ----------
    answer : Answer
    probs : tuple of Fraction
        Of each token of the answer, in the target's row that it came from.
    history : tuple of int
        What the penalties look at: prompt and answer.
    target_state, draft_state, grammar_state : int
        After the history; of the grammar, after the answer.
    draws : int
        Taken so far.
    counters : Counters
    """

    answer: Answer
    probs: tuple[Fraction, ...]
    history: Context
    target_state: int
    draft_state: int
    grammar_state: int
    draws: int
    counters: Counters

    @property
    def tokens(self) -> Context:
        """The answer's tokens."""
        return self.answer.tokens

    @property
    def open(self) -> bool:
        """Whether the answer goes on."""
        return self.answer.finish is None


def opened(request: Request, target_state: int, draft_state: int) -> RequestState:
    """Return the state of a request whose prompt was read, and nothing more."""
    return RequestState(
        answer=Answer((), None),
        probs=(),
        history=request.prompt,
        target_state=target_state,
        draft_state=draft_state,
        grammar_state=START,
        draws=0,
        counters=Counters(),
    )
