"""A run's tables and figures as files: each written whole, or not at all."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from specdec_reports import figures, render
from specdec_reports.documents import as_json
from specdec_reports.junit import junit
from specdec_reports.latex import latex
from specdec_reports.page import page
from specdec_verification.results import Run

Figures: TypeAlias = Mapping[str, Callable[[Run], bytes]]

TABLES = {
    "report.md": render.markdown,
    "summary.csv": render.csv,
    "results.json": as_json,
    "tables.tex": latex,
    "junit.xml": junit,
    "report.html": page,
}
"""From a file's name to what it is made with."""

FIGURES: Final[Figures] = {
    "acceptance.svg": figures.acceptance_svg,
    "acceptance.png": figures.acceptance_png,
}
"""The same, of a run whose efficiencies were measured."""

DETECTION: Final[Figures] = {
    "detection.svg": figures.detection_svg,
    "detection.png": figures.detection_png,
}
"""The same, of a run whose faults were put to every check."""

PREFIXES: Final[Figures] = {"prefixes.svg": figures.prefix_svg, "prefixes.png": figures.prefix_png}
"""The same, of a run whose examples were counted by prefix."""


def report_files(run: Run) -> dict[str, bytes]:
    """Return every report of a run, tables and figures, by its file's name."""
    return table_files(run) | figure_files(run)


def table_files(run: Run) -> dict[str, bytes]:
    """Return every report but the figures, by its file's name."""
    return {name: make(run).encode() for name, make in TABLES.items()}


def figure_files(run: Run) -> dict[str, bytes]:
    """Return the figures of what there is, by their files' names."""
    made = (FIGURES, run.curves), (DETECTION, run.detection), (PREFIXES, run.prefix_counts)
    there = [makers for makers, measured in made if measured]
    return {name: make(run) for makers in there for name, make in makers.items()}


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
