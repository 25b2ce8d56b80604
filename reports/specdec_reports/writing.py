"""A run's tables as files: each written whole, or not at all."""

import os
from pathlib import Path

from specdec_reports import render
from specdec_verification.results import Run

FILES = {"report.md": render.markdown, "summary.csv": render.csv, "results.json": render.as_json}
"""From a file's name to what it is made with."""


def write_reports(run: Run, folder: Path) -> list[Path]:
    """Write every table of a run into a folder, which is made if need be.

    Raises
    ------
    OSError
        If the folder cannot be made, or a file not written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    texts = {folder / name: make(run) for name, make in FILES.items()}
    for path, text in texts.items():
        replace_text(path, text)
    return list(texts)


def replace_text(path: Path, text: str) -> None:
    """Write a file under another name first, so that its own never holds half of it."""
    half = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        half.write_text(text, encoding="utf-8")
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)
