"""A whole run: every cell of a plan, and what they add up to.

Cells are run here, one after the other, or by workers, in any order; the run that is returned is
the same.  With a journal, cells that it holds are not run again.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from importlib.metadata import version
from typing import TypeAlias

from specdec_verification.journal import Journal
from specdec_verification.plan import Plan, Section
from specdec_verification.results import CheckResult, Run, Verdict, worst
from specdec_verification.tally import EXAMPLES, TRIALS, Position, Tally
from specdec_verification.units import Finished, Pace, Unit, run_unit, units
from specdec_verification.workers import Workers, finish_units

OnResult: TypeAlias = Callable[[Section, CheckResult], None]
"""What is told of every result as it comes."""


def run_plan(
    plan: Plan,
    on_result: OnResult,
    *,
    workers: Workers | None = None,
    journal: Journal | None = None,
) -> Run:
    """Run every cell, and return what they found together.

    Memory grows with the shapes and the failures, and by a byte a cell.  An interrupt ends the run
    early: what was found is returned.  Such a run, or one that lacks a cell for another reason, is
    inconclusive unless it failed.

    Parameters
    ----------
    plan : Plan
    on_result : callable
        Told of every result as it comes; of those in the journal first.
    workers : Workers, optional
        Where cells are run; in this process, if there are none.
    journal : Journal, optional
        Of this plan.

    Raises
    ------
    JournalError
        If a journal cannot be read or written.
    """
    tally = Tally(plan.sections)

    def count(position: Position, result: CheckResult) -> None:
        if tally.add(position, result):
            on_result(plan.sections[position.place], result)

    try:
        if journal is not None:
            for position, result in journal.results():
                count(position, result)
        pace = Pace()
        with closing(_finished(_missing(plan, tally, pace), workers)) as finished:
            for one in finished:
                pace.note(one)
                if journal is not None:
                    journal.append(one)
                for number, result in zip(one.unit.cells, one.results, strict=True):
                    count(Position(one.unit.place, number), result)
    except KeyboardInterrupt:
        tally.verdicts.add(Verdict.INCONCLUSIVE)
    if any(gap for place in range(len(plan.sections)) for gap in tally.missing(place)):
        tally.verdicts.add(Verdict.INCONCLUSIVE)
    return _summed(plan, tally)


def _missing(plan: Plan, tally: Tally, pace: Pace) -> Iterator[Unit]:
    """Yield the cells that are not counted yet, in units."""
    for place, section in enumerate(plan.sections):
        for gap in tally.missing(place):
            yield from units(place, section, gap, pace)


def _finished(missing: Iterator[Unit], workers: Workers | None) -> Generator[Finished]:
    if workers is None:
        for unit in missing:
            for cell in unit.one_by_one():
                yield run_unit(cell)
    else:
        yield from finish_units(missing, workers)


def _summed(plan: Plan, tally: Tally) -> Run:
    return Run(
        version=version("specdec-verify"),
        profile=plan.profile.name,
        verdict=worst(list(tally.verdicts)),
        budget=str(plan.budget),
        instances=tally.instances,
        summary=tally.summary(),
        examples=tally.of_check(EXAMPLES),
        trials=tuple(result for name in TRIALS for result in tally.of_check(name)),
        exceptions=tally.exceptions(),
    )
