import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specdec_verification.ledger.store import Ledger
from specdec_verification.ledger.streams import Stream

STREAM = Stream("kernel.py:verify", "1.2", "V=3 gamma=2", "batch number is the seed")


@pytest.fixture
def ledgers(command: Callable[..., Any]) -> list[str]:
    for name, batches in (("a", range(3)), ("b", range(2, 5))):
        with Ledger(Path(name)) as ledger:
            for number in batches:
                ledger.report(STREAM, str(number), {(0, 1): 1000 + number})
    return ["a", "b"]


def test_show_prints_every_stream(command: Callable[..., Any], ledgers: list[str]) -> None:
    ended = command("ledger", "show", "a")
    assert ended == (
        0,
        "kernel.py:verify, version 1.2, on V=3 gamma=2\n"
        "    3,003 draws in 3 batches, seeds: batch number is the seed\n",
        "",
    )


def test_merge_counts_a_batch_once(command: Callable[..., Any], ledgers: list[str]) -> None:
    assert command("ledger", "merge", *ledgers, "--into", "whole").out == "5 new batches in whole\n"
    (shown,) = json.loads(command("ledger", "show", "whole", "--json").out)
    assert (shown["batches"], shown["draws"], shown["version"]) == (5, 5010, "1.2")


@pytest.mark.parametrize("arguments", [("show", "c"), ("merge", "a", "c", "--into", "whole")])
def test_a_ledger_that_is_not_there_is_bad_input(
    command: Callable[..., Any], ledgers: list[str], arguments: tuple[str, ...]
) -> None:
    ended = command("ledger", *arguments)
    assert (ended.code, ended.err) == (2, "specdec-verify: c: no such file\n")
    assert sorted(path.name for path in Path().iterdir()) == ledgers


def test_showing_an_empty_file_does_not_make_a_ledger_of_it(command: Callable[..., Any]) -> None:
    Path("empty").touch()
    ended = command("ledger", "show", "empty")
    assert (ended.code, ended.err) == (
        2,
        "specdec-verify: empty: an empty file, expected a ledger\n",
    )
    assert not Path("empty").stat().st_size


def test_names_are_shown_on_one_line_each(command: Callable[..., Any]) -> None:
    with Ledger(Path("odd")) as ledger:
        for name in ("two\nlines", "[bold]red\x1b[31m"):
            ledger.report(Stream(name, "1", "toy", "entropy"), "first", {(0,): 1})
    assert command("ledger", "show", "odd").out.splitlines()[::2] == [
        "[bold]red\\x1b[31m, version 1, on toy",
        "two\\nlines, version 1, on toy",
    ]


def test_a_ledger_of_nothing_says_so(command: Callable[..., Any]) -> None:
    Ledger(Path("new")).close()
    assert command("ledger", "show", "new") == (0, "nothing was drawn yet\n", "")
    assert command("ledger", "show", "new", "--json").out == "[]\n"
