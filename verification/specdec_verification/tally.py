"""What a run keeps of its results, in whatever order they come.

A result has a position: the place of its section in the plan, and its number there.  Counts and the
largest distance do not depend on the order; rows stand where their first result stands, and what is
listed one by one is sorted by position.  So a run whose cells are finished out of order, by several
processes or over several days, ends with the same bytes as one that goes through them in turn.  A
position is counted once, however often it is reported.

Memory grows with the shapes, the trials and the failures, and by one byte a cell.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from specdec_verification.plan import Section
from specdec_verification.results import CheckResult, SummaryRow, Verdict
from specdec_verification.summaries import MAX_EXCEPTIONS, added, empty_row, key_of

EXAMPLES = "contract"
TRIALS = ("faults", "lookalikes")


class Position(NamedTuple):
    """Where a cell stands in its plan."""

    place: int
    number: int


@dataclass(slots=True)
class Tally:
    """Results added up.

    Parameters
    ----------
    sections : sequence of Section
        Of the plan.
    """

    sections: Sequence[Section]
    verdicts: set[Verdict] = field(init=False, default_factory=set)
    instances: int = field(init=False, default=0)
    _done: list[bytearray] = field(init=False)
    _rows: dict[tuple[str, ...], SummaryRow] = field(init=False, default_factory=dict)
    _firsts: dict[tuple[str, ...], Position] = field(init=False, default_factory=dict)
    _apart: dict[Position, CheckResult] = field(init=False, default_factory=dict)
    _exceptions: list[tuple[int, int, CheckResult]] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self._done = [bytearray() for _ in self.sections]

    def __contains__(self, position: Position) -> bool:
        done = self._done[position.place]
        return position.number < len(done) and bool(done[position.number])

    def add(self, position: Position, result: CheckResult) -> bool:
        """Count a result, unless there is one of that position; return whether it was counted."""
        if position in self:
            return False
        self._mark(position)
        self.verdicts.add(result.verdict)
        # A walk that was cut short found no law.
        self.instances += result.check == "exact_law" and result.total_variation is not None
        if result.verdict is not Verdict.PASSED:
            self._list(position, result)
        if result.check in (EXAMPLES, *TRIALS):
            self._apart[position] = result
        else:
            self._sum(position, result)
        return True

    def missing(self, place: int) -> Iterator[range]:
        """Yield the cells of a section that have no result when they are asked for, in order."""
        done, size, start = self._done[place], self.sections[place].size, 0
        while (start := _index(done, 0, start, max(start, len(done)))) < size:
            stop = _index(done, 1, start, size)
            yield range(start, stop)
            start = stop

    def summary(self) -> tuple[SummaryRow, ...]:
        """Return the rows, in the order in which the plan meets them first."""
        return tuple(self._rows[key] for key in sorted(self._rows, key=self._firsts.__getitem__))

    def exceptions(self) -> tuple[CheckResult, ...]:
        """Return the first results of the plan that are no pass, up to a limit."""
        return tuple(result for *_, result in sorted(self._exceptions, key=_order, reverse=True))

    def of_check(self, name: str) -> tuple[CheckResult, ...]:
        """Return the results of a check that stands apart."""
        found = sorted(self._apart.items(), key=lambda item: item[0])
        return tuple(result for _, result in found if result.check == name)

    def _mark(self, position: Position) -> None:
        """Note that a cell is done; a section of a billion cells takes no room before its turn."""
        done = self._done[position.place]
        done.extend(bytes(max(0, position.number + 1 - len(done))))
        done[position.number] = 1

    def _list(self, position: Position, result: CheckResult) -> None:
        """Keep the result if it is among the first: the heap's top is the last of them."""
        heapq.heappush(self._exceptions, (-position.place, -position.number, result))
        if len(self._exceptions) > MAX_EXCEPTIONS:
            heapq.heappop(self._exceptions)

    def _sum(self, position: Position, result: CheckResult) -> None:
        key = key_of(result)
        row = self._rows.get(key) or empty_row(result)
        if position <= self._firsts.get(key, position):
            self._firsts[key] = position
            row = replace(row, evidence=result.evidence)
        self._rows[key] = added(row, result)


def _index(marks: bytearray, mark: int, start: int, default: int) -> int:
    """Return where a mark comes next, or a default if it does not."""
    found = marks.find(mark, start)
    return found if found >= 0 else default


def _order(entry: tuple[int, int, CheckResult]) -> tuple[int, int]:
    return entry[:2]
