"""A serving loop: drafts for a batch, verifies them, and keeps the books.

A round of the loop is what a real one does.  Each open request drafts up to ``gamma`` tokens from
the draft model, under its own parameters, and remembers the row of each; the target's rows after
every prefix of every draft go into one flat table; each request reads its rows back, verifies its
draft, cuts what was kept where the answer ends, rolls its states back to what was kept, and counts.
A draft that its masks leave no token ends there, so drafts differ in length.

Each step is a field that holds a small function; as they stand they are right
(`specdec_verification.testbed.steps`), and a loop with a fault is this loop with one step replaced.

A request with a seed takes ``2 n + 1`` draws of its stream in a round with ``n`` draft tokens:
``n`` for the tokens, ``n`` for the accept tests, and one for the token that the target adds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from specdec_core.distributions import Row
from specdec_core.draws import Draws
from specdec_core.errors import ZeroResidualError
from specdec_core.models import Context
from specdec_core.proposals import DraftPath
from specdec_core.rules import Verification
from specdec_verification.testbed import steps
from specdec_verification.testbed.cases import ServingCase, lifted
from specdec_verification.testbed.lanes import Batch, Judged, Lane, Lines, Seat
from specdec_verification.testbed.outcomes import Answer, Counters, RequestState, opened
from specdec_verification.testbed.recurrent import START, RecurrentModel
from specdec_verification.testbed.requests import Limits, Request
from specdec_verification.testbed.stages import WHOLE, Position, RowStep
from specdec_verification.testbed.steps import Feed
from specdec_verification.testbed.stops import Cut, cut
from specdec_verification.testbed.streams import Streams

Restore = Callable[[tuple[int, ...], Feed, Verification], int]
"""From snapshots, how a token is fed, and what was kept and added, to the state after a round."""


@dataclass(frozen=True, slots=True)
class Played:
    """One round of a batch.

    Attributes
    ----------
    lanes : tuple of Lane
        Of the requests that were open.
    verifications : tuple of Verification
        One a lane.
    states : tuple of RequestState
        Of all requests, after the round.
    rows_kept : bool
        Whether the tables held at its end what they held at its start.
    """

    lanes: tuple[Lane, ...]
    verifications: tuple[Verification, ...]
    states: tuple[RequestState, ...]
    rows_kept: bool


@dataclass(frozen=True, slots=True)
class ServingLoop:
    """The loop, with steps that can be replaced one by one."""

    name: str = "serving_loop"
    parameters_with: Callable[[Seat], Request] = steps.own_parameters
    stream_with: Callable[[Seat, RequestState, Streams], Lines] = steps.own_stream
    draft_row_with: RowStep = WHOLE
    draw_with: Callable[[Row, Draws], int] = steps.drawn
    record_with: Callable[[Seat, Position, Row], Row] = steps.as_drawn
    snapshot_with: Callable[[RecurrentModel, int, Context, RequestState], tuple[int, ...]] = (
        steps.snapshots
    )
    target_row_with: RowStep = WHOLE
    gather_with: Callable[[Batch, int], Judged] = steps.own_rows
    verify_with: Callable[[Judged, Draws], Verification] = steps.BY_TOKEN_REJECTION
    cut_with: Callable[[Limits, Context, Context], Cut] = cut
    restore_target_with: Restore = steps.restored
    restore_draft_with: Restore = steps.restored
    restore_grammar_with: Restore = steps.restored
    remember_with: Callable[[Lane, Context], Context] = steps.remembered
    report_with: Callable[[Judged, Verification, Cut], tuple[Fraction, ...]] = steps.reported
    count_with: Callable[[Judged, Verification, Cut], Counters] = steps.counted

    def serve(self, case: ServingCase, draws: Draws) -> tuple[RequestState, ...]:
        """Serve a batch to its end; a loop that emits no token in a round may leave some open."""
        streams, states = Streams(draws), start(case)
        for _ in range(case.rounds):
            if any(state.open for state in states):
                states = self.play(case, states, streams).states
        return states

    def play(self, case: ServingCase, states: tuple[RequestState, ...], streams: Streams) -> Played:
        """Play one round of the requests that are open."""
        numbers = tuple(number for number, state in enumerate(states) if state.open)
        seats = [Seat(case, numbers, lane) for lane in range(len(numbers))]
        lanes = tuple(self._drafted(seat, states[seat.number], streams) for seat in seats)
        batch = Batch(
            lanes,
            [row for lane in lanes for row in lane.proposal.draft_probs],
            [self.target_row_with(position) for lane in lanes for position in lane.positions()],
        )
        draft_rows, target_rows = tuple(batch.draft_rows), tuple(batch.target_rows)
        judged = [self._judged(batch, lane) for lane in range(len(lanes))]
        after = dict(zip(numbers, (state for _, state in judged), strict=True))
        return Played(
            lanes,
            tuple(verification for verification, _ in judged),
            tuple(after.get(number, state) for number, state in enumerate(states)),
            draft_rows == tuple(batch.draft_rows) and target_rows == tuple(batch.target_rows),
        )

    def _drafted(self, seat: Seat, state: RequestState, streams: Streams) -> Lane:
        """Draft one request's tokens."""
        parameters = self.parameters_with(seat)
        lines = self.stream_with(seat, state, streams)
        proposal = self._proposal(seat, parameters, state, lines.draft)
        feed = seat.request.grammar_fed
        return Lane(
            seat,
            parameters,
            state,
            lines,
            proposal,
            self.snapshot_with(seat.case.target, state.target_state, proposal.tokens, state),
            tuple(accumulate(proposal.tokens, feed, initial=state.grammar_state)),
        )

    def _proposal(
        self, seat: Seat, parameters: Request, state: RequestState, draws: Draws
    ) -> DraftPath:
        tokens: Context = ()
        recorded: list[Row] = []
        while len(tokens) < seat.request.gamma:
            position = _draft_position(seat, parameters, state, tokens)
            try:
                row = self.draft_row_with(position)
            except ZeroResidualError:  # the masks leave the draft model no token
                break
            recorded.append(self.record_with(seat, position, row))
            tokens = (*tokens, self.draw_with(row, draws))
        return DraftPath(tokens, tuple(recorded))

    def _judged(self, batch: Batch, lane: int) -> tuple[Verification, RequestState]:
        """Verify one request's draft, and bring its state up to date."""
        judged = self.gather_with(batch, lane)
        verification = self.verify_with(judged, judged.lane.lines.verify)
        return verification, self._after(judged, verification)

    def _after(self, judged: Judged, verification: Verification) -> RequestState:
        lane = judged.lane
        before, request, case = lane.before, lane.seat.request, lane.seat.case
        kept = self.cut_with(request.limits, before.tokens, verification.tokens)
        draft_states = steps.snapshots(case.draft, before.draft_state, lane.proposal.tokens, before)
        return RequestState(
            answer=Answer(before.tokens + kept.tokens, kept.finish),
            probs=before.probs + self.report_with(judged, verification, kept),
            history=self.remember_with(lane, kept.tokens),
            target_state=self.restore_target_with(
                lane.target_states, case.target.fed, verification
            ),
            draft_state=self.restore_draft_with(draft_states, case.draft.fed, verification),
            grammar_state=self.restore_grammar_with(
                lane.grammar_states, request.grammar_fed, verification
            ),
            draws=lane.lines.verify.index,
            counters=self.count_with(judged, verification, kept),
        )


def start(case: ServingCase) -> tuple[RequestState, ...]:
    """Return the states of a batch whose prompts were read, and nothing more."""
    return tuple(
        opened(
            request,
            case.target.after(START, request.prompt),
            case.draft.after(START, request.prompt),
        )
        for request in case.requests
    )


def _draft_position(
    seat: Seat, parameters: Request, state: RequestState, drafted: Context
) -> Position:
    case = seat.case
    row = case.draft.row(case.draft.after(state.draft_state, drafted))
    return Position(
        request=parameters,
        raw=lifted(row, case.draft_ids, case.target.vocab_size),
        history=state.history + drafted,
        grammar_state=seat.request.grammar_after(drafted, state.grammar_state),
        index=len(drafted),
        last=seat.request.gamma,
    )
