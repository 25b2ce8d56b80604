"""The exact law of a rule, printed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specdec_grids import turns
from specdec_grids.subtrees import Budget


def test_law_prints_the_documented_form(command: Callable[..., Any], toy_file: str) -> None:
    """Sun et al. 2024, Section 2, with one draft token."""
    ended = command("law", toy_file, "--rule", "token_rejection_bonus", "--json")
    assert (ended.code, ended.err) == (0, "")
    assert json.loads(ended.out) == {
        "law": {"0,0": "1/9", "0,1": "2/9", "1": "1/3", "1,0": "1/9", "1,1": "2/9"},
        "accepted": {"0": "1/3", "1": "2/3"},
        "expected_accepted": "2/3",
        "lossless": True,
        "total_variation": "0",
    }


def test_law_prints_a_table(command: Callable[..., Any], toy_file: str) -> None:
    ended = command("law", toy_file, "--rule", "token_rejection")
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "0                         1/3  0.333333",
        "1                         2/3  0.666667",
        "expected accepted: 2/3",
        "total variation from the target: 0, 3 paths",
    ]


def test_a_law_that_processes_share_prints_the_same(
    command: Callable[..., Any], toy_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ("law", toy_file, "--rule", "token_rejection_bonus", "--json", "--workers")
    alone = command(*line, "1")
    monkeypatch.setattr(turns, "FIRST", Budget(1, 1e9))
    monkeypatch.setattr(turns, "TURN", Budget(1, 1e9))
    assert command(*line, "2") == alone


def test_law_of_floats_states_what_rounding_can_do(command: Callable[..., Any]) -> None:
    Path("floats.json").write_text(
        '{"version": 1, "vocab_size": 2, "parameters": {"gamma": 1},'
        ' "target": {"*": [0.1, 0.9]}, "draft": {"*": [0.7, 0.3]}}',
        encoding="utf-8",
    )
    ended = command("law", "floats.json", "--rule", "token_rejection")
    assert ended.out.splitlines()[-1].startswith("rounding alone can make ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.json", "--rule", "token_rejection"], "none.json: cannot be read"),
        ([".", "--rule", "token_rejection"], "cannot be read"),
        (["toy.json", "--rule", "no_such"], "no rule is called 'no_such'; there are token_"),
        (["toy.json", "--rule", "deterministic_candidates"], "parameter 'k' is missing"),
        (["bad.json", "--rule", "token_rejection"], "bad.json: not JSON"),
        (["short.json", "--rule", "token_rejection"], "target has no row for the context '0'"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(
    command: Callable[..., Any], toy_file: str, arguments: list[str], message: str
) -> None:
    Path("bad.json").write_text("{", encoding="utf-8")
    Path("short.json").write_text(
        '{"version": 1, "vocab_size": 2, "parameters": {"gamma": 2},'
        ' "target": {"": ["1", "0"]}, "draft": {"*": ["1/2", "1/2"]}}',
        encoding="utf-8",
    )
    ended = command("law", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert ended.has_one_error_line
    assert message in ended.err
