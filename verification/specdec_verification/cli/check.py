"""`specdec-verify check`: a rule of one's own, on generated instances."""

import shlex
from typing import Annotated

import typer

from specdec_verification.cli.console import AsJson, finish, out
from specdec_verification.results import Verdict, worst


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
    finish(next(result for result in results if result.verdict is verdict), as_json)
