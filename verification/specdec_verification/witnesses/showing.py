"""Which witness shows a fault: that of its family."""

from specdec_core.instances import Instance
from specdec_verification.faults.fault import Fault
from specdec_verification.witnesses.families import family_of
from specdec_verification.witnesses.stored import witness


def witness_of(fault: Fault) -> Instance:
    """Return the stored instance on which a fault of a rule shows.

    Raises
    ------
    InvalidParameterError
        If the fault is in no family.
    """
    return witness(family_of(fault).name).instance
