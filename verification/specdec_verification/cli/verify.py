"""`specdec-verify verify`: the rules through every check, and the correctness tables."""

from collections.abc import Mapping
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from specdec_core.errors import InvalidParameterError
from specdec_core.rules import RULES
from specdec_verification.cli.console import AsJson, err, finish, out
from specdec_verification.cli.runs import end_run, require_writable, show_run, write_reports
from specdec_verification.results import CheckResult, Run, Verdict

LONG = 1000
"""Cells of a run that is shared out."""

if TYPE_CHECKING:  # the engine is imported by a run, not by the command's help
    from contextlib import AbstractContextManager

    from specdec_verification.limits import Limits
    from specdec_verification.plan import Plan, Section
    from specdec_verification.profiles import Profile
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
    instances: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Random instances of each rule whose law is found.",
            show_default="the profile's",
        ),
    ] = None,
    cell_seconds: Annotated[
        float | None,
        typer.Option(
            help="What a cell may take; one that takes more is inconclusive.",
            metavar="SECONDS",
            show_default="no limit",
        ),
    ] = None,
    cell_memory: Annotated[
        float | None,
        typer.Option(
            help="What a cell may add to its process; likewise.",
            metavar="MIB",
            show_default="no limit",
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(help="Keep a journal of finished cells here, and skip those that it has."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run the rules through every check over generated instances, and write the tables."""
    from specdec_verification import plan
    from specdec_verification.cells import cell
    from specdec_verification.limits import Limits

    chosen = _profile(profile, instances)
    if only is not None:
        _refuse_of_one_cell({"--out": out_dir, "--resume": resume, "--scheduler": scheduler})
    if out_dir is not None:
        require_writable(out_dir)
    if scheduler is not None and workers is not None:
        raise InvalidParameterError("--scheduler has workers of its own, expected no --workers")
    limits = Limits(cell_seconds, cell_memory)
    whole = plan.Plan(chosen, RULES, plan.plan(chosen))
    if as_list:
        for section in whole.sections:
            out.print(f"{section.name:55} {section.size:>7}")
        return
    if only is not None:
        finish(_alone(*cell(only, whole.sections), limits), as_json)
    with _pool(workers or _processors(whole), scheduler, limits) as pool:
        run = _run(whole, pool, resume)
    _tell_of_an_interrupt(run, whole, resume)
    if not as_json:
        show_run(run)
    files = [] if out_dir is None else write_reports(out_dir, _measured(run, whole))
    end_run(run, files, as_json)


def _refuse_of_one_cell(options: Mapping[str, object]) -> None:
    for option, value in options.items():
        if value is not None:
            raise InvalidParameterError(f"{option} is of a whole run, not of --only a cell")


def _tell_of_an_interrupt(run: Run, whole: "Plan", resume: Path | None) -> None:
    """Say how far a run came that is not whole, and how the next one need not begin anew."""
    made = sum(row.instances for row in run.summary) + len(run.examples) + len(run.trials)
    if made < whole.size:
        rest = f"--resume {resume or 'FILE'} {'goes on from here' if resume else 'keeps them'}"
        err.print(f"interrupted: {made} of {whole.size} checks were made; {rest}")


def _measured(run: Run, whole: "Plan") -> Run:
    """Return a run with what is measured and looked at beside it; Ctrl-C leaves that out.

    An interrupted run has no time for more, nor has one whose user sees that it has ended.
    """
    from specdec_verification.contract import EXAMPLES
    from specdec_verification.detection import with_detection
    from specdec_verification.diagnosis.planted import with_diagnoses
    from specdec_verification.efficiencies import with_efficiencies
    from specdec_verification.pictures import with_plan
    from specdec_verification.prefix_counts import with_prefix_counts

    if run.verdict is not Verdict.INCONCLUSIVE:
        with suppress(KeyboardInterrupt):
            run = with_plan(with_prefix_counts(run, EXAMPLES), whole, EXAMPLES)
            run = with_efficiencies(run, RULES, whole.profile.measured)
            run = with_diagnoses(with_detection(run), whole.profile.forms)
    return run


def _profile(name: str, instances: int | None) -> "Profile":
    """Return a profile by its name, with another number of random instances if there is one."""
    from specdec_verification.profiles import PROFILES

    if name not in PROFILES:
        raise InvalidParameterError(f"profile {name!r}, expected one of {', '.join(PROFILES)}")
    if instances is None:
        return PROFILES[name]
    # So the line that reproduces a cell has what it takes to find it.
    return replace(PROFILES[name], name=f"{name} --instances {instances}", random=instances)


def _processors(whole: "Plan") -> int:
    """Return how many processes pay: it takes them two seconds to start."""
    from specdec_verification.workers import usable_processors

    return usable_processors() if whole.size >= LONG else 1


def _alone(section: "Section", number: int, limits: "Limits") -> CheckResult:
    """Run one cell in this process, or in another that its limits can end."""
    from specdec_verification.cells import run_cell
    from specdec_verification.limits import UNLIMITED
    from specdec_verification.units import Unit
    from specdec_verification.workers import finish_units, processes

    if limits == UNLIMITED:
        return run_cell(section, number)
    unit = Unit(0, section, range(number, number + 1))
    ((result,),) = (one.results for one in finish_units(iter((unit,)), processes(1, limits)))
    return result


def _pool(
    workers: int, scheduler: str | None, limits: "Limits"
) -> "AbstractContextManager[Workers | None]":
    """Return where cells are run, if not in this process, which no limit may end."""
    from specdec_verification.cluster import cluster
    from specdec_verification.limits import UNLIMITED
    from specdec_verification.workers import processes

    if scheduler is not None:
        return cluster(scheduler, limits)
    here = workers == 1 and limits == UNLIMITED
    return nullcontext(None if here else processes(workers, limits))


def _run(plan: "Plan", pool: "Workers | None", resume: Path | None) -> Run:
    from specdec_verification.journal import Journal
    from specdec_verification.progress import progress
    from specdec_verification.runner import run_plan

    kept = nullcontext() if resume is None else Journal(resume, plan)
    with kept as journal, progress(plan.sections, err) as on_result:
        return run_plan(plan, on_result, workers=pool, journal=journal)
