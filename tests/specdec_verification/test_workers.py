"""Workers that are lost: everything is run once all the same, and who is at fault is named."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ThreadPoolExecutor,
)
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import SimpleQueue

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.errors import InvalidParameterError
from specdec_verification.limits import Limits
from specdec_verification.plan import Section
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict
from specdec_verification.units import Finished, Pace, Unit, units
from specdec_verification.workers import KILLS, Workers, finish_units, processes

SIZES = (7, 1, 13)


def find(number: int, line: str) -> CheckResult:
    labels = Labels("subject", "lossless", str(number), "", line)
    return CheckResult("a", labels, Verdict.PASSED, Evidence.EXACT_LAW, None, number, "found")


def die_once(mark: Path, number: int, line: str) -> CheckResult:
    """Kill the process at cell 5, unless that was done before."""
    if number == 5 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return find(number, line)


def misbehave(number: int, line: str) -> CheckResult:
    """Find a cell, unless its number is that of a way not to end."""
    held = []
    if number == 2:
        time.sleep(60)
    while number == 4:
        held.append(bytearray(16 << 20))
    if number == 6:
        sum(itertools.repeat(0))  # a compiled loop, which no signal interrupts
    if number == 8:
        raise ZeroDivisionError("no such cell")
    if number == 10:
        os.kill(os.getpid(), signal.SIGKILL)
    return find(number, line)


def sections(check: Callable[[int, str], CheckResult] = find) -> list[Section]:
    return [Section("p", f"a/{place}/x", size, check) for place, size in enumerate(SIZES)]


def units_of(made: Sequence[Section]) -> Iterator[Unit]:
    for place, section in enumerate(made):
        yield from units(place, section, range(section.size), Pace())


def finished(workers: Workers, of: Sequence[Section]) -> dict[tuple[int, int], CheckResult]:
    """Return what is found of every cell, each of them found once."""
    found = [
        ((one.unit.place, number), result)
        for one in finish_units(units_of(of), workers)
        for number, result in zip(one.unit.cells, one.results, strict=True)
    ]
    every = [(place, number) for place, section in enumerate(of) for number in range(section.size)]
    assert sorted(at for at, _ in found) == every
    return dict(found)


def unpassed(found: dict[tuple[int, int], CheckResult]) -> set[tuple[int, int]]:
    return {at for at, result in found.items() if result.verdict is not Verdict.PASSED}


@dataclass
class Room:
    """Where fragile executors run: which cells break them, and which units, as they come, do."""

    poison: frozenset[tuple[int, int]]
    accidents: set[int]
    started: int = 0
    run: int = 0
    alone: Counter[tuple[int, int]] = field(default_factory=Counter)


class Fragile(Executor):
    """One thread that runs units in turn; once it breaks, everything it was given is lost."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.broken = False
        self.given: SimpleQueue[tuple[Future[Finished], Unit] | None] = SimpleQueue()
        room.started += 1
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def submit(self, run, unit, limits, /):  # type: ignore[no-untyped-def, override]  # noqa: ANN001, ANN201
        if self.broken:
            raise BrokenExecutor("broken before")
        future: Future[Finished] = Future()
        self.given.put((future, unit))
        self.run = run
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.given.put(None)
        self.thread.join()

    def work(self) -> None:
        while (item := self.given.get()) is not None:
            future, unit = item
            self.room.run += 1
            cells = {(unit.place, number) for number in unit.cells}
            if cells & self.room.poison or self.room.run in self.room.accidents:
                self.broken = True
            if not self.broken:
                future.set_result(self.run(unit))
            elif not future.cancelled():
                self.room.alone.update(cells if len(cells) == 1 else ())
                future.set_exception(BrokenExecutor("a worker was killed"))


cells = st.integers(0, 2).flatmap(
    lambda place: st.tuples(st.just(place), st.integers(0, SIZES[place] - 1))
)


@given(
    poison=st.frozensets(cells, max_size=4),
    accidents=st.sets(st.integers(1, 12), max_size=3),
    count=st.integers(1, 5),
)
def test_whatever_is_lost_every_cell_is_found_once_and_every_poison_named(
    poison: frozenset[tuple[int, int]], accidents: set[int], count: int
) -> None:
    """An accident kills a worker for nothing that its unit did."""
    room = Room(poison, accidents)
    found = finished(Workers(partial(Fragile, room), count), sections())
    assert unpassed(found) >= poison
    if len(accidents) < KILLS:
        assert unpassed(found) == poison
    assert all(room.alone[at] >= KILLS for at in poison)
    assert all("killed" in found[at].detail for at in poison)
    clean = finished(Workers(partial(ThreadPoolExecutor, 2), 2), sections())
    assert {at: result for at, result in found.items() if at not in unpassed(found)} == {
        at: result for at, result in clean.items() if at not in unpassed(found)
    }


def test_an_executor_that_is_broken_from_the_start_ends_the_run() -> None:
    def broken() -> Executor:
        executor = Fragile(Room(frozenset(), set()))
        executor.broken = True
        return executor

    with pytest.raises(BrokenExecutor, match="broken before"):
        list(finish_units(units_of(sections()), Workers(broken, 2)))


def test_processes_that_cannot_start_end_the_run_with_one_error() -> None:
    """The main module of a program that is read from a pipe cannot be imported again."""
    program = (
        "from specdec_verification.workers import finish_units, processes\n"
        "print(list(finish_units(iter(()), processes(2))))\n"  # nothing to run, nothing started
        "processes(2).start()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-"], input=program, capture_output=True, text=True, timeout=60
    )
    assert ended.stdout == "[]\n"
    last = ended.stderr.splitlines()[-1]
    assert "WorkersLostError: a worker process ends before it is given anything" in last
    assert "__name__ == '__main__'" in last


def test_a_cell_that_cannot_be_sent_is_named_and_the_others_are_run() -> None:
    class Refusing(ThreadPoolExecutor):
        def submit(self, run, unit, limits, /):  # type: ignore[no-untyped-def, override]  # noqa: ANN001, ANN202
            if unit.place == 1:
                future: Future[Finished] = Future()
                future.set_exception(TypeError("cannot pickle 'generator' object"))
                return future
            return super().submit(run, unit, limits)

    found = finished(Workers(partial(Refusing, 2), 2), sections())
    assert unpassed(found) == {(1, 0)}
    assert "TypeError: cannot pickle" in found[1, 0].detail


def test_units_are_taken_only_as_there_is_room() -> None:
    taken: list[Unit] = []

    def watched() -> Iterator[Unit]:
        for unit in units_of(sections()):
            taken.append(unit)
            yield unit

    running = finish_units(watched(), Workers(partial(ThreadPoolExecutor, 1), 1))
    next(running)
    assert len(taken) <= 4
    running.close()


def test_an_interrupt_within_a_thread_is_one() -> None:
    def interrupted(number: int, line: str) -> CheckResult:
        raise KeyboardInterrupt

    workers = Workers(partial(ThreadPoolExecutor, 1), 1)
    with pytest.raises(KeyboardInterrupt):
        list(finish_units(units_of(sections(interrupted)), workers))


@pytest.mark.parametrize("count", [0, -1, 1.5])
def test_a_count_that_is_none_is_refused(count: int) -> None:
    with pytest.raises(InvalidParameterError, match="count"):
        processes(count)


def test_a_killed_process_costs_nothing(tmp_path: Path) -> None:
    found = finished(processes(2), sections(partial(die_once, tmp_path / "mark")))
    assert (tmp_path / "mark").exists()
    assert unpassed(found) == set()


def test_every_way_not_to_end_is_named_and_the_others_are_run() -> None:
    section = Section("p", "a/b/c", 13, misbehave)
    limits = Limits(seconds=0.5, mebibytes=64)
    found = finished(processes(2, limits), [section])
    assert {number: found[0, number].detail for number in range(13) if number % 2 == 0} == {
        0: "found",
        2: "ran past its limit of 0.5 s",
        4: "asked for more than its limit of 64 MiB",
        6: "ran past its limit of 0.5 s, and was lost with its worker",
        8: found[0, 8].detail,
        10: found[0, 10].detail,
        12: "found",
    }
    assert found[0, 8].detail.startswith("raised ZeroDivisionError (test_workers.py:")
    assert found[0, 10].detail.startswith(f"lost with its worker {KILLS} times: raised BrokenProc")
    assert unpassed(found) == {(0, number) for number in (2, 4, 6, 8, 10)}


def test_limits_that_cannot_be_kept_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "setitimer")
    with pytest.raises(InvalidParameterError, match="has no timer to keep it"):
        processes(2, Limits(seconds=1))


def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    """A run that is killed leaves nothing behind."""
    script = tmp_path / "owner.py"
    script.write_text(
        "import multiprocessing, time\n"
        "from specdec_verification.workers import processes\n"
        "if __name__ == '__main__':\n"
        "    executor = processes(2).start()\n"
        "    executor.submit(time.sleep, 0).result()\n"
        "    print(*(one.pid for one in multiprocessing.active_children()), flush=True)\n"
        "    time.sleep(60)\n",
        encoding="utf-8",
    )
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        pids = [int(pid) for pid in owner.stdout.readline().split()]
        assert pids
        owner.kill()
    for _ in range(100):
        if not any(map(_lives, pids)):
            break
        time.sleep(0.1)
    assert not any(map(_lives, pids))


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").split()[2] != "Z"
    except FileNotFoundError:
        return False
