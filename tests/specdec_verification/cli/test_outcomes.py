"""`check` of a file of outcomes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def written(counts: str, head: str = "# instance: biased.json\n") -> str:
    Path("outcomes.csv").write_text(f"{head}tokens,count\n{counts}\n")
    return "outcomes.csv"


RIGHT = "0 0,12500\n0 1,12500\n1 0,75000"
"""Exactly the joint law of the biased instance."""


@pytest.mark.parametrize(
    ("counts", "tv", "code", "verdict"),
    [
        (RIGHT, "0.02", 0, "PASSED"),
        (RIGHT, "0.001", 3, "INCONCLUSIVE"),
        ("0,35000\n1,65000", "0.02", 1, "FAILED"),
        (f"{RIGHT}\n1 1,1", "0.02", 1, "FAILED"),
    ],
    ids=["right", "too few", "wrong", "ruled out"],
)
def test_outcomes_get_their_verdict(
    command: Callable[..., Any], biased_file: str, counts: str, tv: str, code: int, verdict: str
) -> None:
    ended = command("check", written(counts), "--tv", tv, "--json")
    assert (ended.code, json.loads(ended.out)["verdict"]) == (code, verdict)


def test_the_result_says_how_to_run_it_again(command: Callable[..., Any], biased_file: str) -> None:
    path = written(RIGHT, head="")
    ended = command("check", path, "--instance", biased_file, "--tv", "0.02", "--seed", "7")
    line = "specdec-verify check outcomes.csv --instance biased.json --tv 0.02 --seed 7"
    assert ended.code == 0
    assert line in ended.out


def test_a_malformed_line_is_bad_input(command: Callable[..., Any], biased_file: str) -> None:
    ended = command("check", written("0 0,5\n0 x,5"))
    assert (ended.code, ended.has_one_error_line) == (2, True)
    assert "outcomes.csv: line 4: '0 x,5'" in ended.err
