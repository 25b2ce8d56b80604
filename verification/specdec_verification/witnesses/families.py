"""Families of faults: those whose rules take the same instances, and move a law by a like amount.

Faults that only make a draw or a recorded row coarse are a family of their own: they move a law
by as little as 1e-8, whatever the instance, and would hide how far the others can be moved apart.

Not here: faults of a serving loop, each of which has a case of its own (`loop_catalogue`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Parameter
from specdec_verification.faults.block_faults import BLOCK_FAULTS
from specdec_verification.faults.catalogue import AT_THRESHOLDS
from specdec_verification.faults.draw_faults import COARSE_FAULTS, PLUMBING_FAULTS
from specdec_verification.faults.fault import Fault
from specdec_verification.faults.lossy_faults import LOSSY_FAULTS
from specdec_verification.faults.path_faults import PATH_FAULTS
from specdec_verification.faults.recovery_faults import RECOVERY_FAULTS
from specdec_verification.faults.sibling_faults import SIBLING_FAULTS
from specdec_verification.faults.tree_faults import TREE_FAULTS


@dataclass(frozen=True, slots=True)
class Family:
    """Faults that one instance is to show.

    Attributes
    ----------
    name : str
        Also of the file that its witness is stored in.
    faults : tuple of Fault
    parameters : mapping of str to Parameter
        The instance's.
    vocab_size, denominator : int
        Of the simplex that its rows are from.
    """

    name: str
    faults: tuple[Fault, ...]
    parameters: Mapping[str, Parameter]
    vocab_size: int
    denominator: int

    @property
    def lawless(self) -> tuple[Fault, ...]:
        """The faults that move the law: those that a floor can be stated for."""
        return tuple(fault for fault in self.faults if fault not in AT_THRESHOLDS)


def _lossy() -> dict[str, Fault]:
    return {fault.name.removesuffix("_claimed_lossless"): fault for fault in LOSSY_FAULTS}


def _family(
    name: str, faults: tuple[Fault, ...], shape: tuple[int, int], **parameters: Parameter
) -> Family:
    return Family(name, faults, MappingProxyType(parameters), *shape)


FAMILIES: tuple[Family, ...] = (
    _family(
        "path",
        (*PATH_FAULTS, *RECOVERY_FAULTS, *PLUMBING_FAULTS, *BLOCK_FAULTS),
        (4, 8),
        gamma=2,
    ),
    _family("coarse", COARSE_FAULTS, (3, 7), gamma=2),
    _family("tree", TREE_FAULTS, (4, 8), k=2, depth=2),
    _family("siblings", SIBLING_FAULTS, (4, 8), k=2, depth=1),
    _family(
        "typical",
        (_lossy()["typical"],),
        (3, 6),
        gamma=1,
        epsilon=Fraction(1, 4),
        delta=Fraction(1, 2),
    ),
    _family("relaxed", (_lossy()["relaxed"],), (3, 6), gamma=1, top_n=2, delta=Fraction(1, 4)),
    _family("lenience", (_lossy()["lenience"],), (3, 6), gamma=1, lenience=Fraction(1, 2)),
)


def family_of(fault: Fault) -> Family:
    """Return the family of a fault that is planted in a rule.

    Raises
    ------
    InvalidParameterError
        If it is in none.
    """
    for family in FAMILIES:
        if fault in family.faults:
            return family
    raise InvalidParameterError(f"fault {fault.name!r} is in no family of faults of rules")
