"""Someone's own function, audited by the command."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specdec_core.instances import Instance, dumps
from specdec_reports.columns import RESULT

RIGHT = "def emit(instance, draws):\n    return [int(draws.uniform() >= 0.25)]\n"


OWN = "import random\ndef emit(instance):\n    return random.choices([0, 1], instance.target(()))\n"


@pytest.mark.parametrize(
    ("program", "options", "code", "verdict"),
    [
        (RIGHT, [], 0, "PASSED"),
        (RIGHT.replace("0.25", "0.5"), [], 1, "FAILED"),
        (RIGHT, ["--max-paths", "1"], 3, "INCONCLUSIVE"),
        ("def emit(instance, draws):\n    raise SystemExit(0)\n", [], 1, "FAILED"),
    ],
    ids=["right", "wrong", "cut_short", "exits"],
)
def test_audit_ends_with_the_code_of_its_verdict(
    command: Callable[..., Any],
    biased_file: str,
    program: str,
    options: list[str],
    code: int,
    verdict: str,
) -> None:
    Path("program.py").write_text(program, encoding="utf-8")
    ended = command("audit", "program.py:emit", "--instance", biased_file, *options)
    assert ended.code == code
    assert ended.out.splitlines()[0].split() == ["verdict", verdict]
    assert ended.err == ""


def test_audit_prints_json_and_nothing_else(command: Callable[..., Any], biased_file: str) -> None:
    Path("program.py").write_text(RIGHT.replace("0.25", "0.5"), encoding="utf-8")
    ended = command("audit", "program.py:emit", "--instance", biased_file, "--json")
    record = json.loads(ended.out)
    assert list(record) == [*RESULT, "diagnosis"]
    assert (record["verdict"], record["total_variation"]) == ("FAILED", "1/4")
    assert record["parameters"] == "V=2 gamma=1"


def test_the_line_of_an_audit_runs_it_again(command: Callable[..., Any], biased: Instance) -> None:
    Path("my program.py").write_text(RIGHT, encoding="utf-8")
    Path("an instance.json").write_text(dumps(biased), encoding="utf-8")
    ended = command(
        "audit",
        "my program.py:emit",
        "--instance",
        "an instance.json",
        "--max-paths",
        "7",
        "--json",
    )
    line = json.loads(ended.out)["reproduce"]
    assert command(*shlex.split(line)[1:], "--json") == ended


def test_a_message_that_looks_like_markup_is_printed_as_it_is(
    command: Callable[..., Any], biased_file: str
) -> None:
    Path("program.py").write_text(
        "def emit(instance, draws):\n    raise ValueError('[/bold] [red]x :smile:')\n",
        encoding="utf-8",
    )
    ended = command("audit", "program.py:emit", "--instance", biased_file)
    assert ended.code == 1
    assert "raised ValueError('[/bold] [red]x :smile:') at " in ended.out


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("def emit(instance, draws):\n    return [int(draws.uniform())]\n", "program.py:2: a symb"),
        (
            "from random import random\n"
            "def emit(instance, draws):\n"
            "    return [int(draws.uniform() < random())]\n",
            "randomness or state of its own",
        ),
        ("emit = 1", "program.py:emit is 1, expected a function"),
        ("raise SystemExit(0)", "program.py does not import: SystemExit(0)"),
        ("def emit(instance, draws):\n    return [0] * 9\n", "biased.json: target has no row for "),
    ],
    ids=["read", "random", "name", "exit", "context"],
)
def test_a_program_that_cannot_be_judged_is_one_line_and_exit_code_two(
    command: Callable[..., Any], biased_file: str, program: str, message: str
) -> None:
    Path("program.py").write_text(program, encoding="utf-8")
    ended = command("audit", "program.py:emit", "--instance", biased_file)
    assert (ended.code, ended.out) == (2, "")
    assert ended.has_one_error_line
    assert message in ended.err


def test_a_program_is_audited_on_chosen_instances_or_on_one_of_them(
    command: Callable[..., Any],
) -> None:
    Path("program.py").write_text(RIGHT, encoding="utf-8")
    ended = command("audit", "program.py:emit", "--json")
    record = json.loads(ended.out)
    assert (ended.code, record["verdict"]) == (1, "FAILED")
    alone = command(*shlex.split(record["reproduce"])[1:], "--json")
    assert json.loads(alone.out) == record
    unknown = command("audit", "program.py:emit", "--case", "no such")
    assert unknown.code == 2
    assert unknown.has_one_error_line


def test_seconds_are_a_limit_that_the_line_repeats(
    command: Callable[..., Any], biased_file: str
) -> None:
    Path("program.py").write_text(RIGHT.replace("return", "import time; time.sleep(0.02); return"))
    line = ("audit", "program.py:emit", "--instance", biased_file, "--max-seconds")
    ended = command(*line, "0.001")
    assert ended.code == 3
    assert ended.out.splitlines()[-1].endswith("--max-seconds 0.001")
    refused = command(*line, "-1")
    assert refused.code == 2
    assert "max_seconds is -1.0, expected a number of at least 0" in refused.err


def test_no_paths_are_too_few(command: Callable[..., Any], biased_file: str) -> None:
    ended = command("audit", "x.py:f", "--instance", biased_file, "--max-paths", "0")
    assert ended.code == 2


def test_a_function_that_draws_from_its_own_library_is_audited(
    command: Callable[..., Any], biased_file: str
) -> None:
    Path("program.py").write_text(OWN)
    ended = command("audit", "program.py:emit", "--instance", biased_file)
    assert ended.code == 0
    assert ended.out.splitlines()[0].split() == ["verdict", "PASSED"]


def test_without_an_instance_several_are_chosen(command: Callable[..., Any]) -> None:
    """It emits tokens 0 and 1 only, so it fails where the target has more of them."""
    Path("program.py").write_text(OWN)
    ended = command("audit", "program.py:emit", "--max-seconds", "60", "--json")
    found = json.loads(ended.out)
    assert ended.code == 1
    assert found["verdict"] == "FAILED"
    assert "--case" in found["reproduce"]
    again = command(*shlex.split(found["reproduce"])[1:], "--json")
    assert json.loads(again.out) == found


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["program.py:emit", "--case", "generated/0", "--instance"], "--instance is your own"),
        (["transformers", "--instance"], "transformers is audited on instances of its own"),
    ],
    ids=["case and instance", "built in"],
)
def test_instances_that_would_not_be_looked_at_are_refused(
    command: Callable[..., Any], biased_file: str, arguments: list[str], said: str
) -> None:
    Path("program.py").write_text(RIGHT, encoding="utf-8")
    ended = command("audit", *arguments, biased_file)
    assert ended.code == 2
    assert said in ended.err


def test_one_chosen_instance_is_audited_alone(command: Callable[..., Any]) -> None:
    Path("program.py").write_text(OWN)
    assert command("audit", "program.py:emit", "--case", "generated/0").code == 0
    ended = command("audit", "program.py:emit", "--case", "other")
    assert ended.code == 2
    assert "no case 'other', expected one of draft_is_target" in ended.err


def test_a_function_that_takes_something_else_is_refused(
    command: Callable[..., Any], biased_file: str
) -> None:
    Path("program.py").write_text("def emit(prompt, model):\n    return [0]\n")
    ended = command("audit", "program.py:emit", "--instance", biased_file)
    assert ended.code == 2
    assert ended.has_one_error_line
    assert "emit(prompt, model): expected (instance), or (instance, and one of draws" in ended.err


def test_what_the_function_prints_is_no_part_of_the_json(command: Callable[..., Any]) -> None:
    Path("chatty.py").write_text(
        "import random\n"
        "print('here')\n"
        "def verify(instance):\n"
        "    print('and there')\n"
        "    return random.choices(range(instance.vocab_size), instance.target(()))\n",
        encoding="utf-8",
    )
    ended = command("audit", "chatty.py:verify", "--case", "generated/1", "--json")
    assert json.loads(ended.out)["verdict"] == "PASSED"
    assert ended.err.startswith("here\nand there\n")
