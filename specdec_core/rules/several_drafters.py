"""Several drafters: every node of the tree has one child from each draft model.

The shared part of the rules that verify such trees, which differ in what they do at one position.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from specdec_core.draws import Draws
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance, Parameter
from specdec_core.models import Context, ContextModel
from specdec_core.rules.rule import Verification
from specdec_core.rules.top_down import Level, TopDown
from specdec_core.sampling import sample
from specdec_core.sibling_trees import SiblingTree, draft_tree
from specdec_core.siblings import Siblings


@dataclass(frozen=True, slots=True)
class SeveralDrafters:
    """A single-level rule on trees in which every drafter gives every node a child.

    Parameters of an instance: ``drafters``, how many draft models it has, and ``depth``, levels;
    at least 1 each.

    Attributes
    ----------
    name, reference : str
        As every rule has them.
    level : Level
        How one child from each drafter is verified.
    lossless : bool
        What the rule claims.
    """

    name: str
    reference: str
    level: Level
    lossless: bool = True

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """Draft models: ``drafters``; levels: ``depth``."""
        return {"drafters": (2, 1), "depth": (1, 2)}

    def horizon(self, instance: Instance) -> int:
        """Return ``depth + 1``."""
        drafters = instance.integer("drafters", minimum=1)
        if drafters != len(instance.drafts):
            raise InvalidParameterError(
                f"parameter 'drafters' is {drafters}, "
                f"but the instance has {len(instance.drafts)} draft models"
            )
        return instance.integer("depth", minimum=1) + 1

    def propose(self, instance: Instance, draws: Draws) -> SiblingTree:
        """Draw one token from each draft model, for every node."""
        depth = self.horizon(instance) - 1
        return draft_tree(
            lambda path, draws: one_from_each(instance.drafts, path, draws), depth, draws
        )

    def verify(self, proposal: SiblingTree, target: ContextModel, draws: Draws) -> Verification:
        """Apply the rule from the root."""
        return TopDown(self.level)(proposal, target, draws)


def one_from_each(drafts: Sequence[ContextModel], path: Context, draws: Draws) -> Siblings:
    """Draw one sibling from each draft model, with a draw for each."""
    rows = tuple(draft(path) for draft in drafts)
    return Siblings(tuple(sample(row, draws.uniform()) for row in rows), rows)
