"""A whole run, on the way out: what is printed of it, and what is written into a folder."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NoReturn

import typer

from specdec_core.errors import InvalidParameterError
from specdec_verification.cli.annotations import annotate
from specdec_verification.cli.console import EXIT_CODES, out, show_json, show_paths
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


def write_reports(folder: Path, run: Run) -> list[Path]:
    """Write every report of a run, figures too, into the folder of ``--out``."""
    from specdec_reports.writing import report_files

    return write_into(folder, report_files(run))


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


def end_run(run: Run, files: Sequence[Path], as_json: bool) -> NoReturn:
    """Print what was written, or the run as JSON, and exit with the code of its verdict."""
    if as_json:
        show_json(_record(run, files))
        annotate(run.exceptions)
    else:
        show_paths(files)
    raise typer.Exit(EXIT_CODES[run.verdict])


def _record(run: Run, files: Sequence[Path]) -> dict[str, object]:
    counts = Counter[str]()
    for row in run.summary:
        counts.update(passed=row.passed, failed=row.failed, inconclusive=row.inconclusive)
    return {
        "verdict": str(run.verdict),
        "version": run.version,
        "profile": run.profile,
        "budget": run.budget,
        "instances": run.instances,
        **{name: counts[name] for name in ("passed", "failed", "inconclusive")},
        "exceptions": len(run.exceptions),
        "files": list(map(str, files)),
    }
