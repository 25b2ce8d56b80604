"""Files: each written whole, or left as it was."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from specdec_reports import render, writing
from specdec_reports.writing import (
    TABLES,
    figure_files,
    replace_file,
    report_files,
    table_files,
    write_files,
)
from specdec_verification.results import Run


def test_every_table_is_written_and_named(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "report"
    assert write_files(folder, report_files(run)) == [folder / name for name in TABLES]
    assert (folder / "report.md").read_text(encoding="utf-8") == render.markdown(run)
    assert (folder / "summary.csv").read_text(encoding="utf-8") == render.csv(run)
    assert json.loads((folder / "results.json").read_text(encoding="utf-8"))["profile"] == "tiny"
    assert sorted(path.name for path in folder.iterdir()) == sorted(TABLES)


def test_an_older_report_is_replaced(run: Run, empty: Run, tmp_path: Path) -> None:
    write_files(tmp_path, table_files(run))
    write_files(tmp_path, table_files(empty))
    assert (tmp_path / "report.md").read_text(encoding="utf-8") == render.markdown(empty)


def test_nothing_is_written_if_one_table_cannot_be_made(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(run: Run) -> str:
        raise ZeroDivisionError

    monkeypatch.setitem(writing.TABLES, "results.json", fail)
    with pytest.raises(ZeroDivisionError):
        write_files(tmp_path, table_files(run))
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails_half_way_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.md"
    path.write_text("old", encoding="utf-8")

    def write_half(half: Path, content: bytes) -> None:
        with half.open("wb") as file:
            file.write(content[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", write_half)
    with pytest.raises(OSError, match="No space left on device"):
        replace_file(path, b"new text")
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_never_open_under_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[Path] = []
    write_bytes = Path.write_bytes

    def spied(path: Path, content: bytes) -> int:
        written.append(path)
        return write_bytes(path, content)

    monkeypatch.setattr(Path, "write_bytes", spied)
    path = tmp_path / "report.md"
    replace_file(path, b"text")
    assert path.read_text(encoding="utf-8") == "text"
    assert path not in written


def test_a_name_that_is_taken_by_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "report.md").mkdir()
    with pytest.raises(IsADirectoryError):
        replace_file(tmp_path / "report.md", b"text")
    assert [path.name for path in tmp_path.iterdir()] == ["report.md"]


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "report").touch()
    with pytest.raises(FileExistsError):
        write_files(tmp_path / "report", {"report.md": b""})


def test_text_is_written_as_utf_8(run: Run) -> None:
    assert "γ × 2".encode() in table_files(replace(run, budget="γ × 2"))["report.md"]


def test_figures_are_written_in_both_forms(run: Run, whole: Run) -> None:
    assert figure_files(run) == {}
    drawn = figure_files(replace(run, curves=whole.curves))
    assert list(drawn) == ["acceptance.svg", "acceptance.png"]
    assert drawn["acceptance.svg"].startswith(b"<?xml")
    assert drawn["acceptance.png"].startswith(b"\x89PNG")
