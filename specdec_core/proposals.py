"""How draft tokens are proposed: the pieces that rules share.

Not here: how a proposal is verified (`specdec_core.rules`).
"""

from dataclasses import dataclass
from functools import cached_property

from specdec_core.distributions import Row, likeliest, point_mass, require_same_vocabulary
from specdec_core.draws import Draws
from specdec_core.errors import ProposalMismatchError, ShapeError
from specdec_core.models import ContextModel
from specdec_core.parameters import require_token
from specdec_core.sampling import sample


@dataclass(frozen=True)
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

    @cached_property
    def drafted(self) -> bool:
        """Whether there is a token; raises, as `require_drafted` does, if one cannot be drawn.

        A path is verified many times over when its draws are followed, and checked once.
        """
        _require_one_row_a_token(self)
        vocab_size = len(self.draft_probs[0]) if self.draft_probs else 0
        for i, (token, row) in enumerate(zip(self.tokens, self.draft_probs, strict=True)):
            # Most are right at a glance; the place is written out for the others alone.
            if type(token) is not int or token not in row.support or len(row) != vocab_size:
                _require_drawn(i, token, self)
        return bool(self.tokens)


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


def likeliest_path(draft: ContextModel, gamma: int) -> DraftPath:
    """Choose the most probable token ``gamma`` times, each given those before it.

    Chosen tokens are point masses, and recorded as such, whatever the draft's rows say.
    """
    tokens: tuple[int, ...] = ()
    draft_probs = []
    for _ in range(gamma):
        row = draft(tokens)
        draft_probs.append(point_mass(likeliest(row), len(row)))
        tokens = (*tokens, likeliest(row))
    return DraftPath(tokens, tuple(draft_probs))


def require_drafted(path: DraftPath, target: ContextModel) -> None:
    """Raise unless every token can have been drawn from its row, and the target can judge it.

    Raises
    ------
    ShapeError
        If there is not one row a token, or a row is not over the target's vocabulary.
    InvalidTokenError
        If a token lies outside the vocabulary.
    ProposalMismatchError
        If a token's own row gives it no probability.
    """
    if path.drafted:
        first, row = target(()), path.draft_probs[0]
        require_same_vocabulary(first, row, "the target's row", "draft_probs[0]")


def _require_one_row_a_token(path: DraftPath) -> None:
    if len(path.tokens) != len(path.draft_probs):
        raise ShapeError(
            f"{len(path.tokens)} draft tokens and {len(path.draft_probs)} rows, "
            "expected one row a token"
        )


def _require_drawn(i: int, token: int, path: DraftPath) -> None:
    row = path.draft_probs[i]
    require_same_vocabulary(path.draft_probs[0], row, "draft_probs[0]", f"draft_probs[{i}]")
    require_token(token, len(row), f"draft token {i}")
    if not row[token]:
        raise ProposalMismatchError(
            f"draft token {i} is {token}, which draft_probs[{i}] gives no probability"
        )
