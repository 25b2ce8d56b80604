"""How the command ends: its exit codes, and what it prints where."""

import subprocess
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import typer

from specdec_core.instances import Instance, dumps

RIGHT = "def emit(instance, draws):\n    return [int(draws.uniform() >= 0.25)]\n"


@pytest.mark.parametrize(
    "arguments",
    [[], ["verify", "--bogus"], ["law"], ["audit", "x.py:f"], ["nothing"]],
    ids=lambda arguments: " ".join(arguments) or "none",
)
def test_wrong_usage_is_exit_code_two(command: Callable[..., Any], arguments: list[str]) -> None:
    ended = command(*arguments)
    assert ended.code == 2
    assert ended.has_one_error_line if arguments else ended.err == ""


def test_an_interrupt_before_a_verdict_is_inconclusive(
    command: Callable[..., Any], biased_file: str
) -> None:
    Path("program.py").write_text("def emit(instance, draws):\n    raise KeyboardInterrupt\n")
    ended = command("audit", "program.py:emit", "--instance", biased_file)
    assert (ended.code, ended.err) == (3, "")
    assert "interrupted before a verdict" in ended.out
    Path("rule.py").write_text("raise KeyboardInterrupt\n")
    ended = command("check", "rule.py:rule")
    assert ended.code == 3
    assert ended.has_one_error_line
    assert "INCONCLUSIVE" in ended.err


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("specdec-verify verify --only contract/0", 0),
        ("specdec-verify audit program.py:wrong --instance biased.json", 1),
        ("specdec-verify law none.json --rule token_rejection", 2),
        ("specdec-verify audit program.py:emit --instance biased.json --max-paths 1", 3),
    ],
)
def test_a_process_ends_with_its_code_and_no_traceback(
    process: Callable[..., subprocess.CompletedProcess[str]],
    biased: Instance,
    tmp_path: Path,
    line: str,
    code: int,
) -> None:
    (tmp_path / "biased.json").write_text(dumps(biased), encoding="utf-8")
    (tmp_path / "program.py").write_text(
        f"{RIGHT}\n\ndef wrong(instance, draws):\n    return [0]\n", "utf-8"
    )
    ended = process(line)
    assert ended.returncode == code
    assert ended.stderr.count("\n") == (code == 2)


def test_the_version_is_printed_and_no_traceback_but_with_debug(
    command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command("--version").out.strip() == version("specdec-verify")
    ended = command("law", "none.json", "--rule", "token_rejection", "--debug")
    assert ended.code == 2
    assert ended.err.startswith("Traceback")
    monkeypatch.setattr(typer.Typer, "__call__", lambda *_, **__: 1 // 0)
    ended = command("rules")
    assert ended.code == 2
    assert ended.has_one_error_line
    assert "raised ZeroDivisionError (test_app.py:" in ended.err
