"""`specdec-verify faults`: every planted fault, where it was seen, and how far it moves the law."""

from pathlib import Path
from typing import Annotated

import typer

from specdec_verification.cli.console import AsJson, out, show_json

Regenerated = Annotated[
    Path | None,
    typer.Option(
        "--regenerate-witnesses",
        help="Search the witnesses anew (ten minutes), and write them here.",
        metavar="DIR",
    ),
]


def faults(as_json: AsJson = False, regenerated: Regenerated = None) -> None:
    """List the planted faults: kind, where each was seen, and its exact distance on its witness."""
    if regenerated is not None:
        _regenerate(regenerated)
        return
    from specdec_verification.detection import sightings

    if as_json:
        show_json([sighting.as_document() for sighting in sightings()])
        return
    for sighting in sightings():
        fault = sighting.fault
        out.print(f"{fault.kind} {fault.name:34} TV {sighting.shown:16} {fault.seen}")
        out.print(f"    {fault.mechanism}")


def _regenerate(directory: Path) -> None:
    """Search a witness of every family, print its floor, and write all of them."""
    from specdec_verification.witnesses.families import FAMILIES
    from specdec_verification.witnesses.search import Effort, find
    from specdec_verification.witnesses.stored import store

    found = []
    for family in FAMILIES:
        found.append(find(family, Effort()))
        out.print(f"{family.name:10} floor {found[-1].floor}, of {found[-1].faintest}")
    store(found, directory)
