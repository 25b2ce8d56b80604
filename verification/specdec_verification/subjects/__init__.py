"""Subjects: unmodified code whose random source is replaced while it runs.

`exact_law` gives the exact law of whatever hashable value a callable returns, and `audit` the
verdict on it: is it the target's?  Nothing is sampled and nothing is guessed; what cannot be
followed on both sides is refused, by the name of the operation and the line that used it.

`stdlib`, `numpy_random` and `torch_random` say at their tops what of each library is understood.
"""

from specdec_verification.subjects.exact import Execution, exact_law
from specdec_verification.subjects.streams import as_drawn, continuous
from specdec_verification.subjects.verdicts import Audit, audit

__all__ = ["Audit", "Execution", "as_drawn", "audit", "continuous", "exact_law"]
