"""`specdec-verify verify`: the rules through every check, and the correctness tables."""

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from specdec_core.errors import InvalidParameterError
from specdec_core.rules import RULES
from specdec_verification.cli.console import EXIT_CODES, err, finish, out
from specdec_verification.cli.runs import require_writable, show_paths, show_run, write_into
from specdec_verification.results import Run, Verdict

LONG = 1000
"""Cells of a run that is shared out."""

if TYPE_CHECKING:  # the engine is imported by a run, not by the command's help
    from contextlib import AbstractContextManager

    from specdec_verification.plan import Plan
    from specdec_verification.workers import Workers


def verify(
    profile: Annotated[str, typer.Option(help="How much to check: quick or full.")] = "quick",
    out_dir: Annotated[
        Path | None, typer.Option("--out", help="Write the correctness tables into this folder.")
    ] = None,
    only: Annotated[str | None, typer.Option(help="Run one cell, by its name.")] = None,
    as_list: Annotated[bool, typer.Option("--list", help="List the sections, and stop.")] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Processes that share the cells; of a long run, one for every processor.",
            show_default=False,
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(help="A Dask scheduler, whose workers share the cells.", metavar="ADDRESS"),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(help="Keep a journal of finished cells here, and skip those that it has."),
    ] = None,
) -> None:
    """Run the rules through every check over generated instances, and write the tables."""
    from specdec_verification import plan
    from specdec_verification.cells import cell, run_cell
    from specdec_verification.contract import EXAMPLES
    from specdec_verification.detection import with_detection
    from specdec_verification.diagnosis.planted import with_diagnoses
    from specdec_verification.efficiencies import with_efficiencies
    from specdec_verification.prefix_counts import with_prefix_counts

    if profile not in plan.PROFILES:
        raise InvalidParameterError(
            f"profile {profile!r}, expected one of {', '.join(plan.PROFILES)}"
        )
    if out_dir is not None:
        if only is not None:
            raise InvalidParameterError("--out takes the tables of a whole run, not --only a cell")
        require_writable(out_dir)
    if resume is not None and only is not None:
        raise InvalidParameterError("--resume goes on with a whole run, not with --only a cell")
    if scheduler is not None and workers is not None:
        raise InvalidParameterError("--scheduler has workers of its own, expected no --workers")
    chosen = plan.PROFILES[profile]
    whole = plan.Plan(chosen, RULES, plan.plan(chosen))
    if as_list:
        for section in whole.sections:
            out.print(f"{section.name:55} {section.size:>7}")
        return
    if only is not None:
        finish(run_cell(*cell(only, whole.sections)))
    with _pool(workers or _processors(whole), scheduler) as pool:
        run = _run(whole, pool, resume)
    show_run(run)
    if out_dir is not None:
        if run.verdict is not Verdict.INCONCLUSIVE:  # an interrupted run has no time for more
            run = with_detection(with_efficiencies(run, RULES, chosen.measured))
            run = with_diagnoses(run, chosen.forms)
            run = with_prefix_counts(run, EXAMPLES)
        _write(run, out_dir)
    raise typer.Exit(EXIT_CODES[run.verdict])


def _processors(whole: "Plan") -> int:
    """Return how many processes pay: it takes them two seconds to start."""
    from specdec_verification.workers import usable_processors

    return usable_processors() if whole.size >= LONG else 1


def _pool(workers: int, scheduler: str | None) -> "AbstractContextManager[Workers | None]":
    """Return where cells are run, if not in this process."""
    from specdec_verification.cluster import cluster
    from specdec_verification.workers import processes

    if scheduler is not None:
        return cluster(scheduler)
    return nullcontext(processes(workers) if workers > 1 else None)


def _run(plan: "Plan", pool: "Workers | None", resume: Path | None) -> Run:
    from specdec_verification.journal import Journal
    from specdec_verification.progress import progress
    from specdec_verification.runner import run_plan

    kept = nullcontext() if resume is None else Journal(resume, plan)
    with kept as journal, progress(plan.sections, err) as on_result:
        return run_plan(plan, on_result, workers=pool, journal=journal)


def _write(run: Run, folder: Path) -> None:
    from specdec_reports.writing import report_files

    show_paths(write_into(folder, report_files(run)))
