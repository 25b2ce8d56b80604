"""`specdec-verify sample`: verdicts on samplers, with and without a ledger."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = Path(__file__).parents[3] / "examples" / "numpy_batches" / "sampler.py"


def test_a_slip_fails_at_the_first_look_and_the_line_runs_it_again(
    command: Callable[..., Any],
) -> None:
    ended = command("sample", f"{EXAMPLE}:sampler_with_slip")
    shown = dict(line.split(maxsplit=1) for line in ended.out.splitlines())
    assert (ended.code, shown["verdict"], shown["check"]) == (1, "FAILED", "fit")
    assert command(*shlex.split(shown["reproduce"])[1:]) == ended


def test_a_right_sampler_passes_by_its_law_and_says_what_the_rest_is_sure_of(
    command: Callable[..., Any],
) -> None:
    ended = command("sample", f"{EXAMPLE}:sampler", "--tv", "0.2", "--json")
    found = json.loads(ended.out)
    assert (ended.code, found["verdict"]) == (0, "PASSED")
    assert found["pairs"].startswith("INCONCLUSIVE: pairs: ")


def test_a_ledger_keeps_what_was_drawn(command: Callable[..., Any]) -> None:
    Path("coin.py").write_text(
        "import numpy as np\n"
        "def sampler(instance, n, rng):\n"
        "    row = np.array(instance.target(()), dtype=float)\n"
        "    return rng.choice(4, p=row, size=(n, 3)), np.ones(n, dtype=int)\n",
        encoding="utf-8",
    )
    arguments = ("sample", "coin.py:sampler", "--tv", "0.05", "--ledger", "kept.db")
    first = command(*arguments)
    assert first.code == 0
    assert command(*arguments) == first
    assert "100,000 draws in 1 batches" in command("ledger", "show", "kept.db").out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def sampler(n, rng): ...", "takes no instance"),
        ("def sampler(n): ...", r"sampler(n): expected a function of (n, rng)"),
        ("sampler = 3", "expected a function of (n, rng)"),
    ],
    ids=["no instance", "one parameter", "no function"],
)
def test_what_is_no_sampler_is_refused(
    command: Callable[..., Any], text: str, message: str
) -> None:
    Path("mine.py").write_text(text + "\n", encoding="utf-8")
    ended = command("sample", "mine.py:sampler")
    assert (ended.code, ended.out, ended.has_one_error_line) == (2, "", True)
    assert message in ended.err
