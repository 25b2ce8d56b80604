"""Rejection without replacement: siblings are drawn from what is left of the draft's row.

A token that was refused leaves the target's residual for good, so to draw it again wastes a
sibling.  Here each sibling is drawn from the draft's row without those before it, brought back to
unit mass, and verified against that row by `recursive_rejection` [1]_; EAGLE's first trees are
verified the same way.  There are fewer than ``k`` siblings where the draft's row has fewer tokens;
`sequoia` goes on from there.

References
----------
.. [1] Jeon et al., "Recursive Speculative Decoding: Accelerating LLM Inference via Sampling
   Without Replacement", 2024, arXiv:2402.14160.
"""

from specdec_core.rules.recursive_rejection import recursive_rejection
from specdec_core.rules.sampled_tree import SampledTree
from specdec_core.rules.top_down import TopDown
from specdec_core.siblings import WITHOUT_REPLACEMENT

WITHOUT_REPLACEMENT_REJECTION = SampledTree(
    name="without_replacement",
    reference="Jeon et al. 2024 (recursive speculative decoding)",
    draw_siblings=WITHOUT_REPLACEMENT,
    verify_tree=TopDown(recursive_rejection),
)
"""Recursive rejection of siblings that were drawn without replacement."""
