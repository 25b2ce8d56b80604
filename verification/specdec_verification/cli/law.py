"""`specdec-verify law`: the exact law of one round of a rule."""

from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from specdec_core.instances import read_instance
from specdec_core.models import Context, context_key
from specdec_core.rules import rule_named
from specdec_verification.cli.console import AsJson, out, show_json

InstanceFile = Annotated[Path, typer.Argument(help="An instance as JSON.", metavar="INSTANCE.json")]


def law(
    instance: InstanceFile,
    rule: Annotated[str, typer.Option(help="A rule's name; `rules` lists them.")],
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Processes that share what takes longer than a second; one for every processor.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the exact law of one round of a rule; `plan` says beforehand what a large one costs."""
    from specdec_grids.sharing import shared_law
    from specdec_verification.round_laws import round_law
    from specdec_verification.workers import process_pool, usable_processors

    of, on = rule_named(rule), read_instance(instance)
    count = workers or usable_processors()
    with process_pool(count) as pool:
        found = round_law(of, on, partial(shared_law, executor=pool, workers=count))
    document = found.as_document()
    if as_json:
        show_json(document)
        return
    # In one go: a console takes longer over a hundred thousand prints than it takes to find a law.
    out.print("\n".join(_line(tokens, found.emitted[tokens]) for tokens in sorted(found.emitted)))
    out.print(f"expected accepted: {document['expected_accepted']}")
    out.print(f"total variation from the target: {found.total_variation}, {found.paths} paths")
    if found.rounding_bound:
        out.print(f"rounding alone can make {float(found.rounding_bound):.3g}")


def _line(tokens: Context, prob: Fraction) -> str:
    exact = str(prob) if prob.denominator < 10**6 else ""
    return f"{context_key(tokens):16} {exact:>12}  {float(prob):.6f}"
