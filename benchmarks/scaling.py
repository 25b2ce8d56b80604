"""How far work that is shared out goes: ``python benchmarks/scaling.py``.

Two jobs are run by one, two and four processes: the exact law of one big program, whose choice tree
is shared out in turns, and cells of ``verify``, shared out in units.  Measured is the time of the
processors: of all workers together, and of this process, which hands out and adds up; the wall time
stands beside.  What is found is the same each time.

The model.  By ``n`` workers a job takes ``work / n + last`` seconds: their work, and the wait for
whoever ends last, half a turn or unit on average.  For each piece, a turn or a cell, this process
is busy for ``parent`` seconds, whoever ran it; so a job takes no less than ``pieces * parent``, and
workers beyond ``work / (pieces * parent)`` have nothing to do but wait.

A program's turns get longer with the number of workers, so that this process takes back
`specdec_grids.turns.TURNS_PER_SECOND` at most.  That helps where the outcomes are few, and a long
turn brings back no more of them than a short one.  Where they are about as many as the paths, what
is brought back grows with the turn, and this process is as busy as before.

The run by one process gives the model its numbers.  Those by two and four put it on trial, where
there are as many cores and they are idle.  What it says of more is said of a job that takes one
core a thousand hours.
"""

import argparse
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from time import perf_counter, process_time
from typing import ParamSpec, TypeVar
from unittest import mock

from planned_costs import Round
from workers import part, seconds_of_children, timed_by

from specdec_grids import turns
from specdec_grids.sharing import shared_law
from specdec_grids.subtrees import Budget
from specdec_verification import units
from specdec_verification.workers import processes

COUNTS = (1, 2, 4)
WORKERS = (10, 30, 100, 300, 1000)
HOURS = 1000
"""Of one core, that the predicted job takes."""

FEW = Round("token_rejection_bonus", 4, (("gamma", 5),), completed=True)
"""It has 1 373 252 paths to 4096 outcomes; a turn meets most of them, and a longer one no more."""

MANY_OUTCOMES = Round("token_rejection_bonus", 8, (("gamma", 5),))
"""It has 572 959 paths to 280 664 outcomes; a turn that is twice as long meets twice as many."""

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Took:
    """What a job took, in seconds of wall time, and of the workers' and this process's processors.

    Attributes
    ----------
    workers : int
    wall, work, here : float
    pieces : int
        Turns, or cells.
    """

    workers: int
    wall: float
    work: float
    here: float
    pieces: int


@dataclass(frozen=True, slots=True)
class Model:
    """What a job takes, by the number of workers; all but the pieces in seconds.

    Attributes
    ----------
    work : float
        Of one worker.
    pieces : float
        Turns, or cells.
    parent : float
        Of this process, for each piece.
    last : float
        What the last of the workers is waited for.
    """

    work: float
    pieces: float
    parent: float
    last: float

    @property
    def most_workers(self) -> float:
        """How many keep this process busy all the time."""
        return self.work / (self.pieces * self.parent)

    def seconds(self, workers: int) -> float:
        """Return what the job takes by so many."""
        return max(self.work / workers, self.pieces * self.parent) + self.last

    def efficiency(self, workers: int) -> float:
        """Return the share of the workers' time that is work."""
        return self.work / workers / self.seconds(workers)

    def of_hours(self, hours: float) -> "Model":
        """Return the model of a job of the same kind that takes one core so many hours."""
        larger = hours * 3600 / self.work
        return replace(self, work=self.work * larger, pieces=self.pieces * larger)

    def in_longer_turns(self, workers: int) -> "Model":
        """Return the model of turns as long as so many workers are given."""
        turn = turns.TURN.lasting(workers / turns.TURNS_PER_SECOND).seconds
        return replace(self, pieces=self.work / turn, last=turn / 2)


class Counting(Executor):
    """An executor that counts what it is given."""

    def __init__(self, inner: Executor) -> None:
        self.inner = inner
        self.given = 0

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Count a call, and hand it on."""
        self.given += 1
        return self.inner.submit(fn, *args, **kwargs)


def main(
    profile: str = "full",
    step: int = 40,
    counts: Sequence[int] = COUNTS,
    programs: Sequence[Round] = (FEW, MANY_OUTCOMES),
) -> None:
    """Print what was measured of each job, and what the model says of more workers."""
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    models = [law_of(program, counts) for program in programs]
    print("\nof the first program")
    predict(models[0].of_hours(HOURS).in_longer_turns)
    cells = [cells_job(profile, step, count) for count in counts]
    title = f"cells of verify, {profile}, every {step}., in units of {units.SECONDS:g} s"
    of_cells = show(title, cells, cells_model(cells[0]))
    print("\nof such cells")
    predict(lambda workers: of_cells.of_hours(HOURS))


def law_of(program: Round, counts: Sequence[int]) -> Model:
    """Find a law by some processes, show what they took, and return the model of it."""
    jobs = [law_job(program, count) for count in counts]
    return show(f"law of {program}, in turns of {turns.TURN.seconds:g} s", jobs, law_model(jobs[0]))


def law_job(round_: Round, workers: int) -> Took:
    """Find the law of a program by so many processes, which are there already.

    Nothing but one path is followed here, so that what this process takes is for the others.
    """
    program = round_.program()
    with mock.patch.object(turns, "FIRST", Budget(1, 0.0)), processes(workers).start() as pool:
        list(pool.map(abs, range(4 * workers)))
        before, executor = sum(seconds_of_children().values()), Counting(pool)
        wall, here = perf_counter(), process_time()
        found = shared_law(program, executor, workers)
        wall, here = perf_counter() - wall, process_time() - here
        work = sum(seconds_of_children().values()) - before
    assert found.missing == 0
    return Took(workers, wall, work, here, executor.given)


def law_model(one: Took) -> Model:
    """Return the model of a law that was found by one worker."""
    return Model(one.work, one.pieces, one.here / one.pieces, turns.TURN.seconds / 2)


def cells_job(profile: str, step: int, workers: int) -> Took:
    """Run every so many cells of a profile by so many processes."""
    whole = part(profile, step)
    took = timed_by(whole, processes(workers))
    return Took(workers, took.wall, took.workers, took.here, whole.size)


def cells_model(one: Took) -> Model:
    """Return the model of cells that were run by one worker."""
    return Model(one.work, one.pieces, one.here / one.pieces, units.SECONDS / 2)


def show(title: str, jobs: Sequence[Took], model: Model) -> Model:
    """Print what was measured, beside the model's wall time, and return the model."""
    print(f"\n{title}")
    print(
        f"{'workers':>7} {'wall':>7} {'model':>7} {'work':>7} {'here':>6} {'pieces':>7} "
        f"{'work/piece':>11} {'here/piece':>11}"
    )
    for job in jobs:
        each = f"{1e3 * job.work / job.pieces:>8.1f} ms {1e3 * job.here / job.pieces:>8.2f} ms"
        print(
            f"{job.workers:>7} {job.wall:>7.2f} {model.seconds(job.workers):>7.2f} "
            f"{job.work:>7.2f} {job.here:>6.2f} {job.pieces:>7,} {each}"
        )
    print(f"this process serves {model.most_workers:,.0f} workers, each piece as long as it is")
    return model


def predict(model_of: Callable[[int], Model]) -> None:
    """Print what the model says of a long job by many workers."""
    print(f"a job of {HOURS:,} core-hours\n{'workers':>7} {'hours':>8} {'efficiency':>10}")
    for workers in WORKERS:
        model = model_of(workers)
        hours = model.seconds(workers) / 3600
        print(f"{workers:>7,} {hours:>8.2f} {model.efficiency(workers):>10.1%}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("profile", nargs="?", default="full")
    parser.add_argument("step", nargs="?", type=int, default=40)
    main(**vars(parser.parse_args()))
