"""A long run that is killed again and again, and what it adds up to: ``python run_kills.py``.

The plan is a million cells: every rule's exact law on pairs of rows.  It is run once undisturbed,
and once while at random moments either the whole run is killed, and resumed, or one of its workers,
and the run goes on.  Both must end with the same bytes, and the journal must hold each cell once.
What is printed beside that: the time of either, the size of the journal, the longest time from the
start of a resumed run to its first new cells, and the largest resident memory of the process that
adds up and of any worker.

``python benchmarks/run_kills.py --cells 20000 --kills 6`` takes a minute.  Linux alone.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from specdec_core.rules import RULES
from specdec_reports.documents import as_json
from specdec_verification.journal import Journal
from specdec_verification.plan import Plan, Section, plan
from specdec_verification.profiles import QUICK
from specdec_verification.results import CheckResult
from specdec_verification.runner import run_plan
from specdec_verification.workers import processes

WORKERS = 2
WHOLE = 0.6
"""Of the kills, how many are of the whole run."""

EVERY = 0.02
"""Seconds from one look at a run to the next."""


@dataclass(slots=True)
class Watched:
    """A run in a process group of its own, and what was seen of it.

    Attributes
    ----------
    cells : int
    folder : Path
        Where its journal is, and its results when it ends.
    starts : list of float
        Seconds from each start to the first line that it wrote.
    memory : dict of str to int
        Largest resident bytes, of the run itself and of its workers.
    """

    cells: int
    folder: Path
    starts: list[float] = field(default_factory=list)
    memory: dict[str, int] = field(default_factory=lambda: {"run": 0, "worker": 0})

    @property
    def journal(self) -> Path:
        """Where the finished cells are."""
        return self.folder / "journal"

    @property
    def written(self) -> int:
        """Bytes of the journal."""
        return self.journal.stat().st_size if self.journal.exists() else 0

    def run(self, moments: Sequence[int], rng: random.Random) -> float:
        """Run to the end, with a kill whenever the journal has so many bytes; return the time."""
        left, began = list(moments), time.perf_counter()
        while True:
            process = self._started()
            while self._comes_to(process, left[0] if left else None):
                left.pop(0)
                if rng.random() < WHOLE:
                    os.killpg(process.pid, signal.SIGKILL)
                    break
                _kill_one(workers_of(process.pid), rng)
            if process.wait() == 0:
                return time.perf_counter() - began
            assert process.returncode == -signal.SIGKILL, "the run ended by itself"

    def _started(self) -> "subprocess.Popen[bytes]":
        before, began = self.written, time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, __file__, "--child", str(self.folder), "--cells", str(self.cells)],
            start_new_session=True,
        )
        while process.poll() is None and self.written <= max(before, 1 << 15):
            time.sleep(EVERY)
        self.starts.append(time.perf_counter() - began)
        return process

    def _comes_to(self, process: "subprocess.Popen[bytes]", moment: int | None) -> bool:
        """Wait until the journal has so many bytes, or the run ends; return whether it has."""
        while process.poll() is None:
            self._look(process.pid)
            if moment is not None and self.written >= moment:
                return True
            time.sleep(EVERY)
        return False

    def _look(self, pid: int) -> None:
        for role, pids in (("run", [pid]), ("worker", workers_of(pid))):
            self.memory[role] = max(self.memory[role], *map(peak_memory, pids), 0)


def plan_of(cells: int) -> Plan:
    """Return so many cells, of every rule alike: the first of its pairs of rows."""
    each = -(-cells // len(RULES))
    denominator = next(d for d in count(1) if (d + 1) ** 2 >= each)
    profile = replace(QUICK, name="kills", pairs=((2, denominator),))
    pairs = [one for one in plan(profile) if one.name.endswith(f"pairs_2_{denominator}")]
    starts = range(0, cells, each)
    sections = [
        replace(one, size=min(each, cells - start))
        for one, start in zip(pairs, starts, strict=False)
    ]
    return Plan(profile, RULES, tuple(sections))


def child(cells: int, folder: Path) -> None:
    """Run the plan, or what is left of it."""
    whole = plan_of(cells)
    with Journal(folder / "journal", whole) as journal:
        run = run_plan(whole, ignore, workers=processes(WORKERS), journal=journal)
    (folder / "results.json").write_text(as_json(run), encoding="utf-8")


def ignore(section: Section, result: CheckResult) -> None:
    """Do nothing with a result."""


def main(cells: int, kills: int) -> None:
    """Print a line for either run, and what they have in common."""
    rng = random.Random(cells)
    with tempfile.TemporaryDirectory() as folder:
        calm, killed = (Watched(cells, Path(folder) / name) for name in ("calm", "killed"))
        for one in (calm, killed):
            one.folder.mkdir()
        show("undisturbed", calm, calm.run([], rng), 0)
        moments = sorted(rng.randrange(calm.written) for _ in range(kills))
        show("killed", killed, killed.run(moments, rng), kills)
        results = {(one.folder / "results.json").read_bytes() for one in (calm, killed)}
        assert len(results) == 1, "the killed run ends with other results"
        assert cells_of(calm) == cells_of(killed) == cells
    print(f"the same {len(results.pop())} bytes of results, every cell in the journal once")


def show(name: str, run: Watched, seconds: float, kills: int) -> None:
    """Print what was seen of a run."""
    of_run, of_worker = (size / 2**20 for size in run.memory.values())
    print(
        f"{name:12} {run.cells} cells, {kills} kills, {len(run.starts)} starts: {seconds:.0f} s; "
        f"journal {run.written / 2**20:.1f} MiB; slowest start {max(run.starts):.1f} s; "
        f"peak memory {of_run:.0f} MiB, of a worker {of_worker:.0f} MiB",
        flush=True,
    )


def cells_of(run: Watched) -> int:
    """Return how many cells the journal has, each of them once."""
    with Journal(run.journal, plan_of(run.cells)) as journal:
        places = [position for position, _ in journal.results()]
    assert len(set(places)) == len(places), "a cell stands in the journal twice"
    return len(places)


def workers_of(run: int) -> list[int]:
    """Return the processes of a run's group that it did not start itself: a server starts them."""
    return [
        pid
        for pid, parent, group in _processes()
        if group == run and parent not in (run, 1) and pid != run
    ]


def peak_memory(pid: int) -> int:
    """Return the most bytes that a process had in memory; 0 of one that ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def _kill_one(pids: Sequence[int], rng: random.Random) -> None:
    if pids:
        os.kill(rng.choice(pids), signal.SIGKILL)


def _processes() -> Iterator[tuple[int, int, int]]:
    """Yield the number, the parent and the group of every process, as Linux tells them."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        yield int(path.parent.name), int(fields[1]), int(fields[2])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=1_000_000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child is not None:
        child(given.cells, given.child)
    else:
        main(given.cells, given.kills)
