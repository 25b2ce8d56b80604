"""Importance weighted selection: pick one of several drafters' tokens, and test that one alone.

With ``p`` the target's row and ``q`` the row that a sibling ``x`` was drawn from, its weight is
``p(x) / q(x)``.  One sibling is picked with probability proportional to its weight.  The token that
is picked has a law of its own, and token rejection of ``p`` against that law keeps it, or replaces
it [1]_.

The law of the pick is a sum over everything that the drafters can propose, ``V`` to the number of
drafters: this is a reference, not a fast one.  The pick takes the level's first coin, its test a
draw of its own.  A pick of no weight is refused whichever sibling it is.

References
----------
.. [1] Khisti et al., "Multi-Draft Speculative Sampling: Canonical Decomposition and Theoretical
   Limits", 2024, arXiv:2410.18234.
"""

from collections.abc import Sequence
from itertools import product
from math import prod

from specdec_core.distributions import Prob, Row, cached_on_rows
from specdec_core.draws import Draw, Draws
from specdec_core.rules.rule import Verification
from specdec_core.rules.several_drafters import SeveralDrafters
from specdec_core.rules.token_rejection import recovery_row
from specdec_core.sampling import accepts, sample
from specdec_core.siblings import Siblings


def importance_weighted(
    siblings: Siblings, target_probs: Row, coins: Sequence[Draw], draws: Draws
) -> Verification:
    """Pick a sibling by its weight, and keep or replace it."""
    p, q = target_probs, law_of_pick(target_probs, *siblings.draft_probs)
    choice = pick_row(p, siblings.tokens, *siblings.draft_probs)
    token = siblings.tokens[sample(choice, coins[0])]
    if accepts(draws.uniform(), p[token], q[token]):
        return Verification((token,), None)
    return Verification((), sample(recovery_row(p, q), draws.uniform()))


@cached_on_rows
def pick_row(target_probs: Row, tokens: tuple[int, ...], *draft_probs: Row) -> Row:
    """Return the law of which sibling is picked: their weights, brought to unit mass.

    Where none has any weight it is the first.

    Examples
    --------
    >>> draft = Row([0.5, 0.5])
    >>> pick_row(Row([0.25, 0.75]), (0, 1), draft, draft)
    Row(0.25, 0.75)
    """
    probs = [q[token] for token, q in zip(tokens, draft_probs, strict=True)]
    weights = [
        target_probs[token] * prod(probs[:i] + probs[i + 1 :])  # p / q, times all of the q
        for i, token in enumerate(tokens)
    ]
    if not any(weights):
        weights[0] += 1
    return Row([weight / sum(weights) for weight in weights])


@cached_on_rows
def law_of_pick(target_probs: Row, *draft_probs: Row) -> Row:
    """Return the law of the token that is picked, over all that the drafters can propose.

    Examples
    --------
    >>> law_of_pick(Row([0.25, 0.75]), Row([0.5, 0.5]), Row([0.5, 0.5]))
    Row(0.375, 0.625)
    """
    picked: list[Prob] = [prob * 0 for prob in target_probs]
    for tokens in product(*(row.support for row in draft_probs)):
        proposed = prod(row[token] for token, row in zip(tokens, draft_probs, strict=True))
        choice = pick_row(target_probs, tokens, *draft_probs)
        for token, chosen in zip(tokens, choice, strict=True):
            picked[token] += proposed * chosen
    mass = sum(picked)  # one, but for rounding
    return Row([prob / mass for prob in picked])


IMPORTANCE_WEIGHTED = SeveralDrafters(
    name="importance_weighted",
    reference="Khisti et al. 2024, importance weighted sampling",
    level=importance_weighted,
)
"""One of several drafters' tokens, picked by its weight."""
