"""Sampled trees: the shared part of the rules whose trees are drawn from one draft model.

A rule is a way to draw the siblings at a node, and a way to verify the tree that comes of it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from specdec_core.distributions import Row
from specdec_core.draws import Draws
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ContextModel
from specdec_core.rules.rule import Verification
from specdec_core.sibling_trees import SiblingTree, draft_tree
from specdec_core.siblings import Siblings

VerifyTree: TypeAlias = Callable[[SiblingTree, ContextModel, Draws], Verification]
"""From a tree, the target and draws to what the round emits."""


@dataclass(frozen=True, slots=True)
class SampledTree:
    """A rule on trees in which every node above the last depth has ``k`` children.

    Parameters of an instance: ``k``, children of every node, and ``depth``, levels; at least 1
    each.

    Attributes
    ----------
    name, reference : str
        As every rule has them.
    draw_siblings : callable
        From the draft's row, ``k`` and draws to siblings: ``k`` of them, or fewer.
    verify_tree : VerifyTree
        How the tree is verified.
    lossless : bool
        What the rule claims.
    """

    name: str
    reference: str
    draw_siblings: Callable[[Row, int, Draws], Siblings]
    verify_tree: VerifyTree
    lossless: bool = True

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """Children of every node: ``k``; levels: ``depth``."""
        return {"k": (2, 1), "depth": (1, 2)}

    def horizon(self, instance: Instance) -> int:
        """Return ``depth + 1``."""
        instance.integer("k", minimum=1)
        return instance.integer("depth", minimum=1) + 1

    def propose(self, instance: Instance, draws: Draws) -> SiblingTree:
        """Draw the tree from the draft model."""
        draft, k = instance.draft, instance.integer("k", minimum=1)
        depth = instance.integer("depth", minimum=1)
        return draft_tree(
            lambda path, draws: self.draw_siblings(draft(path), k, draws), depth, draws
        )

    def verify(self, proposal: SiblingTree, target: ContextModel, draws: Draws) -> Verification:
        """Verify the tree."""
        return self.verify_tree(proposal, target, draws)
