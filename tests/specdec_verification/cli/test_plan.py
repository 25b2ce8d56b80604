"""`specdec-verify plan`: the draws of every test, in words and as JSON."""

import json
from collections.abc import Callable
from typing import Any

import pytest

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
