"""A whole run by the command: its tables, its verdict, and how it ends when it cannot go on."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specdec_verification import cluster, plan
from specdec_verification.contract import Example, binary_single_path
from specdec_verification.limits import Limits
from specdec_verification.profiles import PROFILES
from specdec_verification.workers import Workers


def broken_example() -> Example:
    return binary_single_path()._replace(counts={(0,): 2501, (1,): 7499})


def test_a_passing_run_writes_its_tables(command: Callable[..., Any], few: None) -> None:
    ended = command("verify", "--profile", "tiny", "--out", "deep/report")
    assert ended.code == 0
    assert ended.out.splitlines()[0].startswith("PASSED single path: 2500 of 10000: counted [2500")
    assert "PASSED" in ended.out.splitlines()
    assert "a planted fault is caught: 2 of 2" in ended.out
    assert "a right rule is spared: 2 of 2" in ended.out
    assert "10 generated instances with their joint law found exactly" in ended.out
    assert "exact_law/token_rejection/random: 2 passed" in ended.err
    wrote = [line.split() for line in ended.out.splitlines() if line.startswith("wrote ")]
    names = {path.name for path in Path("deep/report").iterdir()}
    assert names >= {"report.md", "results.json", "summary.csv"}
    assert {path for _, path in wrote} == {str(Path("deep/report") / name) for name in names}
    document = json.loads(Path("deep/report/results.json").read_text(encoding="utf-8"))
    assert (document["verdict"], document["profile"]) == ("PASSED", "tiny")


def test_a_run_without_a_folder_writes_none(command: Callable[..., Any], few: None) -> None:
    assert command("verify", "--profile", "tiny").code == 0
    assert list(Path().iterdir()) == []


def test_one_failing_cell_fails_the_run(
    command: Callable[..., Any], few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "EXAMPLES", (broken_example,))
    ended = command("verify", "--profile", "tiny", "--out", "report")
    assert ended.code == 1
    assert ended.out.splitlines()[0].startswith("FAILED single path")
    assert "    specdec-verify verify --profile tiny --only contract/0" in ended.out.splitlines()
    assert "FAILED" in ended.out.splitlines()
    assert Path("report/report.md").read_text(encoding="utf-8").startswith("# specdec-verify: FAIL")


def test_one_inconclusive_cell_leaves_the_run_open(
    command: Callable[..., Any], few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PROFILES, "tiny", replace(PROFILES["tiny"], draws=10, sampled=2))
    ended = command("verify", "--profile", "tiny")
    assert ended.code == 3
    assert ended.out.splitlines()[-1] == "INCONCLUSIVE"


def test_an_interrupt_leaves_a_report_that_does_not_pass(
    command: Callable[..., Any], few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(plan, "check_exact_count", interrupted)
    ended = command("verify", "--profile", "tiny", "--out", "report")
    assert ended.code == 3
    assert "checks were made; --resume FILE keeps them" in ended.err.splitlines()[-1]
    report = Path("report/report.md").read_text(encoding="utf-8")
    assert report.startswith("# specdec-verify: INCONCLUSIVE")
    assert "exact_law" in report


def test_an_interrupt_of_the_first_cell_leaves_a_report_too(
    command: Callable[..., Any], few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted() -> Example:
        raise KeyboardInterrupt

    monkeypatch.setattr(plan, "EXAMPLES", (interrupted,))
    ended = command("verify", "--profile", "tiny", "--out", "report")
    assert ended.code == 3
    assert Path("report/summary.csv").exists()


@pytest.mark.parametrize(
    "name", ["contract/1", "exact_law/token_rejection/random/1", "g_test/token_rejection/random/0"]
)
def test_a_cell_is_run_alone_by_the_line_that_it_prints(
    command: Callable[..., Any], name: str
) -> None:
    ended = command("verify", "--profile", "tiny", "--only", name)
    assert ended.code == 0
    assert ended.out.splitlines()[0].split() == ["verdict", "PASSED"]
    head, line = ended.out.splitlines()[-1].split(maxsplit=1)
    assert head == "reproduce"
    assert command(*shlex.split(line)[1:]) == ended


def test_a_distance_of_zero_is_shown(command: Callable[..., Any]) -> None:
    """The first instance has one possible outcome, so the frequencies are exact."""
    ended = command("verify", "--profile", "tiny", "--only", "g_test/token_rejection/random/0")
    assert ended.out.splitlines()[1].split() == ["TV", "0.0"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("contract/2", "cell 'contract/2': expected a number from 0 to 1 at the end"),
        ("contract", "cell 'contract': no such section; the closest are contract; `verify --list`"),
        (f"contract/{'9' * 5000}", "expected a number from 0 to 1 at the end"),
    ],
)
def test_a_cell_that_does_not_exist_is_refused(
    command: Callable[..., Any], name: str, message: str
) -> None:
    ended = command("verify", "--only", name)
    assert ended.code == 2
    assert ended.has_one_error_line
    assert message in ended.err


def test_a_cell_that_raises_is_inconclusive_alone_and_in_a_run(
    command: Callable[..., Any], few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raising() -> Example:
        raise ZeroDivisionError("no such example")

    monkeypatch.setattr(plan, "EXAMPLES", (binary_single_path, raising))
    alone = command("verify", "--profile", "tiny", "--only", "contract/1")
    assert alone.code == 3
    whole = command("verify", "--profile", "tiny", "--out", "report")
    assert whole.code == 3
    for ended in (alone, whole):
        assert "raised ZeroDivisionError (test_verify.py:" in ended.out
    assert "no such example" in Path("report/report.md").read_text(encoding="utf-8")


def test_the_sections_are_listed_with_their_sizes(command: Callable[..., Any]) -> None:
    ended = command("verify", "--profile", "tiny", "--list")
    assert (ended.code, ended.err) == (0, "")
    listed = dict(line.split() for line in ended.out.splitlines())
    assert listed == {one.name: str(one.size) for one in plan.plan(PROFILES["tiny"])}


def test_two_workers_write_the_same_bytes_as_none(
    command: Callable[..., Any], few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too few draws are inconclusive, so that exceptions are written too."""
    monkeypatch.setitem(PROFILES, "tiny", replace(PROFILES["tiny"], draws=10, sampled=3))
    alone = command("verify", "--profile", "tiny", "--out", "alone")
    shared = command("verify", "--profile", "tiny", "--out", "shared", "--workers", "2")
    assert alone.code == shared.code == 3
    assert alone.out.count("INCONCLUSIVE token_rejection") == 9
    assert shared.out == alone.out.replace("wrote alone/", "wrote shared/")
    assert sorted(shared.err.splitlines()) == sorted(alone.err.splitlines())
    names = {path.name for path in Path("alone").iterdir()}
    assert names == {path.name for path in Path("shared").iterdir()} >= {"results.json"}
    for name in names:
        assert Path("alone", name).read_bytes() == Path("shared", name).read_bytes()


def test_a_cell_past_the_profile_s_own_is_run_alone_by_its_line(
    command: Callable[..., Any],
) -> None:
    name = "exact_law/token_rejection/random/7"
    assert command("verify", "--profile", "tiny", "--only", name).code == 2
    ended = command("verify", "--profile", "tiny", "--instances", "8", "--only", name)
    head, line = ended.out.splitlines()[-1].split(maxsplit=1)
    assert (ended.code, head) == (0, "reproduce")
    assert "--profile tiny --instances 8 " in line
    assert command(*shlex.split(line)[1:]) == ended


def test_a_cell_has_the_limits_that_it_is_given(command: Callable[..., Any]) -> None:
    """Alone as in a run, in a process that can be ended."""
    cell = ("verify", "--only", "contract/0")
    ended = command(*cell, "--cell-seconds", "1e-6")
    assert ended.code == 3
    assert "ran past its limit of 1e-06 s" in ended.out
    assert command(*cell, "--cell-seconds", "99", "--cell-memory", "999") == command(*cell)


@pytest.mark.parametrize("option", ["--cell-seconds", "--cell-memory"])
def test_a_limit_that_is_none_is_refused(command: Callable[..., Any], option: str) -> None:
    ended = command("verify", option, "0")
    assert ended.code == 2
    assert ended.has_one_error_line
    assert "a cell: expected a finite number above zero" in ended.err


def test_a_run_that_was_interrupted_is_resumed_to_the_same_report(
    command: Callable[..., Any], few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = command("verify", "--profile", "tiny")
    with monkeypatch.context() as patch:
        patch.setattr(plan, "check_exact_count", interrupt)
        arguments = ("verify", "--profile", "tiny", "--resume", "journal")
        assert command(*arguments).code == 3
    before = Path("journal").read_bytes()
    assert command(*arguments) == whole
    after = Path("journal").read_bytes()
    assert after.startswith(before)
    assert command(*arguments) == whole
    assert Path("journal").read_bytes() == after


def interrupt(*arguments: object) -> None:
    raise KeyboardInterrupt


def test_the_journal_of_another_profile_is_refused(command: Callable[..., Any], few: None) -> None:
    command("verify", "--profile", "tiny", "--resume", "journal")
    ended = command("verify", "--profile", "quick", "--resume", "journal")
    assert ended.code == 2
    assert ended.has_one_error_line
    assert "journal: cannot be resumed: profile name was 'tiny', and is 'quick'" in ended.err


def test_one_cell_keeps_no_journal(command: Callable[..., Any]) -> None:
    ended = command("verify", "--only", "contract/0", "--resume", "journal")
    assert ended.code == 2
    assert ended.has_one_error_line
    assert not Path("journal").exists()


@pytest.mark.parametrize("count", ["0", "-1", "two"])
def test_a_number_of_workers_that_is_none_is_refused(
    command: Callable[..., Any], count: str
) -> None:
    ended = command("verify", "--workers", count)
    assert ended.code == 2
    assert "--workers" in ended.err


def test_an_unknown_profile_is_refused(command: Callable[..., Any]) -> None:
    ended = command("verify", "--profile", "slow")
    assert ended.code == 2
    assert ended.err == "specdec-verify: profile 'slow', expected one of quick, full, tiny\n"


def test_one_cell_makes_no_tables(command: Callable[..., Any]) -> None:
    ended = command("verify", "--only", "contract/0", "--out", "report")
    assert ended.code == 2
    assert ended.has_one_error_line
    assert not Path("report").exists()


@pytest.mark.parametrize("folder", ["a_file", "a_file/report"])
def test_a_folder_that_cannot_be_made_is_refused_before_the_run(
    command: Callable[..., Any], folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "plan", lambda profile: pytest.fail("the run was begun"))
    Path("a_file").touch()
    ended = command("verify", "--out", folder)
    assert ended.code == 2
    assert ended.has_one_error_line
    assert f"--out {folder}: " in ended.err


def test_a_folder_that_cannot_be_written_is_refused_before_the_run(
    command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "plan", lambda profile: pytest.fail("the run was begun"))
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    ended = command("verify", "--out", "report")
    assert (ended.code, ended.err) == (2, "specdec-verify: --out report: not writable\n")


def test_tables_that_cannot_be_written_are_bad_input_after_the_verdict(
    command: Callable[..., Any], few: None
) -> None:
    Path("report/report.md").mkdir(parents=True)
    ended = command("verify", "--profile", "tiny", "--out", "report")
    assert ended.code == 2
    assert ended.out.splitlines()[-1] == "PASSED"
    assert ended.err.splitlines()[-1] == "specdec-verify: --out report: Is a directory"
    assert [path.name for path in Path("report").iterdir()] == ["report.md"]


def test_a_run_whose_reader_leaves_is_still_written(
    process: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    """A run of the first section alone, to be quick."""
    (tmp_path / "short.py").write_text(
        "from specdec_verification import cli, detection, plan\n"
        "from specdec_verification.cli import verify\n"
        "verify.RULES = verify.RULES[:1]\n"
        "detection.with_detection.__defaults__ = ((), ())\n"
        "whole = plan.plan\n"
        "plan.plan = lambda profile: whole(profile)[:1]\n"
        "cli.main()\n",
        encoding="utf-8",
    )
    ended = process(f"{shlex.quote(sys.executable)} short.py verify --out report | sleep 0")
    assert (ended.returncode, ended.stderr) == (0, "contract: 2 passed\n")
    assert (tmp_path / "report" / "results.json").exists()


def test_a_cluster_of_any_workers_finds_the_same(
    command: Callable[..., Any], few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def threads(address: str, limits: Limits) -> AbstractContextManager[Workers]:
        asked.append(address)
        return nullcontext(Workers(ThreadPoolExecutor, 2))

    alone = command("verify", "--profile", "tiny")
    monkeypatch.setattr(cluster, "cluster", threads)
    ended = command("verify", "--profile", "tiny", "--scheduler", "tcp://there:8786")
    assert asked == ["tcp://there:8786"]
    assert (ended.code, ended.out) == (alone.code, alone.out)


def test_a_cluster_and_processes_are_one_too_many(command: Callable[..., Any]) -> None:
    ended = command("verify", "--scheduler", "tcp://there:8786", "--workers", "2")
    assert ended.code == 2
    assert ended.has_one_error_line
    assert "--scheduler has workers of its own" in ended.err
