"""`specdec-verify verify`: the rules through every check, and the correctness tables."""

import os
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from specdec_core.errors import InvalidParameterError
from specdec_core.rules import RULES
from specdec_verification.cli.console import EXIT_CODES, err, finish, out
from specdec_verification.results import Run, Verdict


def verify(
    profile: Annotated[str, typer.Option(help="How much to check: quick or full.")] = "quick",
    out_dir: Annotated[
        Path | None, typer.Option("--out", help="Write the correctness tables into this folder.")
    ] = None,
    only: Annotated[str | None, typer.Option(help="Run one cell, by its name.")] = None,
) -> None:
    """Run the rules through every check over generated instances, and write the tables."""
    from specdec_verification import plan
    from specdec_verification.efficiencies import with_efficiencies
    from specdec_verification.progress import progress
    from specdec_verification.runner import run_plan

    if profile not in plan.PROFILES:
        raise InvalidParameterError(
            f"profile {profile!r}, expected one of {', '.join(plan.PROFILES)}"
        )
    if out_dir is not None:
        if only is not None:
            raise InvalidParameterError("--out takes the tables of a whole run, not --only a cell")
        _require_writable(out_dir)
    chosen = plan.PROFILES[profile]
    sections = plan.plan(chosen)
    if only is not None:
        section, number = plan.cell(only, sections)
        finish(section.run(number))
    with progress(sections, err) as on_result:
        run = run_plan(sections, profile, plan.budget_of(chosen), on_result)
    _show_run(run)
    if out_dir is not None:
        if run.verdict is not Verdict.INCONCLUSIVE:  # an interrupted run has no time for more
            run = with_efficiencies(run, RULES, chosen.measured)
        _write_run(run, out_dir)
    raise typer.Exit(EXIT_CODES[run.verdict])


def _require_writable(folder: Path) -> None:
    """Make the folder before an hour of work finds out that it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidParameterError(f"--out {folder}: {error.strerror}") from None
    if not os.access(folder, os.W_OK):
        raise InvalidParameterError(f"--out {folder}: not writable")


def _write_run(run: Run, folder: Path) -> None:
    from specdec_reports.writing import write_reports

    try:
        paths = write_reports(run, folder)
    except OSError as error:
        raise InvalidParameterError(f"--out {folder}: {error.strerror}") from None
    for path in paths:
        out.print(f"wrote {path}")


def _show_run(run: Run) -> None:
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
