"""The steps of a serving loop, each as it should be.

What a step is given is all that a real one has at hand; what it must not look at is there too.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from specdec_core.distributions import Row
from specdec_core.draws import Draws
from specdec_core.models import Context
from specdec_core.proposals import DraftPath
from specdec_core.rules import Rule, Verification
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_core.sampling import sample
from specdec_verification.testbed.lanes import Batch, Judged, Lane, Lines, Seat
from specdec_verification.testbed.outcomes import Counters, RequestState
from specdec_verification.testbed.recurrent import RecurrentModel
from specdec_verification.testbed.requests import Request
from specdec_verification.testbed.stages import Position
from specdec_verification.testbed.stops import Cut
from specdec_verification.testbed.streams import Line, Streams


def own_parameters(seat: Seat) -> Request:
    """Return the request whose parameters a lane's rows are made with."""
    return seat.request


def own_stream(seat: Seat, state: RequestState, streams: Streams) -> Lines:
    """Return where a lane's draws come from: its seed's stream, read on from where it was."""
    line = Line(streams, seat.request.seed, state.draws)
    return Lines(line, line)


def drawn(row: Row, draws: Draws) -> int:
    """Return a draft token."""
    return sample(row, draws.uniform())


def as_drawn(seat: Seat, position: Position, row: Row) -> Row:
    """Return the row that is recorded for a draft token: the one that it was drawn from."""
    return row


def snapshots(
    model: RecurrentModel, state: int, drafted: Context, earlier: RequestState
) -> tuple[int, ...]:
    """Return the target's state before a draft, and after each of its tokens."""
    return tuple(model.after(state, drafted[:length]) for length in range(len(drafted) + 1))


def own_rows(batch: Batch, lane: int) -> Judged:
    """Return a lane with its own rows of the tables."""
    return batch.judged(lane, batch.draft_start(lane), batch.target_start(lane))


@dataclass(frozen=True, slots=True)
class ByRule:
    """Verifies a draft by one of the core's rules for single paths, or by anybody's."""

    rule: Rule[DraftPath]

    def __call__(self, judged: Judged, draws: Draws) -> Verification:
        """Return what the rule keeps and adds."""
        return self.rule.verify(judged.proposal, judged.target, draws)


BY_TOKEN_REJECTION = ByRule(TokenRejectionBonus())
"""Token rejection, with a bonus token if all of the draft is kept."""


Feed = Callable[[int, int], int]
"""From a state and a token to the next state."""


def restored(states: tuple[int, ...], feed: Feed, verification: Verification) -> int:
    """Return the state after a round: the snapshot after the kept tokens, and the token added.

    Parameters
    ----------
    states : tuple of int
        Before the draft, and after each draft token.
    feed : callable
        Of the model, or of the grammar.
    verification : Verification
        What was kept, and what was added.
    """
    kept = len(verification.accepted)
    state = states[kept]
    for token in verification.tokens[kept:]:
        state = feed(state, token)
    return state


def remembered(lane: Lane, kept: Context) -> Context:
    """Return what the penalties look at in the next round."""
    return lane.before.history + kept


def reported(judged: Judged, verification: Verification, cut: Cut) -> tuple[Fraction, ...]:
    """Return the probability of each token kept, in the target's row that it came from."""
    return row_probs(judged, cut.tokens)


def row_probs(judged: Judged, tokens: Context) -> tuple[Fraction, ...]:
    """Return the probability of each of a run's first tokens in the target's rows."""
    return tuple(Fraction(row[t]) for row, t in zip(judged.target_rows, tokens, strict=False))


def counted(judged: Judged, verification: Verification, cut: Cut) -> Counters:
    """Return the counters after a round: what was cut away was neither accepted nor emitted."""
    before = judged.lane.before.counters
    return Counters(
        rounds=before.rounds + 1,
        drafted=before.drafted + judged.lane.length,
        accepted=before.accepted + min(len(verification.accepted), len(cut.tokens)),
        emitted=before.emitted + len(cut.tokens),
    )
