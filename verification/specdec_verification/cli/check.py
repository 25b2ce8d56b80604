"""`specdec-verify check`: a rule of one's own on generated instances, or a file of outcomes."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from specdec_core.errors import InvalidParameterError
from specdec_verification.cli.console import EXACT, AsJson, OutDir, finish, out
from specdec_verification.cli.runs import require_writable, write_reports
from specdec_verification.results import Verdict, worst
from specdec_verification.summaries import run_of

if TYPE_CHECKING:  # imported by the command itself: the others start without
    from specdec_core.rules import Rule
    from specdec_verification.conformance import Checked


def check(
    rule: Annotated[
        str,
        typer.Argument(
            help="A rule, a class of one, or outcomes.", metavar="FILE.py:RULE|OUTCOMES"
        ),
    ],
    instances: Annotated[
        int | None, typer.Option(help="Of a rule: generated instances to check.", min=1)
    ] = None,
    instance: Annotated[
        Path | None, typer.Option(help="Of outcomes: what they were drawn on, as JSON.")
    ] = None,
    tv: Annotated[
        float, typer.Option(help="Of outcomes: the total variation that a pass rules out.")
    ] = 0.01,
    seed: Annotated[
        int, typer.Option(help="Of outcomes: of the draws that complete them.", min=0)
    ] = 0,
    out_dir: OutDir = None,
    as_json: AsJson = False,
) -> None:
    """Check a rule of your own on generated instances, or outcomes that were drawn elsewhere.

    A rule by its exact law and exact counts; a file of outcomes (JSONL, CSV, NPZ, Parquet) by its
    e-value against the joint law of the target.
    """
    from specdec_verification.cli.outcomes import OutcomeFile, check_file
    from specdec_verification.conformance import instances_for, load_rule
    from specdec_verification.outcomes.reading import FORMATS, is_outcome_file

    if out_dir is not None:
        require_writable(out_dir)
    if is_outcome_file(Path(rule)):
        if instances is not None:
            raise InvalidParameterError("--instances is of a rule: outcomes were drawn on one")
        check_file(OutcomeFile(Path(rule), instance, tv, seed), out_dir, as_json)
    if ":" not in rule:
        raise InvalidParameterError(
            f"{rule!r}: expected FILE.py:RULE, or outcomes in a file that ends in "
            f"{', '.join(FORMATS)}"
        )
    if instance is not None:
        raise InvalidParameterError("--instance is of outcomes: a rule is checked on --instances")
    found = load_rule(rule)
    size = instances_for(found) if instances is None else instances
    line = shlex.join(("specdec-verify", "check", rule, "--instances", str(size)))
    checked = _checked(found, size, line)
    results = [result for one in checked for result in one.results]
    verdict = worst([result.verdict for result in results])
    if not as_json:
        passed = sum(result.verdict is Verdict.PASSED for result in results)
        out.print(f"{passed} of {len(results)} checks passed; the first that decided:")
    result = next(result for result in results if result.verdict is verdict)
    files = [] if out_dir is None else _reports(found, checked, out_dir)
    finish(result, as_json, files=files)


def _reports(rule: "Rule[Any]", checked: "Sequence[Checked]", folder: Path) -> list[Path]:
    """Write the reports, with the round of the instance that is looked at."""
    from specdec_verification.pictures import looked_at, with_round

    results = [result for one in checked for result in one.results]
    run, shown = run_of(results, "check", EXACT), looked_at(results)
    if shown.verdict is not Verdict.INCONCLUSIVE:  # what did not end would not end here either
        where = next(one.instance for one in checked if shown in one.results)
        run = with_round(run, rule, where, shown.labels)
    return write_reports(folder, run)


def _checked(rule: "Rule[Any]", instances: int, line: str) -> "list[Checked]":
    """Return what was found of each instance; the last is inconclusive after an interrupt."""
    from specdec_grids.generated import RandomInstances
    from specdec_verification.conformance import Checked, check_each, labels_of
    from specdec_verification.interrupts import interrupted, until_interrupted

    def instead(made: int) -> Checked:
        number = min(made, instances - 1)
        instance = RandomInstances(rule, instances)[number]
        return Checked(instance, (interrupted(labels_of(rule, instance, number, line)),))

    return list(until_interrupted(check_each(rule, instances, line), instead))
