"""`specdec-verify check`: a rule of one's own on generated instances, or a file of outcomes."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from specdec_core.errors import InvalidParameterError
from specdec_verification.cli.console import AsJson, finish, out
from specdec_verification.results import Verdict, worst


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
    as_json: AsJson = False,
) -> None:
    """Check a rule of your own on generated instances, or outcomes that were drawn elsewhere.

    A rule by its exact law and exact counts; a file of outcomes (JSONL, CSV, NPZ, Parquet) by its
    e-value against the joint law of the target.
    """
    from specdec_verification.cli.outcomes import check_file
    from specdec_verification.conformance import check_rule, instances_for, load_rule
    from specdec_verification.outcomes.reading import FORMATS, is_outcome_file

    if is_outcome_file(Path(rule)):
        if instances is not None:
            raise InvalidParameterError("--instances is of a rule: outcomes were drawn on one")
        check_file(Path(rule), instance, tv, seed, as_json)
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
    results = check_rule(found, instances=size, reproduce=line)
    verdict = worst([result.verdict for result in results])
    if not as_json:
        passed = sum(result.verdict is Verdict.PASSED for result in results)
        out.print(f"{passed} of {len(results)} checks passed; the first that decided:")
    finish(next(result for result in results if result.verdict is verdict), as_json)
