"""The command, run in this process or in one of its own."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from specdec_core.instances import Instance, dumps
from specdec_core.rules.token_rejection import TokenRejection
from specdec_verification import cli, detection, plan
from specdec_verification.cli import verify
from specdec_verification.faults import FAULTS, LOOKALIKES
from specdec_verification.faults.loop_catalogue import PLANTED
from specdec_verification.faults.loop_lookalikes import LOOP_LOOKALIKES
from specdec_verification.profiles import PROFILES, Profile

TINY = Profile(
    "tiny",
    random=2,
    pairs=((2, 1),),
    floating=1,
    decoded=1,
    counted=1,
    sampled=1,
    draws=20_000,
    measured=2,
    trials=9,
)


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def has_one_error_line(self) -> bool:
        """Whether what went to standard error is one line of ours."""
        return self.err.startswith("specdec-verify: ") and self.err.count("\n") == 1


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., Ended]:
    """Return how the command is run, in a folder of its own, in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)  # there, failures are said twice
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setitem(PROFILES, "tiny", TINY)

    def run(*arguments: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["specdec-verify", *arguments])
        with pytest.raises(SystemExit) as exit_info:
            cli.main()
        captured = capsys.readouterr()
        assert isinstance(exit_info.value.code, int)
        return Ended(exit_info.value.code, captured.out, captured.err)

    return run


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a run short: one rule, and one fault and one lookalike of a rule and of a loop."""
    monkeypatch.setattr(verify, "RULES", (TokenRejection(),))
    monkeypatch.setattr(plan, "FAULTS", FAULTS[:1])
    monkeypatch.setattr(plan, "LOOKALIKES", LOOKALIKES[:1])
    monkeypatch.setattr(plan, "PLANTED", PLANTED[:1])
    monkeypatch.setattr(plan, "LOOP_LOOKALIKES", LOOP_LOOKALIKES[:1])
    monkeypatch.setattr(detection.with_detection, "__defaults__", (FAULTS[:1], PLANTED[:1]))
    monkeypatch.setattr(plan.plan, "__defaults__", ((TokenRejection(),),))
    monkeypatch.setattr(plan.budget_of, "__defaults__", ((TokenRejection(),),))


@pytest.fixture
def toy_file(command: Callable[..., Ended], toy: Callable[[int], Instance]) -> str:
    Path("toy.json").write_text(dumps(toy(1)), encoding="utf-8")
    return "toy.json"


@pytest.fixture
def biased_file(command: Callable[..., Ended], biased: Instance) -> str:
    Path("biased.json").write_text(dumps(biased), encoding="utf-8")
    return "biased.json"


@pytest.fixture
def process(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    def run(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
        python = shlex.quote(sys.executable)
        return subprocess.run(
            [
                "bash",
                "-o",
                "pipefail",
                "-c",
                line.replace("specdec-verify", f"{python} -m specdec_verification.cli"),
            ],
            cwd=tmp_path,
            env={**os.environ, "GITHUB_ACTIONS": "", **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    return run
