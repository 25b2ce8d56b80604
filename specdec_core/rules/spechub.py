"""SpecHub: pairs of siblings, one of which is always the draft's likeliest token, the hub.

The first sibling ``x`` is drawn from the draft's row ``q``.  The second is the hub ``a`` if ``x``
is not; if it is, the second is drawn from ``q`` without the hub.  Either way the pair is ``a`` and
one other token ``i``, with probability ``q(i) / (1 - q(a))``.  The best plan for pairs of that law
keeps ``i`` with probability ``min(1, p(i) (1 - q(a)) / q(i))``, and the hub with all that the
target has on it: whenever ``i`` is refused, the hub's turn comes, and the other tokens' excess is
what replaces both [1]_.  So, like `greedy_multi_draft` with ``k = 2``, it is `recursive_rejection`
of ``i`` and then of a point mass at the hub.

Where the draft has no token but the hub, that is the only sibling.

References
----------
.. [1] Sun et al., "SpecHub: Provable Acceleration to Multi-Draft Speculative Decoding", EMNLP
   2024, arXiv:2411.05289.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from specdec_core.distributions import Row, likeliest, point_mass
from specdec_core.draws import Draws
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ContextModel
from specdec_core.rules.recursive_rejection import recursive_rejection
from specdec_core.rules.rule import Verification
from specdec_core.rules.top_down import TopDown
from specdec_core.sampling import sample
from specdec_core.sibling_trees import SiblingTree, draft_tree
from specdec_core.siblings import Siblings, untried


@dataclass(frozen=True, slots=True)
class SpecHub:
    """Hub pairs at every node, verified by the best plan for them.

    Parameters of an instance: ``k``, which is 2, and ``depth``, levels, at least 1.
    """

    name: str = "spechub"
    lossless: bool = True
    reference: str = "Sun et al. 2024 (SpecHub)"

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """Children of every node: ``k``; levels: ``depth``."""
        return {"k": (2,), "depth": (1, 2)}

    def horizon(self, instance: Instance) -> int:
        """Return ``depth + 1``."""
        k = instance.integer("k", minimum=2)
        if k != 2:
            raise InvalidParameterError(f"parameter 'k' is {k}, expected 2: the hub and one other")
        return instance.integer("depth", minimum=1) + 1

    def propose(self, instance: Instance, draws: Draws) -> SiblingTree:
        """Draw a pair for every node."""
        depth = self.horizon(instance) - 1
        return draft_tree(lambda path, draws: hub_pair(instance.draft(path), draws), depth, draws)

    def verify(self, proposal: SiblingTree, target: ContextModel, draws: Draws) -> Verification:
        """Try the other token, then the hub, from the root on."""
        return TopDown(recursive_rejection)(proposal, target, draws)


def hub_pair(draft_probs: Row, draws: Draws) -> Siblings:
    """Draw a pair: the other token first, with its law as the pair's other token, then the hub.

    Takes two draws if the first is the hub and there are other tokens, else one.

    Examples
    --------
    >>> from specdec_core.draws import ReplayedDraws
    >>> row = Row([0.25, 0.5, 0.25])
    >>> hub_pair(row, ReplayedDraws([0.0])).tokens, hub_pair(row, ReplayedDraws([0.5, 0.5])).tokens
    ((0, 1), (2, 1))
    """
    hub = likeliest(draft_probs)
    certain = point_mass(hub, len(draft_probs))
    first = sample(draft_probs, draws.uniform())
    if draft_probs.support == (hub,):
        return Siblings((hub,), (certain,))
    others = untried(draft_probs, (hub,))
    other = sample(others, draws.uniform()) if first == hub else first
    return Siblings((other, hub), (others, certain))
