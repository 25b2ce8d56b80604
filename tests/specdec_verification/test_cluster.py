"""A run on a Dask cluster of this machine: a scheduler and two workers, each its own process.

``make test-cluster`` installs what these tests need; without it they are skipped.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from specdec_core.errors import InvalidParameterError
from specdec_core.rules.token_rejection import TokenRejection
from specdec_verification import cluster as clusters
from specdec_verification import journal as journals
from specdec_verification.cluster import cluster
from specdec_verification.journal import Journal
from specdec_verification.limits import Limits
from specdec_verification.plan import Plan, Section, plan
from specdec_verification.profiles import Profile
from specdec_verification.results import CheckResult, Evidence, Labels, Run, Verdict
from specdec_verification.runner import run_plan
from specdec_verification.workers import Workers

RULES = (TokenRejection(),)
SMALL = Profile(
    "small",
    random=30,
    pairs=((2, 2),),
    floating=2,
    decoded=3,
    counted=2,
    sampled=1,
    draws=20_000,
    measured=2,
    trials=2,
)
SECTIONS = tuple(
    section for section in plan(SMALL, RULES) if section.name.startswith(("contract", "exact"))
)
SMALL_PLAN = Plan(SMALL, RULES, SECTIONS)
CELLS = sum(section.size for section in SECTIONS)


def find_or_die(home: int, number: int, line: str) -> CheckResult:
    """Find a cell; in another process than the test's own, 1 kills it and 2 never ends."""
    if os.getpid() != home and number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    if os.getpid() != home and number == 2:
        time.sleep(600)
    labels = Labels("subject", "lossless", str(number), "", line)
    return CheckResult("a", labels, Verdict.PASSED, Evidence.EXACT_LAW, None, 1, "found")


def find_slowly(notes: Path, number: int, line: str) -> CheckResult:
    """Find a cell, and note that it was run once more."""
    with (notes / str(number)).open("a", encoding="ascii") as file:
        file.write("x")
    time.sleep(0.02)
    return find_or_die(os.getpid(), number, line)


def digest_at(home: int) -> str:
    """Return a digest in one process, and fail in all others as if nothing were installed."""
    if os.getpid() != home:
        raise ModuleNotFoundError("No module named 'specdec_verification'")
    return "digest"


class Local:
    """A scheduler and its workers, which end with the stack."""

    def __init__(self, processes: ExitStack, folder: Path) -> None:
        self._processes = processes
        self._file = folder / "scheduler.json"
        self._scheduler = self._start("scheduler", "--port", "0")

    def lose_scheduler(self) -> None:
        """Kill the scheduler, and with it its workers, which end without one."""
        self._scheduler.kill()
        self._scheduler.wait()

    def restart_scheduler(self) -> None:
        """Start another at the address of the one that was lost, and a worker."""
        port = self.address.rpartition(":")[2]
        self._scheduler = self._start("scheduler", "--port", port)
        self.worker("--no-nanny")

    def worker(self, nanny: str, threads: int = 1) -> "subprocess.Popen[bytes]":
        """Start a worker, with a process that starts it again when it dies or without."""
        return self._start("worker", "--nthreads", str(threads), nanny)

    def _start(self, role: str, *options: str) -> "subprocess.Popen[bytes]":
        command = (sys.executable, "-m", "dask", role, "--scheduler-file", str(self._file))
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--no-dashboard", *options],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join((*sys.path, str(Path(__file__).parents[2]))),
                "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
            },
            cwd=self._file.parent,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._processes.callback(process.wait)
        self._processes.callback(process.terminate)
        return process

    @property
    def address(self) -> str:
        """Of the scheduler, once it has one."""
        until = time.monotonic() + 30
        while not self._file.exists() or not self._file.read_text(encoding="utf-8").endswith("}"):
            assert time.monotonic() < until, "the scheduler has not started"
            time.sleep(0.05)
        return str(json.loads(self._file.read_text(encoding="utf-8"))["address"])


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Local]:
    pytest.importorskip("distributed", reason="make test-cluster installs it")
    with ExitStack() as processes:
        yield Local(processes, tmp_path)


def ignore(section: Section, result: CheckResult) -> None:
    """Do nothing with a result."""


def run_and_kill(workers: Workers, process: "subprocess.Popen[bytes]", after: int) -> Run:
    """Return the small run, in which a process is killed after so many cells."""
    ended: list[Section] = []

    def count(section: Section, result: CheckResult) -> None:
        ended.append(section)
        if len(ended) == after:
            process.kill()

    ran = run_plan(SMALL_PLAN, count, workers=workers)
    assert len(ended) == CELLS
    return ran


def test_a_run_that_loses_one_of_two_workers_equals_that_of_one_process(local: Local) -> None:
    first, second = (local.worker("--no-nanny") for _ in range(2))
    with cluster(local.address) as workers:
        ran = run_and_kill(workers, first, CELLS // 3)
    assert first.wait(timeout=20) == -signal.SIGKILL
    assert second.poll() is None
    assert ran == run_plan(SMALL_PLAN, ignore)


def test_cells_that_end_their_workers_are_named_and_the_others_are_run(local: Local) -> None:
    for _ in range(2):
        local.worker("--nanny")
    poisoned = Section("small", "a/b/c", 4, partial(find_or_die, os.getpid()))
    with cluster(local.address, Limits(seconds=1)) as workers:
        ran = run_plan(Plan(SMALL, RULES, (poisoned,)), ignore, workers=workers)
    killed, late = ran.exceptions
    assert killed.labels.reproduce.endswith("--only a/b/c/1")
    assert "lost with its worker" in killed.detail
    assert late.labels.reproduce.endswith("--only a/b/c/2")
    assert late.detail.startswith("ran past its limit of 1 s")
    assert ran.verdict is Verdict.INCONCLUSIVE
    assert sum(row.passed for row in ran.summary) == 2


def test_a_run_outlives_its_scheduler_and_counts_what_was_run_twice_once(
    local: Local, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    whole = Plan(SMALL, RULES, (Section("small", "a/b/c", 80, partial(find_slowly, notes)),))
    told: list[str] = []

    def count(section: Section, result: CheckResult) -> None:
        told.append(result.labels.instance)
        if len(told) == 20:
            local.lose_scheduler()
            local.restart_scheduler()

    local.worker("--no-nanny")
    with cluster(local.address) as workers:
        ran = run_plan(whole, count, workers=workers)
    assert ran.verdict is Verdict.PASSED
    assert sorted(told, key=int) == [str(number) for number in range(80)]
    assert sum(path.stat().st_size for path in notes.iterdir()) > 80


def test_a_scheduler_that_stays_away_ends_the_run_and_its_journal_resumes(
    local: Local, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "source_digest", lambda: "edited while its tests run")
    whole = Plan(SMALL, RULES, (Section("small", "a/b/c", 80, partial(find_slowly, tmp_path)),))
    told: list[Section] = []

    def count(section: Section, result: CheckResult) -> None:
        told.append(section)
        if len(told) == 20:
            local.lose_scheduler()

    local.worker("--no-nanny")
    with (
        Journal(tmp_path / "journal", whole) as journal,
        pytest.raises(InvalidParameterError, match="expected a Dask scheduler there"),
        cluster(local.address, patience=3) as workers,
    ):
        run_plan(whole, count, workers=workers, journal=journal)
    with Journal(tmp_path / "journal", whole) as journal:
        assert len(list(journal.results())) == len(told) < 80
        assert run_plan(whole, ignore, journal=journal) == run_plan(whole, ignore)


def test_limits_take_workers_of_one_thread(local: Local) -> None:
    local.worker("--no-nanny", threads=2)
    with (
        pytest.raises(InvalidParameterError, match="has 2 threads, expected one where a cell has"),
        cluster(local.address, Limits(mebibytes=500)),
    ):
        pytest.fail("it was taken")


def test_a_worker_of_another_source_is_refused(
    local: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    local.worker("--no-nanny")
    monkeypatch.setattr(clusters, "source_digest", os.getpid)
    with (
        pytest.raises(InvalidParameterError, match="has another specdec-verify, expected"),
        cluster(local.address),
    ):
        pytest.fail("it was taken")


def test_a_worker_without_this_package_is_refused(
    local: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    local.worker("--no-nanny")
    monkeypatch.setattr(clusters, "source_digest", partial(digest_at, os.getpid()))
    with (
        pytest.raises(InvalidParameterError, match="cannot run specdec-verify"),
        cluster(local.address),
    ):
        pytest.fail("it was taken")


def test_a_scheduler_without_workers_is_refused(local: Local) -> None:
    with (
        pytest.raises(InvalidParameterError, match="no worker after 1 s, expected at least one"),
        cluster(local.address, patience=1),
    ):
        pytest.fail("it was taken")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere", "http://127.0.0.1:9"])
def test_an_address_where_no_scheduler_is_is_refused(address: str) -> None:
    pytest.importorskip("distributed", reason="make test-cluster installs it")
    with (
        pytest.raises(InvalidParameterError, match="expected a Dask scheduler there"),
        cluster(address, patience=1),
    ):
        pytest.fail("it was taken")


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "find_spec", lambda name: None)
    with (
        pytest.raises(InvalidParameterError, match=r"pip install 'specdec-verify\[dask\]'"),
        cluster("tcp://127.0.0.1:8786"),
    ):
        pytest.fail("it was taken")
