"""The command `specdec-verify`, and the one place where everything is put together.

Exit codes: 0 all passed, 1 some failed, 2 usage or bad input, 3 inconclusive.
"""

import json
import math
import os
import shlex
import sys
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from specdec_core.errors import InvalidParameterError, SpecdecError
from specdec_core.instances import read_instance
from specdec_core.models import context_key
from specdec_core.rules import RULES, rule_named
from specdec_verification.results import CheckResult, Labels, Run, Verdict, worst

EXIT_CODES = {Verdict.PASSED: 0, Verdict.FAILED: 1, Verdict.INCONCLUSIVE: 3}
BAD_INPUT = 2
SHOWN_FIRST = ("verdict", "total_variation", "detail")

app = typer.Typer(
    name="specdec-verify",
    help="Tell whether speculative decoding emits its target model's law.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


class Stream(Console):
    """Plain text, as it comes: what looks like markup in a message is a part of it."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, soft_wrap=True, highlight=False, markup=False, emoji=False)

    def on_broken_pipe(self) -> None:
        """Go on when the reader has gone, as with ``| head``: the verdict and the files stand."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())


out = Stream()
err = Stream(stderr=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")]
InstanceFile = Annotated[Path, typer.Argument(help="An instance as JSON.", metavar="INSTANCE.json")]


@app.command()
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
        _finish(section.run(number))
    with progress(sections, err) as on_result:
        run = run_plan(sections, profile, plan.budget_of(chosen), on_result)
    _show_run(run)
    if out_dir is not None:
        if run.verdict is not Verdict.INCONCLUSIVE:  # an interrupted run has no time for more
            run = with_efficiencies(run, RULES, chosen.measured)
        _write_run(run, out_dir)
    raise typer.Exit(EXIT_CODES[run.verdict])


@app.command()
def law(
    instance: InstanceFile,
    rule: Annotated[str, typer.Option(help="A rule's name; `rules` lists them.")],
    as_json: AsJson = False,
) -> None:
    """Print the exact law of one round of a rule."""
    from specdec_verification.round_laws import round_law

    found = round_law(rule_named(rule), read_instance(instance))
    document = found.as_document()
    if as_json:
        _show_json(document)
        return
    for tokens in sorted(found.emitted):
        prob = found.emitted[tokens]
        exact = str(prob) if prob.denominator < 10**6 else ""
        out.print(f"{context_key(tokens):16} {exact:>12}  {float(prob):.6f}")
    out.print(f"expected accepted: {document['expected_accepted']}")
    out.print(f"total variation from the target: {found.total_variation}, {found.paths} paths")
    if found.rounding_bound:
        out.print(f"rounding alone can make {float(found.rounding_bound):.3g}")


@app.command()
def audit(
    program: Annotated[
        str,
        typer.Argument(help="A function of an instance, or transformers.", metavar="FILE.py:NAME"),
    ],
    instance: Annotated[
        Path | None, typer.Option(help="An instance as JSON.", metavar="FILE.json")
    ] = None,
    case: Annotated[str | None, typer.Option(help="One of the chosen instances alone.")] = None,
    max_paths: Annotated[int, typer.Option(help="Stop after so many paths.", min=1)] = 1_000_000,
    max_seconds: Annotated[float, typer.Option(help="Stop after so many seconds.")] = math.inf,
    as_json: AsJson = False,
) -> None:
    """Find the exact law of what a function emits, and compare it with its target's.

    It takes an instance, and draws from `random` or numpy as it always does, or from the `draws` or
    `rng` that it names as its second parameter.  Without an instance, several are chosen.
    """
    from specdec_verification.audit import load_program
    from specdec_verification.subjects.built_in import BUILT_IN

    if program in BUILT_IN:
        _audit_built_in(program, case, as_json)
    from specdec_verification.subjects.auditing import audit_cases, case_named
    from specdec_verification.subjects.cases import Case, cases
    from specdec_verification.subjects.exact import Execution
    from specdec_verification.subjects.watching import watching

    if instance is not None:
        chosen: Iterable[Case] = [Case(str(instance), read_instance(instance))]
    else:
        chosen = cases() if case is None else [case_named(case)]
    option = "--case" if instance is None else "--instance"

    def labels(case: Case | None) -> Labels:
        which = () if case is None else (option, case.name)
        command = ("specdec-verify", "audit", program, *which, "--max-paths", str(max_paths))
        name, sizes = ("chosen", "") if case is None else (case.name, case.instance.label)
        return Labels(program, "lossless", name, sizes, shlex.join(command))

    emit = load_program(program)
    with watching(err) as watch:
        execution = Execution(max_paths, max_seconds, watch=watch)
        result = audit_cases(emit, chosen, labels, execution)
    _finish(result, as_json)


@app.command()
def check(
    rule: Annotated[str, typer.Argument(help="A rule, or a class of one.", metavar="FILE.py:RULE")],
    instances: Annotated[
        int | None, typer.Option(help="Generated instances to check.", min=1)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a rule of your own on generated instances: its exact law, and exact counts."""
    from specdec_verification.conformance import check_rule, instances_for, load_rule

    found = load_rule(rule)
    size = instances_for(found) if instances is None else instances
    line = shlex.join(("specdec-verify", "check", rule, "--instances", str(size)))
    results = check_rule(found, instances=size, reproduce=line)
    verdict = worst([result.verdict for result in results])
    if not as_json:
        passed = sum(result.verdict is Verdict.PASSED for result in results)
        out.print(f"{passed} of {len(results)} checks passed; the first that decided:")
    _finish(next(result for result in results if result.verdict is verdict), as_json)


@app.command()
def subjects(as_json: AsJson = False) -> None:
    """List the libraries whose randomness is followed, and what each needs."""
    from specdec_verification.subjects.libraries import listed

    libraries = listed()
    if as_json:
        _show_json([library._asdict() for library in libraries])
        return
    for library in libraries:
        state = "installed" if library.installed else f"needs {library.needs}"
        out.print(f"{library.name:10} {state:14} {library.understood}")


@app.command()
def rules(as_json: AsJson = False) -> None:
    """List the rules, with what each claims and where it was published."""
    if as_json:
        fields = ("name", "lossless", "reference")
        listed = [{field: getattr(rule, field) for field in fields} for rule in RULES]
        _show_json(listed)
        return
    for rule in RULES:
        claim = "lossless" if rule.lossless else "lossy"
        out.print(f"{rule.name:32} {claim:9} {rule.reference}")


def main() -> NoReturn:
    """Run the command; bad input is one line on standard error, and exit code 2."""
    try:
        app()
    except SpecdecError as error:
        err.print(f"specdec-verify: {error}", style="red")
    sys.exit(BAD_INPUT)  # where nothing was raised, the application has exited by itself


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


def _show_json(document: object) -> None:
    """Print JSON without colour, whatever the terminal or FORCE_COLOR asks for."""
    out.out(json.dumps(document, indent=2), highlight=False)


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


def _audit_built_in(subject: str, case: str | None, as_json: bool) -> NoReturn:
    """Audit published code that this package has cases for, and exit with the worst verdict."""
    from specdec_reports.tables import result_record
    from specdec_verification.subjects.built_in import cases_of

    results = []
    for one in cases_of(subject, case):
        results.append(one.check())
        if not as_json:
            out.print(f"{results[-1].verdict} {one.name}: {results[-1].detail}")
    if as_json:
        _show_json([result_record(result) for result in results])
    raise typer.Exit(EXIT_CODES[worst([result.verdict for result in results])])


def _finish(result: CheckResult, as_json: bool = False) -> NoReturn:
    """Print one result, and exit with its code."""
    from specdec_reports.columns import RESULT
    from specdec_reports.tables import result_record

    record = result_record(result)
    if as_json:
        _show_json(record)
    else:
        for name in sorted(record, key=SHOWN_FIRST.__contains__, reverse=True):
            if record[name] != "":
                out.print(f"{RESULT[name]:22} {record[name]}")
    raise typer.Exit(EXIT_CODES[result.verdict])


if __name__ == "__main__":
    main()
