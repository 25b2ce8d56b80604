"""Top down: a rule for the siblings of one position, applied from the root of a tree.

A single-level rule says which of several siblings is kept, or which token takes their place.
Applied to a tree, a kept child is followed, and nothing beside it; a replacement ends the round;
at a leaf the target adds a bonus token.  If the rule emits the target's row at every position, the
round emits the target's joint law, whatever the shape of the tree, for what lies below a child was
not looked at when it was kept.

As many draws as a level has siblings are taken up front for every level, used or not, and one more
for a replacement or a bonus token: the layout of the draws depends on the tree alone.

Not here: rules that look at the whole tree before they keep a token (see `traversal`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from specdec_core.distributions import Row
from specdec_core.draws import Draw, Draws
from specdec_core.models import Context, ContextModel
from specdec_core.rules.rule import Verification
from specdec_core.sampling import sample
from specdec_core.sibling_trees import SiblingTree, require_target_vocabulary
from specdec_core.siblings import Siblings

Level: TypeAlias = Callable[[Siblings, Row, Sequence[Draw], Draws], Verification]
"""From siblings, the target's row, a coin for each sibling, and further draws, to one token.

The token is ``accepted`` if it is one of the siblings that is kept, and ``final`` if it is not."""


@dataclass(frozen=True, slots=True)
class TopDown:
    """The verification of a tree by a single-level rule, from the root."""

    level: Level

    def __call__(self, tree: SiblingTree, target: ContextModel, draws: Draws) -> Verification:
        """Return what a round emits for the tree: kept tokens, and one of the target.

        Raises
        ------
        ShapeError
            If the target's rows are not over the tree's vocabulary; no draw is taken then.
        """
        require_target_vocabulary(tree, target)
        coins = [[draws.uniform() for _ in range(tree.width)] for _ in range(tree.height)]
        path: Context = ()
        while (siblings := tree.children(path)).tokens:
            outcome = self.level(siblings, target(path), coins[len(path)], draws)
            if outcome.final is not None:
                return Verification(path, outcome.final)
            path = (*path, *outcome.accepted)
        return Verification(path, sample(target(path), draws.uniform()))
