"""`specdec-verify law`: the exact law of one round of a rule."""

from pathlib import Path
from typing import Annotated

import typer

from specdec_core.instances import read_instance
from specdec_core.models import context_key
from specdec_core.rules import rule_named
from specdec_verification.cli.console import AsJson, out, show_json

InstanceFile = Annotated[Path, typer.Argument(help="An instance as JSON.", metavar="INSTANCE.json")]


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
        show_json(document)
        return
    for tokens in sorted(found.emitted):
        prob = found.emitted[tokens]
        exact = str(prob) if prob.denominator < 10**6 else ""
        out.print(f"{context_key(tokens):16} {exact:>12}  {float(prob):.6f}")
    out.print(f"expected accepted: {document['expected_accepted']}")
    out.print(f"total variation from the target: {found.total_variation}, {found.paths} paths")
    if found.rounding_bound:
        out.print(f"rounding alone can make {float(found.rounding_bound):.3g}")
