"""Couplings: the draft's token and the target's token drawn together, each from its own row.

A coupled rule keeps a draft token if the target's own token equals it, and emits the target's own
token if not.  Whatever the coupling, every emitted token is the target's own, so the rule is
lossless if the target's token follows the target's row and is independent of the tokens before it.
With ``J(x)`` the probability that both are ``x``, a round emits ``x_1 .. x_n, y``, the first ``n``
of them accepted, with probability ``J(x_1) .. J(x_n) (p - J)(y)``.

In an implementation the two sides share noise: drafter and target draw their tokens apart, from
the same random numbers.  Where the shared noise is a race of many numbers, the draws here cannot
stand for it, since two draws are never compared.  Such a rule draws the pair from its exact joint
law instead, by two choices: the draft's token from its row, and the target's from its conditional
law given the draft's, the *partner* row.  The pairs have the same law; only the random numbers
behind them differ.
"""

from collections.abc import Callable
from typing import TypeAlias

from specdec_core.distributions import Row
from specdec_core.draws import Draws
from specdec_core.models import Context, ContextModel
from specdec_core.proposals import DraftPath, require_drafted
from specdec_core.rules.rule import Verification
from specdec_core.sampling import sample

Partner: TypeAlias = Callable[[Row, Row, int], Row]
"""From the target's row, the draft's row and its token to the law of the target's token."""


def keep_matches(tokens: Context, target_token: Callable[[int], int]) -> Verification:
    """Keep draft tokens until the target's own token is another, and emit that one.

    Parameters
    ----------
    tokens : tuple of int
        The draft's.
    target_token : callable
        From ``i`` to the target's own token after the first ``i`` draft tokens; asked in order, as
        far as needed.

    Examples
    --------
    >>> keep_matches((0, 1, 0), lambda i: (0, 2, 0, 1)[i])
    Verification(accepted=(0,), final=2)
    >>> keep_matches((0, 1), lambda i: (0, 1, 1)[i])
    Verification(accepted=(0, 1), final=1)
    """
    for i, token in enumerate(tokens):
        emitted = target_token(i)
        if emitted != token:
            return Verification(tokens[:i], emitted)
    return Verification(tokens, target_token(len(tokens)))


def keep_coupled(
    path: DraftPath, target: ContextModel, partner: Partner, draws: Draws
) -> Verification:
    """Draw the target's token at each position from the partner row, and keep what matches.

    Takes one draw for each position, reached or not, and one for the bonus token.

    Raises
    ------
    ShapeError, InvalidTokenError, ProposalMismatchError
        As `specdec_core.proposals.require_drafted` does; no draw is taken then.
    """
    require_drafted(path, target)
    fresh = [draws.uniform() for _ in range(len(path.tokens) + 1)]

    def target_token(i: int) -> int:
        row = target(path.tokens[:i])
        if i < len(path.tokens):
            row = partner(row, path.draft_probs[i], path.tokens[i])
        return sample(row, fresh[i])

    return keep_matches(path.tokens, target_token)
