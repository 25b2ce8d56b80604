"""`specdec-verify plan`: draws or paths, in words and as JSON."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from specdec_grids import costs
from specdec_verification.cli import plan
from specdec_verification.statistics import power

LINE = ("plan", "--tv", "1e-3", "--cells", "8", "--false-fail-rate", "1e-9", "--power", "0.99")


def test_a_plan_in_words(command: Callable[..., Any]) -> None:
    ended = command(*LINE, "--rate", "1e6")
    first, *needs, last, witness = ended.out.splitlines()
    assert ended.code == 0
    assert first.startswith("to see a total variation of 0.001 over 8 cells")
    assert needs[0].split()[::2] == ["fit", "draws"]
    assert last == "22.8 s for fit at 1e+06 draws/s"
    assert witness == "spend them on the stored witness of path rules (V=4 gamma=2)"


def test_a_plan_as_json(command: Callable[..., Any]) -> None:
    found = json.loads(command(*LINE, "--json").out)
    rates = {"false_fail_rate": 1e-9, "false_pass_rate": 0.01}
    assert found["draws"]["g_test"] == pytest.approx(power.draws_needed(1e-3, 8, **rates), rel=1e-9)
    assert found["draws_per_second"] > 0
    assert found["witness"] == "the stored witness of path rules"


@pytest.mark.parametrize(
    "wrong",
    [
        ("--tv", "0"),
        ("--cells", "1"),
        ("--false-fail-rate", "1"),
        ("--power", "1"),
        ("--rate", "0"),
    ],
)
def test_what_cannot_be_planned_is_bad_input(
    command: Callable[..., Any], wrong: tuple[str, str]
) -> None:
    options = {"--tv": "0.1", "--cells": "8"} | dict([wrong])
    ended = command("plan", *(part for option in options.items() for part in option))
    assert ended.code == 2
    assert ended.has_one_error_line


def test_a_law_is_planned_in_words(command: Callable[..., Any], toy_file: str) -> None:
    ended = command("plan", toy_file, "--rule", "token_rejection")
    head, *lines = ended.out.splitlines()
    assert (ended.code, head) == (0, "token_rejection on V=2 gamma=1:")
    assert [line.split()[0] for line in lines] == ["paths", "outcomes", "time", "memory"]
    assert lines[0].split() == ["paths", "3", "counted"]


def test_a_law_is_planned_as_json(
    command: Callable[..., Any], toy_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without time to follow the second path, dives tell how many there are."""
    monkeypatch.setattr(plan, "SECONDS", 1e-9)
    monkeypatch.setattr(costs, "TURNS", 1)
    found = json.loads(command("plan", toy_file, "--rule", "block_verification", "--json").out)
    assert found["dives"] >= 16
    assert found["paths"] == pytest.approx(5, abs=6 * found["standard_error"] + 1)
    assert found["core_hours"] == found["seconds"] / 3600
    assert found["mebibytes"] > 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ((), "nothing to plan: expected INSTANCE.json and --rule for"),
        (("--tv", "0.1"), "nothing to plan"),
        (("toy.json",), "an exact law takes both INSTANCE.json and --rule"),
        (("--rule", "greedy"), "an exact law takes both INSTANCE.json and --rule"),
        (("toy.json", "--rule", "greedy", "--cells", "8", "--rate", "1"), "no --cells, --rate"),
        (("toy.json", "--rule", "no_such"), "no rule is called 'no_such'"),
    ],
)
def test_what_does_not_go_together_is_bad_input(
    command: Callable[..., Any], toy_file: str, wrong: tuple[str, ...], message: str
) -> None:
    ended = command("plan", *wrong)
    assert (ended.code, ended.out) == (2, "")
    assert ended.has_one_error_line
    assert message in ended.err
