"""What must hold in every round of a serving loop, whatever its draws.

A law cannot see a wrong number that nobody samples from.  Each claim has a name, is asked of
every round on every path, and says what is true of a right loop; a fault in the books breaks the
claim about the books and leaves the law alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from specdec_core.errors import ZeroResidualError
from specdec_core.models import Context
from specdec_core.rules import Verification
from specdec_verification.testbed import plain
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.lanes import Lane
from specdec_verification.testbed.loop import Played
from specdec_verification.testbed.outcomes import Counters, RequestState
from specdec_verification.testbed.recurrent import START
from specdec_verification.testbed.requests import Request
from specdec_verification.testbed.streams import Place


@dataclass(frozen=True, slots=True)
class Turn:
    """One request's part of a round, and what came of it.

    Attributes
    ----------
    case : ServingCase
    lane : Lane
    verification : Verification
    after : RequestState
    taken : tuple of Place
        What the whole batch took of the streams in this round.
    """

    case: ServingCase
    lane: Lane
    verification: Verification
    after: RequestState
    taken: tuple[Place, ...]

    @property
    def request(self) -> Request:
        """The request."""
        return self.lane.seat.request

    @property
    def before(self) -> RequestState:
        """The state before the round."""
        return self.lane.before

    @property
    def emitted(self) -> Context:
        """The tokens that this round added to the answer."""
        return self.after.tokens[len(self.before.tokens) :]

    @property
    def accepted(self) -> int:
        """How many draft tokens the answer took."""
        return min(len(self.verification.accepted), len(self.emitted))


def progress(turn: Turn) -> bool:
    """Between one token and one more than were drafted."""
    return 1 <= len(turn.emitted) <= turn.lane.length + 1


def bonus(turn: Turn) -> bool:
    """After a draft that was kept whole comes a bonus token, unless the answer has ended."""
    whole = turn.accepted == turn.lane.length
    return not (whole and turn.after.open) or len(turn.emitted) == turn.lane.length + 1


def tokens(turn: Turn) -> bool:
    """Every token is one of the vocabulary."""
    return all(0 <= token < turn.case.target.vocab_size for token in turn.emitted)


def counters(turn: Turn) -> bool:
    """One round more, and as many tokens more as were drafted, accepted and emitted."""
    before = turn.before.counters
    return turn.after.counters == Counters(
        before.rounds + 1,
        before.drafted + turn.lane.length,
        before.accepted + turn.accepted,
        before.emitted + len(turn.emitted),
    )


def probs(turn: Turn) -> bool:
    """One probability for each token: that of the row which plain decoding draws it from."""
    answers = [turn.before.tokens + turn.emitted[:i] for i in range(len(turn.emitted))]
    try:
        rows = [plain.next_row(turn.case, turn.request, answer) for answer in answers]
    except ZeroResidualError:  # plain decoding never comes to such an answer
        return False
    expected = tuple(row[token] for row, token in zip(rows, turn.emitted, strict=True))
    return turn.after.probs[len(turn.before.probs) :] == expected


def state(turn: Turn) -> bool:
    """Of a request that goes on, states and history are of the prompt and the answer.

    The draft model's state may lag behind: what it draws is recorded as it is drawn.
    """
    after, history = turn.after, turn.request.prompt + turn.after.tokens
    expected = (
        history,
        turn.case.target.after(START, history),
        turn.request.grammar_after(after.tokens),
    )
    return not after.open or (after.history, after.target_state, after.grammar_state) == expected


def seed(turn: Turn) -> bool:
    """Of its own stream a request takes the next ``2 n + 1`` draws; no other stream is read."""
    seeds = {turn.case.requests[number].seed for number in turn.lane.seat.open}
    if not seeds.issuperset(place[0] for place in turn.taken):
        return False
    if turn.request.seed is None:
        return True
    first = turn.before.draws
    last = first + 2 * turn.lane.length + 1
    places = sorted(place for place in turn.taken if place[0] == turn.request.seed)
    expected = [(turn.request.seed, index) for index in range(first, last)]
    return places == expected and turn.after.draws == last


CLAIMS: tuple[Callable[[Turn], bool], ...] = (
    progress,
    bonus,
    tokens,
    counters,
    probs,
    state,
    seed,
)
"""Of each request's part of a round; `ROWS` is the one claim about all of it."""

ROWS = "rows"
"""Name of the claim that the tables of rows are as they were."""

NAMES = (*(claim.__name__ for claim in CLAIMS), ROWS)
"""Of all claims."""


def broken(case: ServingCase, played: Played, taken: Sequence[Place]) -> frozenset[str]:
    """Return the names of the claims that a round breaks.

    After a token that is none of the vocabulary, nothing else can be asked.
    """
    turns = [
        Turn(case, lane, verification, played.states[lane.seat.number], tuple(taken))
        for lane, verification in zip(played.lanes, played.verifications, strict=True)
    ]
    if not all(map(tokens, turns)):
        return frozenset({tokens.__name__})
    names = {claim.__name__ for claim in CLAIMS if not all(map(claim, turns))}
    return frozenset(names if played.rows_kept else {*names, ROWS})
