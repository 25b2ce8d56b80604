"""`specdec-verify vectors`: test vectors of a rule, for replay in any language."""

from pathlib import Path
from typing import Annotated

import typer

from specdec_core.rules import rule_named
from specdec_verification.cli.console import AsJson, out, show_json


def vectors(
    rule: Annotated[str, typer.Option(help="A rule's name; `rules` lists them.")],
    folder: Annotated[Path, typer.Option("--out", help="Write the files into this folder.")],
    instances: Annotated[int, typer.Option(help="How many to write vectors for.", min=1)] = 12,
    as_json: AsJson = False,
) -> None:
    """Write uniforms, the tokens they lead to and the exact law, as JSON with its schema."""
    from specdec_verification.vectors.writing import write_vectors

    path = write_vectors(rule_named(rule), folder, instances=instances)
    if as_json:
        show_json({"files": [str(path)]})
    else:
        out.print(f"wrote {path}")
