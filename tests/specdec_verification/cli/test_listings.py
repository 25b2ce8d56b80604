"""What there is to choose from, listed."""

import json
from collections.abc import Callable
from typing import Any

from specdec_core.rules import RULES


def test_rules_are_listed(command: Callable[..., Any]) -> None:
    ended = command("rules")
    assert ended.code == 0
    assert [line.split()[0] for line in ended.out.splitlines()] == [rule.name for rule in RULES]


def test_rules_are_listed_as_json(command: Callable[..., Any]) -> None:
    listed = json.loads(command("rules", "--json").out)
    assert [tuple(record.values()) for record in listed] == [
        (rule.name, rule.lossless, rule.reference) for rule in RULES
    ]


def test_libraries_are_listed_alike_as_text_and_as_json(command: Callable[..., Any]) -> None:
    listed = json.loads(command("subjects", "--json").out)
    lines = command("subjects").out.splitlines()
    assert [line.split()[0] for line in lines] == [record["name"] for record in listed]


def test_the_libraries_that_are_followed_are_listed(command: Callable[..., Any]) -> None:
    ended = command("subjects")
    assert ended.code == 0
    assert [line.split()[0] for line in ended.out.splitlines()][:2] == ["stdlib", "numpy"]
    listed = json.loads(command("subjects", "--json").out)
    assert listed[1]["needs"] == "numpy"
