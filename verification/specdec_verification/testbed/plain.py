"""Plain decoding: one target row and one draw for each token.

What the speculative loop must equal.  The settings mean the same here because the stages and the
cut are the same functions; nothing is carried from token to token but the tokens, so no state can
be stale.
"""

from fractions import Fraction

from specdec_core.distributions import Row
from specdec_core.draws import Draws
from specdec_core.laws import Law
from specdec_core.models import Context
from specdec_core.sampling import sample
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.outcomes import Answer
from specdec_verification.testbed.recurrent import START
from specdec_verification.testbed.requests import Request
from specdec_verification.testbed.stages import WHOLE, Position
from specdec_verification.testbed.stops import ended


def next_row(case: ServingCase, request: Request, answer: Context) -> Row:
    """Return the row that the token after ``answer`` is drawn from.

    Raises
    ------
    ZeroResidualError
        If the request's masks leave no token of nonzero probability.
    """
    history = request.prompt + answer
    raw = case.target.row(case.target.after(START, history))
    return WHOLE(Position(request, raw, history, request.grammar_after(answer)))


def decode(case: ServingCase, request: Request, draws: Draws) -> Answer:
    """Decode one request."""
    answer = Answer((), None)
    while answer.finish is None:
        token = sample(next_row(case, request, answer.tokens), draws.uniform())
        answer = _extended(request, answer, token)
    return answer


def decode_batch(case: ServingCase, draws: Draws) -> tuple[Answer, ...]:
    """Decode one request after another."""
    return tuple(decode(case, request, draws) for request in case.requests)


def answer_law(case: ServingCase, request: Request) -> Law[Answer]:
    """Return the exact law of one request's answer.

    Equivalent to ``exact_law(lambda draws: decode(case, request, draws)).law``.
    """
    finished: dict[Answer, Fraction] = {}
    growing = {Answer((), None): Fraction(1)}
    while growing:
        shorter, growing = growing, {}
        for answer, prob in shorter.items():
            row = next_row(case, request, answer.tokens)
            for token in row.support:
                longer = _extended(request, answer, token)
                place = finished if longer.finish else growing
                place[longer] = prob * Fraction(row[token])
    return Law(finished)


def batch_law(case: ServingCase) -> Law[tuple[Answer, ...]]:
    """Return the exact joint law of a batch: its requests have nothing to do with each other."""
    joint: dict[tuple[Answer, ...], Fraction] = {(): Fraction(1)}
    for request in case.requests:
        own = answer_law(case, request)
        joint = {
            (*answers, answer): prob * own[answer]
            for answers, prob in joint.items()
            for answer in own
        }
    return Law(joint)


def _extended(request: Request, answer: Answer, token: int) -> Answer:
    tokens = (*answer.tokens, token)
    return Answer(tokens, ended(request.limits, tokens))
