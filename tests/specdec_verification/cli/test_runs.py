"""Reports of one's own subjects: each command leaves what `report` makes again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specdec_reports import writing
from specdec_reports.documents import run_from_json
from specdec_reports.writing import TABLES
from specdec_verification.results import Run

SUBJECTS = """
import numpy as np
from specdec_core.rules.token_rejection import TokenRejection
from specdec_verification.faults import FAULTS

rule = next(fault.rule for fault in FAULTS if fault.name == "tree_sibling_not_removed")

def emit(instance, draws):
    return [int(draws.uniform() >= 0.5)]

def sampler(instance, n, rng):
    tokens = np.zeros((n, instance.integer("gamma", minimum=1) + 1), dtype=int)
    return tokens, np.ones(n, dtype=int)
"""


@pytest.fixture
def reported(command: Callable[..., Any], biased_file: str) -> Callable[..., Run]:
    """Return how a command is run with ``--out``, and its run read back."""
    Path("subjects.py").write_text(SUBJECTS)
    outcomes = ({"tokens": [0], "count": 90}, {"tokens": [1], "count": 10})
    Path("outcomes.jsonl").write_text("\n".join(map(json.dumps, outcomes)))

    def run(*arguments: str) -> Run:
        ended = command(*arguments, "--out", "first", "--json")
        files = json.loads(ended.out)["files"]
        assert {f"first/{name}" for name in TABLES} <= set(files)
        assert ended.err == ""
        return run_from_json(Path("first/results.json").read_text())

    return run


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the figures, which take seconds."""
    monkeypatch.setattr(writing, "figure_files", lambda run: {})


def test_a_function_leaves_its_law_and_what_is_said_of_it(
    command: Callable[..., Any], reported: Callable[..., Run]
) -> None:
    run = reported("audit", "subjects.py:emit", "--instance", "biased.json", "--shrink")
    again = command("report", "first/results.json", "--out", "again", "--figures")
    assert (again.code, again.err) == (1, "")
    for path in Path("first").iterdir():
        assert path.read_bytes() == Path("again", path.name).read_bytes(), path
    assert [(row.prefix, row.distance) for row in run.laws[0].rows][:1] == [("0", 0.25)]
    assert [note.head for note in run.notes] == ["diagnosis", "smallest"]
    assert run.summary[0].failed == 1


def test_a_rule_leaves_its_tree(reported: Callable[..., Run], undrawn: None) -> None:
    run = reported("check", "subjects.py:rule", "--instances", "3")
    assert run.trees[0].nodes[0].path == ""
    assert run.laws[0].instance == run.exceptions[0].labels.instance


def test_a_sampler_leaves_its_evidence_and_its_power(
    reported: Callable[..., Run], undrawn: None
) -> None:
    run = reported("sample", "subjects.py:sampler", "--instance", "biased.json", "--tv", "0.1")
    assert run.evidence[0].points[-1].log10_e is None or run.evidence[0].points[-1].log10_e > 9
    assert run.laws[0].evidence == "1,000 draws"
    assert len(run.power) == 3


def test_a_file_of_outcomes_leaves_its_frequencies(
    reported: Callable[..., Run], undrawn: None
) -> None:
    run = reported("check", "outcomes.jsonl", "--instance", "biased.json")
    assert run.laws[0].rows[0].observed == 0.9


def test_a_sampler_that_passes_is_no_failure_in_its_reports(
    command: Callable[..., Any], biased_file: str, undrawn: None
) -> None:
    """What is checked beside its law is inconclusive after so few draws, and said."""
    Path("right.py").write_text(
        "import numpy as np\n"
        "def sampler(instance, n, rng):\n"
        "    tokens = np.zeros((n, 2), dtype=int)\n"
        "    tokens[:, 0] = rng.random(n) >= 0.25\n"
        "    return tokens, np.ones(n, dtype=int)\n"
    )
    line = ("sample", "right.py:sampler", "--instance", biased_file, "--tv", "0.1")
    assert command(*line, "--out", "report").code == 0
    run = run_from_json(Path("report/results.json").read_text())
    assert (run.verdict, run.exceptions) == ("PASSED", ())
    assert "<error" not in Path("report/junit.xml").read_text()


def test_a_folder_that_cannot_be_written_is_found_before_the_work(
    command: Callable[..., Any], biased_file: str
) -> None:
    Path("taken").touch()
    for name in ("audit", "check", "sample"):
        ended = command(name, "none.py:f", "--out", "taken")
        assert ended.code == 2
        assert ended.err.startswith("specdec-verify: --out taken: ")
