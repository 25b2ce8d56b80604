"""Workflow commands: the file that a subject is in, and nothing that would end the line."""

from dataclasses import replace
from pathlib import Path

import pytest

from specdec_core.rules import token_rejection
from specdec_verification.cli.annotations import annotate, annotation
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict

RESULT = CheckResult(
    check="exact_law",
    labels=Labels("src/a,b.py:verify", "lossless", "random/1", "V=2", "specdec-verify audit x"),
    verdict=Verdict.FAILED,
    evidence=Evidence.EXACT_LAW,
    total_variation=None,
    size=1,
    detail="100%\nwrong: a, b",
)


def named(subject: str) -> CheckResult:
    return replace(RESULT, labels=replace(RESULT.labels, subject=subject))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_failure_is_shown_at_its_file(folder: Path) -> None:
    (folder / "src").mkdir()
    (folder / "src" / "a,b.py").touch()
    assert annotation(RESULT) == (
        "::error file=src/a%2Cb.py,title=FAILED%3A src/a%2Cb.py%3Averify%2C exact_law::"
        "100%25%0Awrong: a, b%0Aspecdec-verify audit x"
    )


def test_a_rule_is_shown_where_it_is_defined(monkeypatch: pytest.MonkeyPatch) -> None:
    assert annotation(named("token_rejection")).startswith("::error title=")  # not of this folder
    source = Path(str(token_rejection.__file__))
    monkeypatch.chdir(source.parents[2])
    file = "specdec_core/rules/token_rejection.py"
    assert annotation(named("token_rejection")).startswith(f"::error file={file},title=")


def test_a_file_that_is_not_there_is_not_named() -> None:
    for subject in ("src/gone.py:verify", "my kernel", "/etc/passwd:x", ":"):
        assert "file=" not in annotation(named(subject))


@pytest.mark.parametrize(("there", "lines"), [("true", 2), ("", 0)])
def test_only_what_did_not_pass_and_only_on_github(
    there: str, lines: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", there)
    verdicts = (Verdict.PASSED, Verdict.FAILED, Verdict.INCONCLUSIVE)
    annotate([replace(RESULT, verdict=verdict) for verdict in verdicts])
    written = capsys.readouterr()
    assert (written.out, written.err.count("\n")) == ("", lines)
    assert written.err.count("::warning ") == written.err.count("::error ") == lines // 2
