"""A fault of a serving loop, and the case that shows it."""

from dataclasses import dataclass

from specdec_verification.faults.fault import Fault
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.loop import ServingLoop


@dataclass(frozen=True, slots=True)
class Sighting:
    """What was seen, and where.

    Attributes
    ----------
    kind : str
        ``"K01"`` to ``"K23"``.
    where : str
        Repository and number.
    mechanism : str
        One sentence.
    """

    kind: str
    where: str
    mechanism: str


@dataclass(frozen=True, slots=True)
class LoopFault:
    """A loop with one step replaced.

    Attributes
    ----------
    sighting : Sighting
    loop : ServingLoop
        Named as the fault is.
    witness : ServingCase
        A case on which the loop fails.
    """

    sighting: Sighting
    loop: ServingLoop
    witness: ServingCase

    @property
    def fault(self) -> Fault:
        """The fault, as the catalogue of all faults lists it."""
        seen = self.sighting
        return Fault(self.loop.name, seen.kind, seen.where, seen.mechanism, self.loop)
