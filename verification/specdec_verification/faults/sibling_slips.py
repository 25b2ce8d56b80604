"""Slips with several candidates that were drawn, or should have been, for one position.

Each is a way to draw siblings, or a level of `TopDown`, that differs from recursive rejection by
one mistake.
"""

from collections.abc import Sequence

from specdec_core.distributions import Row
from specdec_core.draws import Draw, Draws
from specdec_core.rules import Verification
from specdec_core.rules.sampled_tree import SampledTree
from specdec_core.rules.token_rejection import recovery_row
from specdec_core.rules.top_down import Level, TopDown
from specdec_core.sampling import accepts, sample
from specdec_core.siblings import WITHOUT_REPLACEMENT, Siblings

REFERENCE = "recursive rejection with a planted slip"


def slipped(name: str, level: Level) -> SampledTree:
    """Return recursive rejection on siblings drawn without replacement, with another level."""
    return SampledTree(name, REFERENCE, WITHOUT_REPLACEMENT, TopDown(level))


def draw_top(draft_probs: Row, k: int, draws: Draws) -> Siblings:
    """Take the ``k`` likeliest tokens, and record the soft row for each."""
    ranked = sorted(draft_probs.support, key=lambda token: (-draft_probs[token], token))[:k]
    return Siblings(tuple(ranked), (draft_probs,) * len(ranked))


def keep_residual_whole(
    siblings: Siblings, target_probs: Row, coins: Sequence[Draw], draws: Draws
) -> Verification:
    """Test every sibling by the target's row, and update it for the replacement alone."""
    left = target_probs
    for coin, token, q in zip(coins, siblings.tokens, siblings.draft_probs, strict=False):
        if accepts(coin, target_probs[token], q[token]):
            return Verification((token,), None)
        left = recovery_row(left, q)
    return Verification((), sample(left, draws.uniform()))


def judge_by_first_row(
    siblings: Siblings, target_probs: Row, coins: Sequence[Draw], draws: Draws
) -> Verification:
    """Leave the siblings that were drawn already in the draft's row."""
    p, q = target_probs, siblings.draft_probs[0]
    for coin, token in zip(coins, siblings.tokens, strict=False):
        if accepts(coin, p[token], q[token]):
            return Verification((token,), None)
        p = recovery_row(p, q)
    return Verification((), sample(p, draws.uniform()))


def recover_from_target(
    siblings: Siblings, target_probs: Row, coins: Sequence[Draw], draws: Draws
) -> Verification:
    """Draw the replacement from the target's row after all siblings were rejected."""
    p = target_probs
    for coin, token, q in zip(coins, siblings.tokens, siblings.draft_probs, strict=False):
        if accepts(coin, p[token], q[token]):
            return Verification((token,), None)
        p = recovery_row(p, q)
    return Verification((), sample(target_probs, draws.uniform()))


def try_likeliest_first(
    siblings: Siblings, target_probs: Row, coins: Sequence[Draw], draws: Draws
) -> Verification:
    """Sort the siblings by the target's probability before they are tried."""
    order = sorted(range(len(siblings.tokens)), key=lambda i: -target_probs[siblings.tokens[i]])
    p = target_probs
    for coin, i in zip(coins, order, strict=False):
        token, q = siblings.tokens[i], siblings.draft_probs[i]
        if accepts(coin, p[token], q[token]):
            return Verification((token,), None)
        p = recovery_row(p, q)
    return Verification((), sample(p, draws.uniform()))


def match_each_apart(
    siblings: Siblings, target_probs: Row, coins: Sequence[Draw], draws: Draws
) -> Verification:
    """Draw a target token for each sibling, and keep the first sibling that is matched."""
    drawn = target_probs.support[0]
    for coin, token in zip(coins, siblings.tokens, strict=False):
        drawn = sample(target_probs, coin)
        if drawn == token:
            return Verification((token,), None)
    return Verification((), drawn)
