"""The command `specdec-verify`, and the one place where everything is put together.

Exit codes: 0 all passed, 1 some failed, 2 usage or bad input, 3 inconclusive.
"""

import json
import os
import sys
from itertools import groupby
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from specdec_core.errors import InvalidParameterError, SpecdecError
from specdec_core.instances import read_instance
from specdec_core.models import context_key
from specdec_core.rules import RULES, rule_named
from specdec_verification.results import CheckResult, Labels, Run, Verdict

EXIT_CODES = {Verdict.PASSED: 0, Verdict.FAILED: 1, Verdict.INCONCLUSIVE: 3}
BAD_INPUT = 2
SHOWN_FIRST = ("verdict", "total_variation", "detail")

app = typer.Typer(
    name="specdec-verify",
    help="Tell whether speculative decoding emits its target model's law.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
out = Console(soft_wrap=True, highlight=False)
err = Console(stderr=True, soft_wrap=True, highlight=False)

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
    from specdec_reports.writing import write_reports
    from specdec_verification import plan
    from specdec_verification.progress import progress
    from specdec_verification.runner import run_plan

    if profile not in plan.PROFILES:
        raise InvalidParameterError(
            f"profile {profile!r}, expected one of {', '.join(plan.PROFILES)}"
        )
    if out_dir is not None:
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
        for path in write_reports(run, out_dir):
            out.print(f"wrote {path}")
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
        out.print_json(json.dumps(document))
        return
    for tokens in sorted(found.emitted):
        prob = found.emitted[tokens]
        out.print(f"{context_key(tokens):16} {prob!s:>12}  {float(prob):.6f}")
    out.print(f"expected accepted: {document['expected_accepted']}")
    out.print(f"total variation from the target: {found.total_variation}, {found.paths} paths")


@app.command()
def audit(
    program: Annotated[
        str, typer.Argument(help="A function of (instance, draws).", metavar="FILE.py:NAME")
    ],
    instance: Annotated[Path, typer.Option(help="An instance as JSON.", metavar="FILE.json")],
    max_paths: Annotated[int, typer.Option(help="Stop after so many paths.", min=1)] = 1_000_000,
    as_json: AsJson = False,
) -> None:
    """Find the exact law of a Python program that takes draws, and compare it with the target's."""
    from specdec_verification.audit import audit_program, load_program

    case = read_instance(instance)
    labels = Labels(
        subject=program,
        claim="lossless",
        instance=str(instance),
        parameters=case.label,
        reproduce=f"specdec-verify audit {program} --instance {instance} --max-paths {max_paths}",
    )
    result = audit_program(load_program(program), case, labels, max_paths=max_paths)
    _finish(result, as_json)


@app.command()
def rules(as_json: AsJson = False) -> None:
    """List the rules, with what each claims and where it was published."""
    if as_json:
        fields = ("name", "lossless", "reference")
        listed = [{field: getattr(rule, field) for field in fields} for rule in RULES]
        out.print_json(json.dumps(listed))
        return
    for rule in RULES:
        claim = "lossless" if rule.lossless else "lossy"
        out.print(f"{rule.name:32} {claim:9} {rule.reference}")


def main() -> NoReturn:
    """Run the command; bad input is one line on standard error, and exit code 2."""
    try:
        app()
    except SpecdecError as error:
        err.print(f"specdec-verify: {error}", style="red", markup=False)
        sys.exit(BAD_INPUT)
    except BrokenPipeError:  # the reader has gone, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(BAD_INPUT)
    raise AssertionError("typer exits by itself")


def _require_writable(folder: Path) -> None:
    """Make the folder before an hour of work finds out that it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidParameterError(f"--out {folder}: {error.strerror}") from None
    if not os.access(folder, os.W_OK):
        raise InvalidParameterError(f"--out {folder}: not writable")


def _show_run(run: Run) -> None:
    from specdec_reports.render import text
    from specdec_reports.tables import overview_frame

    for result in run.examples:
        out.print(f"{result.verdict} {result.labels.claim}: {result.detail}")
    out.print(text(overview_frame(run.summary)))
    for result in run.exceptions:
        out.print(f"{result.verdict} {result.labels.subject}: {result.detail}")
        out.print(f"    {result.labels.reproduce}")
    for claim, results in groupby(run.trials, lambda result: result.labels.claim):
        verdicts = [result.verdict for result in results]
        out.print(f"{claim}: {verdicts.count(Verdict.PASSED)} of {len(verdicts)}")
    out.print(f"{run.instances} generated instances with their joint law found exactly")
    out.print(f"statistical checks: {run.budget}")
    out.print(f"{run.verdict}")


def _finish(result: CheckResult, as_json: bool = False) -> NoReturn:
    """Print one result, and exit with its code."""
    from specdec_reports.columns import RESULT
    from specdec_reports.tables import result_record

    record = result_record(result)
    if as_json:
        out.print_json(json.dumps(record))
    else:
        for name in sorted(record, key=SHOWN_FIRST.__contains__, reverse=True):
            if record[name] != "":
                out.print(f"{RESULT[name]:22} {record[name]}")
    raise typer.Exit(EXIT_CODES[result.verdict])


if __name__ == "__main__":
    main()
