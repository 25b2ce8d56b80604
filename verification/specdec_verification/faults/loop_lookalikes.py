"""Right serving loops that look wrong: a check that fails one of them is itself at fault.

Most are slips on the draft's side.  Whatever law the draft tokens come from, the verification is
right as long as it reads that law; a worse draft is refused more often, and that is all.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

from specdec_core.distributions import Row, point_mass
from specdec_core.draws import Draws
from specdec_core.models import Context
from specdec_core.rules import Verification
from specdec_core.rules.block_verification import BlockVerification
from specdec_core.sampling import sample
from specdec_core.transforms import jointly
from specdec_verification.faults import loop_cases as cases
from specdec_verification.faults import loop_rows as rows
from specdec_verification.faults.loop_rows import Seeing, without
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.lanes import Batch, Judged, Lines, Seat
from specdec_verification.testbed.loop import ServingLoop
from specdec_verification.testbed.outcomes import RequestState
from specdec_verification.testbed.recurrent import START, RecurrentModel
from specdec_verification.testbed.stages import (
    WHOLE,
    Allowed,
    Position,
    filtered,
    grammatical,
    penalised,
)
from specdec_verification.testbed.steps import ByRule, Feed, own_rows, snapshots
from specdec_verification.testbed.streams import Line, Streams


@dataclass(frozen=True, slots=True)
class LoopLookalike:
    """A right loop that a reviewer would stop at.

    Attributes
    ----------
    loop : ServingLoop
    case : ServingCase
        One on which the difference could show.
    reason : str
        Why it is right.
    """

    loop: ServingLoop
    case: ServingCase
    reason: str


def never_fed(states: tuple[int, ...], feed: Feed, verification: Verification) -> int:
    """Leave the draft model where it was."""
    return states[0]


def stop_left_out(position: Position) -> Row:
    """Never draft a stop token."""
    row = WHOLE(position)
    rest = frozenset(range(len(row))) - position.request.limits.stop_tokens
    return jointly(row, (Allowed(rest),))


def warmer(position: Position) -> Position:
    """Draft at a temperature of one."""
    sampling = replace(position.request.sampling, temperature=Fraction(1))
    return rows.sampled_with(position, sampling)


def drawn_after_discarded(row: Row, draws: Draws) -> int:
    """Throw a draw away before each draft token."""
    draws.uniform()
    return sample(row, draws.uniform())


def drawn_tokens_as_point_masses(batch: Batch, lane: int) -> Judged:
    """Forget the rows that the draft tokens were drawn from."""
    judged = own_rows(batch, lane)
    size = len(judged.target_rows[0])
    masses = tuple(point_mass(token, size) for token in judged.proposal.tokens)
    return replace(judged, draft_rows=masses)


def snapshots_from_text(
    model: RecurrentModel, state: int, drafted: Context, earlier: RequestState
) -> tuple[int, ...]:
    """Throw the target's state away, and feed it the whole text again."""
    return snapshots(model, model.after(START, earlier.history), drafted, earlier)


def two_lines(seat: Seat, state: RequestState, streams: Streams) -> Lines:
    """Draw a draft's tokens and its verification from two generators without a seed."""
    return Lines(Line(streams, None, state.draws), Line(streams, None, state.draws))


LOOP_LOOKALIKES = (
    LoopLookalike(ServingLoop(), cases.UNEQUAL, "no slip"),
    LoopLookalike(
        ServingLoop("loop_draft_stale", restore_draft_with=never_fed),
        cases.LONGER,
        "a draft model that lags behind still draws from the rows that are recorded",
    ),
    LoopLookalike(
        ServingLoop("loop_stop_never_drafted", draft_row_with=stop_left_out),
        cases.STOPPED,
        "the stop token comes from the target alone, as a replacement or a bonus",
    ),
    LoopLookalike(
        ServingLoop("loop_draws_discarded", draw_with=drawn_after_discarded),
        cases.PLAIN,
        "without a seed nothing depends on how many draws were taken",
    ),
    LoopLookalike(
        ServingLoop("loop_draft_warmer", draft_row_with=Seeing(warmer)),
        cases.TEMPERED,
        "the draft's temperature is its own affair, if its rows are recorded with it",
    ),
    LoopLookalike(
        ServingLoop("loop_draft_unfiltered", draft_row_with=without(filtered)),
        cases.FILTERED,
        "a draft token that the target's filters took out is always refused",
    ),
    LoopLookalike(
        ServingLoop("loop_draft_ungrammatical", draft_row_with=without(grammatical)),
        cases.CONSTRAINED,
        "a draft token that the grammar forbids is always refused",
    ),
    LoopLookalike(
        ServingLoop("loop_draft_unpenalised", draft_row_with=without(penalised)),
        cases.PENALISED,
        "the penalties are the target's law, not the draft's",
    ),
    LoopLookalike(
        ServingLoop("loop_draft_argmax_recorded", draft_row_with=Seeing(rows.greedily)),
        cases.PLAIN,
        "the likeliest token is recorded as the point mass that it is",
    ),
    LoopLookalike(
        ServingLoop("loop_drawn_as_point_mass", gather_with=drawn_tokens_as_point_masses),
        cases.PLAIN,
        "a drawn token may be treated as a fixed one; the other way round is the fault",
    ),
    LoopLookalike(
        ServingLoop("loop_block_verification", verify_with=ByRule(BlockVerification())),
        cases.PLAIN,
        "another lossless rule takes other decisions and emits the same law",
    ),
    LoopLookalike(
        ServingLoop("loop_state_from_text", snapshot_with=snapshots_from_text),
        cases.LONGER,
        "a state that is made anew of the whole text is the state",
    ),
    LoopLookalike(
        ServingLoop("loop_two_generators", stream_with=two_lines),
        cases.SHORT_ROUNDS,
        "without a seed, two generators are as independent as one",
    ),
)
"""Each must pass."""
