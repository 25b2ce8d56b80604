"""Traversal verification of siblings that are independent draws.

As `traversal`, but a refused child leaves the row that its siblings are drawn from as it was.  A
second copy of a refused token has nothing left of the target's row, so it is refused too; its
refusal counts, and its subtree is the first copy's.

References
----------
.. [1] Weng et al., "Traversal Verification for Speculative Tree Decoding", 2025, arXiv:2505.12398,
   Algorithm 3.
"""

from specdec_core.rules.sampled_tree import SampledTree
from specdec_core.rules.traversal import traverse
from specdec_core.siblings import WITH_REPLACEMENT

TRAVERSAL_WITH_REPLACEMENT = SampledTree(
    name="traversal_with_replacement",
    reference="Weng et al. 2025, Algorithm 3, drawn with replacement",
    draw_siblings=WITH_REPLACEMENT,
    verify_tree=traverse,
)
"""Traversal verification of siblings drawn with replacement."""
