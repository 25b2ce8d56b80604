"""The witnesses that were found, as they are stored: an instance a family, and its floor.

The instances are files in the form that every command reads, beside this module.

Not here: how they were found (see `search`), and which faults a family has (see `families`).
"""

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path

from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance, dumps, loads

FLOORS = "floors.json"
"""From the name of a family to its floor and the fault that has it."""


@dataclass(frozen=True, slots=True)
class Witness:
    """An instance on which every fault of a family shows.

    Attributes
    ----------
    family : str
    instance : Instance
        In fractions.
    floor : Fraction
        The least exact total variation of all faults of the family on it, above 0.
    faintest : str
        Name of the fault that has the least.
    """

    family: str
    instance: Instance
    floor: Fraction
    faintest: str


@cache
def witness(family: str) -> Witness:
    """Return a family's stored witness.

    Raises
    ------
    InvalidParameterError
        If there is none of that name; the message lists them.

    Examples
    --------
    >>> witness("path").instance.label
    'V=4 gamma=2'
    """
    stored = files(__package__)
    floors = json.loads(stored.joinpath(FLOORS).read_text())
    if family not in floors:
        raise InvalidParameterError(
            f"no witness of family {family!r}, expected one of {', '.join(floors)}"
        )
    instance = loads(stored.joinpath(f"{family}.json").read_text())
    return Witness(family, instance, Fraction(floors[family]["floor"]), floors[family]["faintest"])


def store(witnesses: list[Witness], directory: Path) -> None:
    """Write witnesses in the form in which `witness` reads them."""
    directory.mkdir(parents=True, exist_ok=True)
    floors = {
        found.family: {"floor": str(found.floor), "faintest": found.faintest} for found in witnesses
    }
    (directory / FLOORS).write_text(json.dumps(floors, indent=2) + "\n")
    for found in witnesses:
        (directory / f"{found.family}.json").write_text(dumps(found.instance) + "\n")
