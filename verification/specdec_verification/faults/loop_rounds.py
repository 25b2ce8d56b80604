"""Slips in a round of a serving loop: its verification, the tables of its batch, its states.

Each function is one step of `specdec_verification.testbed.steps`, with one thing wrong.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import accumulate

from specdec_core.distributions import Row, without
from specdec_core.draws import Draw, Draws
from specdec_core.models import Context
from specdec_core.rules import Verification
from specdec_core.sampling import accepts, sample
from specdec_verification.faults import path_slips as path
from specdec_verification.faults.path_slips import Position, SlippedPathRule
from specdec_verification.testbed.lanes import Batch, Judged, Lane, Seat
from specdec_verification.testbed.outcomes import RequestState
from specdec_verification.testbed.recurrent import START, RecurrentModel
from specdec_verification.testbed.requests import Request
from specdec_verification.testbed.stages import WHOLE, unit
from specdec_verification.testbed.steps import ByRule, Feed, restored, snapshots

PLACEHOLDER = -1
"""A draft slot that holds no token."""


def verified_by_stored_token(judged: Judged, draws: Draws) -> Verification:
    """Read the token to judge from the text at the prompt's end, not at the round's start."""
    lane = judged.lane
    text = lane.before.history + lane.proposal.tokens
    first = len(lane.seat.request.prompt)

    def accept(draw: Draw, position: Position) -> bool:
        token = text[first + position.index]
        return accepts(draw, position.p[token], position.q[token])

    return ByRule(SlippedPathRule("accept_stored_token", accept_with=accept))(judged, draws)


def accept_first_unseen(draw: Draw, position: Position) -> bool:
    """Keep the first draft token, and judge the others."""
    return position.index == 0 or path.accept(draw, position)


def recovered_from_last_row(position: Position, coin: Draw, draws: Draws) -> int:
    """Take the replacement from the last row, whichever token was refused."""
    return sample(position.target_probs[-1], draws.uniform())


def draft_rows_of_neighbour(batch: Batch, lane: int) -> Judged:
    """Read the draft rows of the lane before, where there are more than two."""
    crowded = len(batch.lanes) > 2
    other = lane - 1 if crowded and lane else lane
    return batch.judged(lane, batch.draft_start(other), batch.target_start(lane))


def padded_draft_start(batch: Batch, lane: int) -> Judged:
    """Read the draft rows as if every draft were as long as the longest."""
    longest = max(other.length for other in batch.lanes)
    last = len(batch.draft_rows) - batch.lanes[lane].length
    return batch.judged(lane, min(lane * longest, last), batch.target_start(lane))


def narrow_target_start(batch: Batch, lane: int) -> Judged:
    """Keep the number of a row in two bits."""
    return batch.judged(lane, batch.draft_start(lane), batch.target_start(lane) % 4)


def target_cut_to_draft(batch: Batch, lane: int) -> Judged:
    """Cut the target's rows down to the tokens that the draft model knows."""
    ids = batch.lanes[lane].seat.case.draft_ids
    judged = batch.judged(lane, batch.draft_start(lane), batch.target_start(lane))
    rows = tuple(
        unit([p if token in ids else Fraction(0) for token, p in enumerate(row)])
        for row in judged.target_rows
    )
    return replace(judged, target_rows=rows)


def masks_at_padded_start(batch: Batch, lane: int) -> Judged:
    """Read the masks as if every draft were as long as the longest; beyond the last is none."""
    own = batch.lanes[lane]
    states = [state for other in batch.lanes for state in other.grammar_states]
    first = lane * (1 + max(other.length for other in batch.lanes))
    rows = [_masked(own, index, states[first + index :]) for index in range(own.length + 1)]
    judged = batch.judged(lane, batch.draft_start(lane), batch.target_start(lane))
    return replace(judged, target_rows=tuple(rows))


def _masked(lane: Lane, index: int, states: list[int]) -> Row:
    position = lane.position(index)
    if states:
        return WHOLE(replace(position, grammar_state=states[0]))
    return WHOLE(replace(position, request=replace(position.request, grammar=None)))


def drafted_token_zeroed(batch: Batch, lane: int) -> Judged:
    """Prepare the recovery in the target's own table, before the accept test reads it."""
    start = batch.target_start(lane)
    for index, token in enumerate(batch.lanes[lane].proposal.tokens):
        batch.target_rows[start + index] = without(batch.target_rows[start + index], token)
    return batch.judged(lane, batch.draft_start(lane), start)


def draft_row_raced(batch: Batch, lane: int) -> Judged:
    """Leave in the draft's own table what the draw made of it: its winner stands out."""
    start = batch.draft_start(lane)
    for index, token in enumerate(batch.lanes[lane].proposal.tokens):
        weights = list(batch.draft_rows[start + index])
        weights[token] *= 2
        batch.draft_rows[start + index] = unit(weights)
    return batch.judged(lane, start, batch.target_start(lane))


def parameters_of_lane(seat: Seat) -> Request:
    """Take the parameters that stand at the lane's number, among those of all requests."""
    return seat.case.requests[seat.lane]


def penalties_of_first_lane(seat: Seat) -> Request:
    """Take one set of penalties for the whole batch, that of the first request still open."""
    first = seat.case.requests[seat.open[0]]
    return replace(seat.request, penalties=first.penalties)


def snapshots_after_reset(
    model: RecurrentModel, state: int, drafted: Context, earlier: RequestState
) -> tuple[int, ...]:
    """Score the draft as if nothing came before it."""
    return snapshots(model, START, drafted, earlier)


def unwritten_if_refused(states: tuple[int, ...], feed: Feed, verification: Verification) -> int:
    """Take a snapshot that nobody wrote, where the whole draft was refused."""
    if verification.accepted:
        return restored(states, feed, verification)
    return restored((START,), feed, verification)


def partly_restored(states: tuple[int, ...], feed: Feed, verification: Verification) -> int:
    """Keep a part of the state, its parity, from after the whole draft."""
    state = restored(states, feed, verification)
    return abs(state - (state + states[-1]) % 2)


def one_snapshot_early(states: tuple[int, ...], feed: Feed, verification: Verification) -> int:
    """Take the accepted count less one for the snapshot's number: of none, the last."""
    final = verification.tokens[len(verification.accepted) :]
    return list(accumulate(final, feed, initial=states[len(verification.accepted) - 1]))[-1]


def not_restored(states: tuple[int, ...], feed: Feed, verification: Verification) -> int:
    """Go on from after the whole draft."""
    final = verification.tokens[len(verification.accepted) :]
    return list(accumulate(final, feed, initial=states[-1]))[-1]


def rejected_remembered(lane: Lane, kept: Context) -> Context:
    """Put the whole draft into the history before what was kept of it."""
    return lane.before.history + _refused(lane, kept) + kept


def accepted_remembered_twice(lane: Lane, kept: Context) -> Context:
    """Put what was kept of the draft into the history when it is judged, and again at the end."""
    accepted = len(kept) - 1
    return lane.before.history + kept[:accepted] + kept


def placeholders_remembered(lane: Lane, kept: Context) -> Context:
    """Leave the marks of empty draft slots in the history."""
    return lane.before.history + kept + (PLACEHOLDER,) * len(_refused(lane, kept))


def _refused(lane: Lane, kept: Context) -> Context:
    return lane.proposal.tokens[max(len(kept) - 1, 0) :]
