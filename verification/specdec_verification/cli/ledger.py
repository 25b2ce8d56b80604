"""`specdec-verify ledger`: what was drawn so far, and several ledgers made one."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from specdec_verification.cli.console import AsJson, out, show_json

ledger = typer.Typer(
    name="ledger",
    help="Show what was drawn of every subject so far, or merge ledgers.",
    no_args_is_help=True,
)
File = Annotated[Path, typer.Argument(help="A ledger.", metavar="LEDGER")]


@ledger.command()
def show(file: File, as_json: AsJson = False) -> None:
    """Print how many batches and draws there are of every subject, version and instance."""
    from specdec_verification.ledger.store import existing_ledger

    with existing_ledger(file) as opened:
        standings = opened.standings()
    if as_json:
        show_json(
            [
                {**asdict(one.stream), "batches": one.batches, "draws": one.draws}
                for one in standings
            ]
        )
        return
    if not standings:
        out.print("nothing was drawn yet")
    for one in standings:
        stream = one.stream
        out.print(_line(f"{stream.subject}, version {stream.version}, on {stream.instance}"))
        out.print(
            f"    {one.draws:,} draws in {one.batches:,} batches,"
            f" seeds: {_line(stream.seed_policy)}"
        )


def _line(text: str) -> str:
    """Return a text on one line: a name may have a newline in it, or move a terminal's cursor."""
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in text
    )


@ledger.command()
def merge(
    sources: Annotated[list[Path], typer.Argument(help="Ledgers.", metavar="LEDGER...")],
    into: Annotated[Path, typer.Option(help="The ledger that takes them all; made if missing.")],
    as_json: AsJson = False,
) -> None:
    """Add what is in some ledgers to another; a batch that is in several counts once."""
    from specdec_verification.ledger.runs import merge_ledgers

    new = merge_ledgers(into, sources)
    if as_json:
        show_json({"ledger": str(into), "new_batches": new})
    else:
        out.print(f"{new} new batches in {into}")
