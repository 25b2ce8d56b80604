"""The faults of rules that the exact checks are tried on: each must make one of them fail.

A checker that has never failed proves nothing.  Faults that are planted in a whole serving loop
are in `loop_catalogue`.
"""

from specdec_verification.faults.block_faults import BLOCK_FAULTS
from specdec_verification.faults.draw_faults import COARSE_FAULTS, PLUMBING_FAULTS
from specdec_verification.faults.fault import Fault
from specdec_verification.faults.lossy_faults import LOSSY_FAULTS
from specdec_verification.faults.path_faults import PATH_FAULTS
from specdec_verification.faults.recovery_faults import RECOVERY_FAULTS
from specdec_verification.faults.sibling_faults import SIBLING_FAULTS
from specdec_verification.faults.tree_faults import TREE_FAULTS

FAULTS: tuple[Fault, ...] = (
    *PATH_FAULTS,
    *RECOVERY_FAULTS,
    *PLUMBING_FAULTS,
    *COARSE_FAULTS,
    *BLOCK_FAULTS,
    *TREE_FAULTS,
    *SIBLING_FAULTS,
    *LOSSY_FAULTS,
)
"""Each is planted in a rule, and differs from a lossless one by one slip."""

AT_THRESHOLDS: tuple[Fault, ...] = tuple(
    fault for fault in FAULTS if fault.name in ("accept_inclusive", "tree_accept_inclusive")
)
"""Those that leave the law alone, since they differ only where a draw equals a threshold."""
