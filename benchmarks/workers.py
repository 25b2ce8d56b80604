"""Two workers against one, on the same cells in one run: ``python benchmarks/workers.py``.

A part of a profile's plan is run by one process and by two, in turn, again and again.  What is
printed of each: the wall time, the processor time of its workers together and of the busiest, and
that of this process, which hands out and adds up.  On a machine that does other things the wall
times say little; what two workers would take on idle cores is then the time of the busiest, as
long as this process has little to do.  Both runs must end with the same bytes.

``python benchmarks/workers.py full 40`` takes every 40th cell of each section of the full profile.
"""

import argparse
import multiprocessing
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from specdec_core.rules import RULES
from specdec_reports.documents import as_json
from specdec_verification.plan import Plan, Section, plan
from specdec_verification.profiles import PROFILES
from specdec_verification.results import CheckResult
from specdec_verification.runner import run_plan
from specdec_verification.workers import Workers, processes

EVERY = 0.05
"""Seconds from one look at the workers' times to the next: the last look is as old at most."""


@dataclass(frozen=True, slots=True)
class EveryFew:
    """The cells of a section, leaving most out."""

    section: Section
    step: int

    def __call__(self, number: int, line: str) -> CheckResult:
        """Run a cell that was not left out."""
        return self.section.run(number * self.step)


@dataclass(frozen=True, slots=True)
class Took:
    """What one run took, in seconds, and what it found."""

    wall: float
    workers: float
    busiest: float
    here: float
    document: str


def main(profile: str = "quick", step: int = 1, repeats: int = 3) -> None:
    """Print a line for every run, and the ratios of the medians."""
    whole = part(profile, step)
    cells = sum(section.size for section in whole.sections)
    print(f"{profile}, every {step}. cell: {cells} cells, {os.cpu_count()} cores")
    print(f"{'workers':>7} {'wall':>8} {'of workers':>11} {'busiest':>8} {'here':>6}")
    taken: dict[int, list[Took]] = {1: [], 2: []}
    for _ in range(repeats):
        for count in taken:
            took = timed_by(whole, processes(count))
            taken[count].append(took)
            row = f"{count:>7} {took.wall:>8.1f} {took.workers:>11.1f} {took.busiest:>8.1f}"
            print(f"{row} {took.here:>6.2f}", flush=True)
    assert len({took.document for runs in taken.values() for took in runs}) == 1
    print("the same bytes every time")
    one, two = taken.values()
    for name in ("wall", "busiest", "workers"):
        ratio = middle(one, name) / middle(two, name)
        print(f"{'one / two, ' + name:28} {ratio:>6.2f}")


def part(profile: str, step: int) -> Plan:
    """Return a plan of every so many cells of each section."""
    chosen = PROFILES[profile]
    sections = tuple(
        replace(section, size=-(-section.size // step), check=EveryFew(section, step))
        for section in plan(chosen)
    )
    return Plan(chosen, RULES, sections)


def timed_by(whole: Plan, workers: Workers) -> Took:
    """Run a plan by workers; what they took is known of processes that this one has started."""
    spent: dict[int, float] = {}
    asked = 0.0

    def on_result(section: Section, result: CheckResult) -> None:
        nonlocal asked
        if perf_counter() > asked + EVERY:
            spent.update(seconds_of_children())
            asked = perf_counter()

    wall, here = perf_counter(), process_time()
    run = run_plan(whole, on_result, workers=workers)
    wall, here = perf_counter() - wall, process_time() - here
    return Took(wall, sum(spent.values()), max(spent.values(), default=0.0), here, as_json(run))


def seconds_of_children() -> dict[int, float]:
    """Return the processor time of every worker so far, by its process, as Linux tells it."""
    ticks = os.sysconf("SC_CLK_TCK")
    spent = {}
    for process in multiprocessing.active_children():
        after_name = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        spent[int(process.pid or 0)] = (int(after_name[11]) + int(after_name[12])) / ticks
    return spent


def middle(runs: Sequence[Took], name: str) -> float:
    """Return the median of one of the times."""
    return float(median(getattr(took, name) for took in runs))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("profile", nargs="?", default="quick", choices=PROFILES)
    parser.add_argument("step", nargs="?", type=int, default=1)
    parser.add_argument("repeats", nargs="?", type=int, default=3)
    main(**vars(parser.parse_args()))
