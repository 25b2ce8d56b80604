"""A whole run, on the way out: what is printed of it, and what is written into a folder."""

import os
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

from specdec_core.errors import InvalidParameterError
from specdec_verification.cli.annotations import annotate
from specdec_verification.cli.console import out
from specdec_verification.results import Run, Verdict


def require_writable(folder: Path) -> None:
    """Make the folder before an hour of work finds out that it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidParameterError(f"--out {folder}: {error.strerror}") from None
    if not os.access(folder, os.W_OK):
        raise InvalidParameterError(f"--out {folder}: not writable")


def write_into(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Write the files of a run into the folder of ``--out``, and return their paths."""
    from specdec_reports.writing import write_files

    try:
        return write_files(folder, files)
    except OSError as error:
        raise InvalidParameterError(f"--out {folder}: {error.strerror}") from None


def show_run(run: Run) -> None:
    """Print what a person looks at first, and what a CI server shows beside the code."""
    from specdec_reports.render import text
    from specdec_reports.tables import verdict_frame

    for result in run.examples:
        out.print(f"{result.verdict} {result.labels.claim}: {result.detail}")
    out.print(text(verdict_frame(run.summary)))
    for result in run.exceptions:
        out.print(f"{result.verdict} {result.labels.subject}: {result.detail}")
        out.print(f"    {result.labels.reproduce}")
    for claim, results in groupby(run.trials, lambda result: result.labels.claim):
        verdicts = [result.verdict for result in results]
        out.print(f"{claim}: {verdicts.count(Verdict.PASSED)} of {len(verdicts)}")
    out.print(f"{run.instances} generated instances with their joint law found exactly")
    out.print(f"statistical checks: {run.budget}")
    out.print(f"{run.verdict}")
    annotate(run.exceptions)


def show_paths(paths: list[Path]) -> None:
    """Print what was written."""
    for path in paths:
        out.print(f"wrote {path}")
