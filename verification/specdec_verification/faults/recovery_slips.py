"""Slips of single-path verification in how a row becomes a decision: ratios, residuals, searches.

Steps of `SlippedPathRule`, as those in `path_slips`, which holds the simplest.
"""

import math
from fractions import Fraction

from specdec_core.distributions import Row
from specdec_core.draws import Draw, Draws
from specdec_core.instances import Instance
from specdec_core.proposals import DraftPath
from specdec_core.rules import Verification
from specdec_core.rules.token_rejection import recovery_row
from specdec_core.sampling import accepts, sample
from specdec_verification.faults.path_slips import Position, propose

SOFTMAX_STEP = 64
"""A softmax's weights are taken to the nearest of so many parts of one, to stay rational."""


def propose_above_cut(instance: Instance, draws: Draws) -> DraftPath:
    """Draw a draft, and give up on it before the first token that the draft finds unlikely."""
    drawn = propose(instance, draws)
    pairs = zip(drawn.tokens, drawn.draft_probs, strict=True)
    kept = next(
        (i for i, (token, q) in enumerate(pairs) if 2 * q[token] < max(q)), len(drawn.tokens)
    )
    return DraftPath(drawn.tokens[:kept], drawn.draft_probs[:kept])


def accept_by_best(draw: Draw, position: Position) -> bool:
    """Divide by the target's greatest probability instead of the draft's of the token."""
    return accepts(draw, position.p[position.token], max(position.p))


def accept_first_unseen(draw: Draw, position: Position) -> bool:
    """Accept the first token without a test: the comparison starts at the second."""
    p, q = position.p[position.token], position.q[position.token]
    return position.index == 0 or accepts(draw, p, q)


def accept_zeroed(draw: Draw, position: Position) -> bool:
    """Ask a target row whose entry of the draft token has been set to zero."""
    return accepts(draw, position.p[position.token] * 0, position.q[position.token])


def recover_softmaxed(position: Position, coin: Draw, draws: Draws) -> int:
    """Put the excess of the target through a softmax, which gives mass to what exceeds nowhere."""
    excess = [max(p - q, p * 0) for p, q in zip(position.p, position.q, strict=True)]
    weights = [Fraction(round(SOFTMAX_STEP * math.exp(part)), SOFTMAX_STEP) for part in excess]
    total = sum(weights)
    return sample(Row(weight / total for weight in weights), draws.uniform())


def recover_floored(position: Position, coin: Draw, draws: Draws) -> int:
    """Keep every entry of the residual above a floor, so that nothing is divided by zero."""
    pairs = zip(position.p, position.q, strict=True)
    floored = [max(p - q, Fraction(1, 100)) for p, q in pairs]
    total = sum(floored)
    return sample(Row(part / total for part in floored), draws.uniform())


def recover_last_row(position: Position, coin: Draw, draws: Draws) -> int:
    """Take the residual's target row from the end of the draft, whichever token was rejected."""
    return sample(recovery_row(position.target_probs[-1], position.q), draws.uniform())


def recover_past_the_end(position: Position, coin: Draw, draws: Draws) -> int:
    """Search the running sums of an excess that falls short of one: the search can run off."""
    excess = [max(p - q, p * 0) for p, q in zip(position.p, position.q, strict=True)]
    padded = Row((*excess, 1 - sum(excess)))
    return sample(padded, draws.uniform())


def bonus_within_window(
    proposal: DraftPath, target_probs: tuple[Row, ...], coins: list[Draw], draws: Draws
) -> Verification:
    """Search a window of all tokens but one, and return -1 where its sums do not reach the draw."""
    return Verification(proposal.tokens, _searched(target_probs[-1], draws.uniform()))


def _searched(row: Row, draw: Draw) -> int:
    token = sample(row, draw)
    return -1 if token == len(row) - 1 else token
