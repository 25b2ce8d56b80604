"""How draft tokens are proposed: the pieces that rules share.

Not here: how a proposal is verified (`specdec_core.rules`).
"""

from dataclasses import dataclass

from specdec_core.distributions import Row
from specdec_core.draws import Draws
from specdec_core.models import ContextModel
from specdec_core.sampling import sample


@dataclass(frozen=True, slots=True)
class DraftPath:
    """Draft tokens, each with the row that it was drawn from.

    Attributes
    ----------
    tokens : tuple of int
        ``gamma`` of them.
    draft_probs : tuple of Row, shape (gamma, V)
        Row ``i`` is the law that ``tokens[i]`` was drawn from, and nothing else will do: a token
        drawn from another law than the recorded one makes every rule below it wrong.
    """

    tokens: tuple[int, ...]
    draft_probs: tuple[Row, ...]


def draft_path(draft: ContextModel, gamma: int, draws: Draws) -> DraftPath:
    """Draw ``gamma`` tokens one after another, each given those before it.

    Takes ``gamma`` draws.
    """
    tokens: tuple[int, ...] = ()
    draft_probs = []
    for _ in range(gamma):
        row = draft(tokens)
        draft_probs.append(row)
        tokens = (*tokens, sample(row, draws.uniform()))
    return DraftPath(tokens, tuple(draft_probs))
