"""A batch in the middle of a round: one lane for each open request, and the rows of all in one.

Drafts differ in length, so the rows lie in flat tables, those of one lane after those of the lane
before it: a lane with ``n`` draft tokens owns ``n`` draft rows and ``n + 1`` target rows.  The
tables can be written, as tensors can; nobody should.
"""

from dataclasses import dataclass

from specdec_core.distributions import Row
from specdec_core.draws import Draws
from specdec_core.models import Context
from specdec_core.proposals import DraftPath
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.outcomes import RequestState
from specdec_verification.testbed.requests import Request
from specdec_verification.testbed.stages import Position
from specdec_verification.testbed.streams import IndexedDraws


@dataclass(frozen=True, slots=True)
class Seat:
    """Which request a lane serves.

    Attributes
    ----------
    case : ServingCase
    open : tuple of int
        The numbers of the requests that are still open, ascending: the lanes of this round.
    lane : int
        Which of them this is.
    """

    case: ServingCase
    open: tuple[int, ...]
    lane: int

    @property
    def number(self) -> int:
        """The request's number in the case."""
        return self.open[self.lane]

    @property
    def request(self) -> Request:
        """The request."""
        return self.case.requests[self.number]


@dataclass(frozen=True, slots=True)
class Lines:
    """Where a lane's draws come from: its draft tokens', and its verification's."""

    draft: Draws
    verify: IndexedDraws


@dataclass(frozen=True, slots=True)
class Lane:
    """One request's part of a round, after its draft.

    Attributes
    ----------
    seat : Seat
    parameters : Request
        Whose parameters its rows are made with: its own.
    before : RequestState
    lines : Lines
    proposal : DraftPath
    target_states : tuple of int
        The target's state before the draft, and after each draft token.
    grammar_states : tuple of int
        The grammar's.
    """

    seat: Seat
    parameters: Request
    before: RequestState
    lines: Lines
    proposal: DraftPath
    target_states: tuple[int, ...]
    grammar_states: tuple[int, ...]

    @property
    def length(self) -> int:
        """How many tokens it drafted."""
        return len(self.proposal.tokens)

    def positions(self) -> list[Position]:
        """Return where its target rows stand: one a draft token, and the bonus row."""
        return [self.position(index) for index in range(self.length + 1)]

    def position(self, index: int) -> Position:
        """Return where its target row ``index`` stands."""
        return Position(
            request=self.parameters,
            raw=self.seat.case.target.row(self.target_states[index]),
            history=self.before.history + self.proposal.tokens[:index],
            grammar_state=self.grammar_states[index],
            index=index,
            last=self.length,
        )


@dataclass(frozen=True, slots=True)
class Batch:
    """All lanes of a round, and their rows."""

    lanes: tuple[Lane, ...]
    draft_rows: list[Row]
    target_rows: list[Row]

    def draft_start(self, lane: int) -> int:
        """Return where a lane's draft rows begin."""
        return sum(other.length for other in self.lanes[:lane])

    def target_start(self, lane: int) -> int:
        """Return where a lane's target rows begin."""
        return self.draft_start(lane) + lane

    def judged(self, lane: int, draft_start: int, target_start: int) -> "Judged":
        """Return a lane with as many rows as it needs, read from where it is told."""
        length = self.lanes[lane].length
        draft_rows = self.draft_rows[draft_start : draft_start + length]
        target_rows = self.target_rows[target_start : target_start + length + 1]
        return Judged(self.lanes[lane], tuple(draft_rows), tuple(target_rows))


@dataclass(frozen=True, slots=True)
class Judged:
    """A lane and the rows that judge its draft.

    Attributes
    ----------
    lane : Lane
    draft_rows : (length, V) tuple of Row
    target_rows : (length + 1, V) tuple of Row
    """

    lane: Lane
    draft_rows: tuple[Row, ...]
    target_rows: tuple[Row, ...]

    @property
    def proposal(self) -> DraftPath:
        """The draft tokens, with the rows that judge them."""
        return DraftPath(self.lane.proposal.tokens, self.draft_rows)

    def target(self, drafted: Context) -> Row:
        """Return the target's row after a prefix of the draft."""
        return self.target_rows[len(drafted)]
