"""A rule of one's own, checked by the command."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

OWN_RULE = """\
from dataclasses import replace
from specdec_core.rules.token_rejection import TokenRejection
from specdec_verification.faults.path_slips import SlippedPathRule, accept_always

Right = TokenRejection
right = TokenRejection()
wrong = SlippedPathRule("accept_always", accept_with=accept_always)
nothing = 1
"""


@pytest.mark.parametrize(
    ("name", "code", "verdict"),
    [("right", 0, "PASSED"), ("Right", 0, "PASSED"), ("wrong", 1, "FAILED")],
    ids=["value", "class", "wrong"],
)
def test_a_rule_of_ones_own_is_checked(
    command: Callable[..., Any], name: str, code: int, verdict: str
) -> None:
    """Six instances by their law, and those of them that pass by their counts."""
    Path("my rules.py").write_text(OWN_RULE, encoding="utf-8")
    ended = command("check", f"my rules.py:{name}", "--instances", "6")
    shown = ended.out.splitlines()
    assert (ended.code, shown[1].split()) == (code, ["verdict", verdict])
    assert re.match(r"\d+ of \d+ checks passed; the first that decided:", shown[0])
    assert shown[0].startswith("12 of 12") is (verdict == "PASSED")
    line = ended.out.splitlines()[-1].split(maxsplit=1)[1]
    assert command(*shlex.split(line)[1:]) == ended


def test_a_checked_rule_is_printed_as_json(command: Callable[..., Any]) -> None:
    Path("rules.py").write_text(OWN_RULE, encoding="utf-8")
    ended = command("check", "rules.py:wrong", "--instances", "6", "--json")
    assert json.loads(ended.out)["verdict"] == "FAILED"


def test_what_is_no_rule_is_refused(command: Callable[..., Any]) -> None:
    Path("rules.py").write_text(OWN_RULE, encoding="utf-8")
    ended = command("check", "rules.py:nothing")
    assert (ended.code, ended.out) == (2, "")
    assert ended.has_one_error_line


@pytest.mark.parametrize("name", ["outcomes.csv.gz", "outcomes.CSV", "outcomes"])
def test_a_name_of_neither_says_what_both_look_like(command: Callable[..., Any], name: str) -> None:
    ended = command("check", name)
    assert (ended.code, ended.err) == (
        2,
        f"specdec-verify: {name!r}: expected FILE.py:RULE, or outcomes in a file that ends in "
        ".jsonl, .csv, .npz, .parquet\n",
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (("outcomes.csv", "--instances", "3"), "--instances is of a rule"),
        (("rules.py:right", "--instance", "instance.json"), "--instance is of outcomes"),
    ],
    ids=["outcomes", "rule"],
)
def test_an_option_of_the_other_kind_is_refused(
    command: Callable[..., Any], line: tuple[str, ...], message: str
) -> None:
    ended = command("check", *line)
    assert (ended.code, ended.out, ended.has_one_error_line) == (2, "", True)
    assert message in ended.err
