"""A run's reports from its JSON: the same as the run's own, and refusals in one line."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specdec_reports.documents import as_json
from specdec_reports.writing import TABLES
from specdec_verification.contract import binary_single_path, check_example
from specdec_verification.prefix_counts import prefix_counts
from specdec_verification.results import Evidence, Run, SummaryRow, Verdict


@pytest.fixture
def results(command: Callable[..., Any]) -> str:
    """Return the file of a run that failed."""
    example = binary_single_path()._replace(counts={(0,): 2501, (1,): 7499})
    failed = check_example(example, "specdec-verify verify --only contract/0")
    row = SummaryRow("exact_law", "a_rule", "lossless", "V=2", Evidence.EXACT_LAW, 3, 2, 1, 0, 9, 1)
    run = Run("0.1.0", "tiny", Verdict.FAILED, "none", 3, (row,), (failed,), (), (failed,))
    run = replace(run, prefix_counts=prefix_counts(example))
    Path("results.json").write_text(as_json(run), encoding="utf-8")
    return "results.json"


def test_a_run_writes_what_its_results_write_again(command: Callable[..., Any], few: None) -> None:
    first = command("verify", "--profile", "tiny", "--out", "first")
    again = command("report", "first/results.json", "--out", "again")
    assert (again.code, again.err) == (0, "")
    tables = [f"wrote again/{name}" for name in TABLES]
    assert again.out.splitlines()[-len(tables) :] == tables
    assert first.out.startswith(again.out.partition("wrote ")[0])
    for name in TABLES:
        assert Path("first", name).read_bytes() == Path("again", name).read_bytes(), name


def test_the_exit_code_is_the_runs_and_failures_are_told_again(
    command: Callable[..., Any], results: str
) -> None:
    ended = command("report", results)
    assert (ended.code, ended.err) == (1, "")
    assert "    specdec-verify verify --only contract/0" in ended.out.splitlines()
    assert [path.name for path in Path().iterdir()] == ["results.json"]


def test_figures_are_written_if_they_are_asked_for(
    command: Callable[..., Any], results: str
) -> None:
    ended = command("report", results, "--out", "report", "--json")
    record = json.loads(ended.out)
    assert (record["verdict"], record["passed"], record["failed"]) == ("FAILED", 2, 1)
    assert [Path(name).name for name in record["files"]] == list(TABLES)
    drawn = json.loads(command("report", results, "--out", "drawn", "--figures", "--json").out)
    assert [Path(name).name for name in drawn["files"]] == [*TABLES, "prefixes.svg", "prefixes.png"]
    refused = command("report", results, "--figures")
    assert refused.code == 2
    assert refused.has_one_error_line


def test_on_github_a_failure_is_said_beside_the_code(
    command: Callable[..., Any], results: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    ended = command("report", results, "--json")
    assert ended.err.startswith(
        "::error title=FAILED%3A token_rejection%2C contract::counted [2500"
    )
    assert ended.err.endswith("%0Aspecdec-verify verify --only contract/0\n")
    assert json.loads(ended.out)["exceptions"] == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file or directory"),
        (b"\xff", "not UTF-8"),
        (b"{", "not JSON: "),
        (b'{"schema_version": 1}', "schema_version is 1, expected 3"),
        (b'{"schema_version": 3}', "key 'version' is missing"),
    ],
)
def test_what_is_no_run_is_refused(
    command: Callable[..., Any], content: bytes | None, message: str
) -> None:
    if content is not None:
        Path("results.json").write_bytes(content)
    ended = command("report", "results.json", "--out", "report")
    assert ended.code == 2
    assert ended.has_one_error_line
    assert f"results.json: {message}" in ended.err
    assert not Path("report").exists()
