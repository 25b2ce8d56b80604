"""A fault of a serving loop, and the case that shows it."""

from dataclasses import dataclass

from specdec_verification.faults.fault import Fault
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.loop import ServingLoop


@dataclass(frozen=True, slots=True)
class LoopFault:
    """A loop with one step replaced.

    Attributes
    ----------
    fault : Fault
        As the catalogue of all faults lists it.
    witness : ServingCase
        A case on which the loop fails.
    """

    fault: Fault
    witness: ServingCase

    @property
    def loop(self) -> ServingLoop:
        """The loop with the fault in it."""
        return self.fault.loop
