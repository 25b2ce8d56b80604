"""A run's tables and figures as files: each written whole, or not at all."""

import os
from pathlib import Path

from specdec_reports import figures, render
from specdec_verification.results import Run

TABLES = {"report.md": render.markdown, "summary.csv": render.csv, "results.json": render.as_json}
"""From a file's name to what it is made with."""

FIGURES = {"acceptance.svg": figures.acceptance_svg, "acceptance.png": figures.acceptance_png}
"""The same, of a run whose efficiencies were measured."""


DETECTION = {"detection.svg": figures.detection_svg, "detection.png": figures.detection_png}
"""The same, of a run whose faults were put to every check."""


def write_reports(run: Run, folder: Path) -> list[Path]:
    """Write every table and figure of a run into a folder, which is made if need be.

    Raises
    ------
    OSError
        If the folder cannot be made, or a file not written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = {folder / name: make(run).encode() for name, make in TABLES.items()}
    if run.curves:
        files |= {folder / name: make(run) for name, make in FIGURES.items()}
    if run.detection:
        files |= {folder / name: make(run) for name, make in DETECTION.items()}
    for path, content in files.items():
        replace_file(path, content)
    return list(files)


def replace_file(path: Path, content: bytes) -> None:
    """Write a file under another name first, so that its own never holds half of it."""
    half = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        half.write_bytes(content)
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)
