"""A run's tables and figures as files: each written whole, or not at all."""

import os
from collections.abc import Mapping
from pathlib import Path

from specdec_reports import render
from specdec_reports.documents import as_json
from specdec_reports.figures import drawings
from specdec_reports.figures.drawing import png, svg
from specdec_reports.junit import junit
from specdec_reports.latex import latex
from specdec_reports.page import page
from specdec_verification.results import Run

TABLES = {
    "report.md": render.markdown,
    "summary.csv": render.csv,
    "results.json": as_json,
    "tables.tex": latex,
    "junit.xml": junit,
    "report.html": page,
}
"""From a file's name to what it is made with."""


def report_files(run: Run) -> dict[str, bytes]:
    """Return every report of a run, tables and figures, by its file's name."""
    return table_files(run) | figure_files(run)


def table_files(run: Run) -> dict[str, bytes]:
    """Return every report but the figures, by its file's name."""
    return {name: make(run).encode() for name, make in TABLES.items()}


def figure_files(run: Run) -> dict[str, bytes]:
    """Return the figures of what there is, each as SVG and as PNG, by their files' names."""
    files = {}
    for drawing in drawings(run):
        files[f"{drawing.name}.svg"] = svg(drawing)
        files[f"{drawing.name}.png"] = png(drawing)
    return files


def write_files(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Write files into a folder, which is made if need be, and return their paths.

    Raises
    ------
    OSError
        If the folder cannot be made, or a file not written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        replace_file(folder / name, content)
    return [folder / name for name in files]


def replace_file(path: Path, content: bytes) -> None:
    """Write a file under another name first, so that its own never holds half of it."""
    half = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        half.write_bytes(content)
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)
