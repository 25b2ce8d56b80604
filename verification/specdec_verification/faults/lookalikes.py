"""Right rules that look wrong: a check that fails one of them is itself at fault.

Each departs from the textbook in a way that a reviewer would stop at, and leaves the law alone.
"""

from collections.abc import Sequence
from typing import Any

from specdec_core.distributions import Row, acceptance_rate, point_mass
from specdec_core.draws import Draw, Draws
from specdec_core.instances import Instance
from specdec_core.models import Context
from specdec_core.proposals import DraftPath
from specdec_core.rules import Rule, Verification
from specdec_core.rules.token_rejection import recovery_row
from specdec_core.sampling import sample
from specdec_core.trees import DraftTree
from specdec_verification.faults.path_slips import (
    Position,
    SlippedPathRule,
    propose,
    propose_argmax,
)
from specdec_verification.faults.tree_slips import Candidate, SlippedTreeRule, extra_from_leaf


def propose_forgotten(instance: Instance, draws: Draws) -> DraftPath:
    """Draw tokens, and record each as the point mass that it has become.

    Treating a drawn token as a fixed one is right; treating a fixed one as drawn is not.
    """
    return _as_point_masses(propose(instance, draws), instance)


def propose_argmax_recorded(instance: Instance, draws: Draws) -> DraftPath:
    """Take the likeliest token, and record it as the point mass that it is."""
    return _as_point_masses(propose_argmax(instance, draws), instance)


def _as_point_masses(drawn: DraftPath, instance: Instance) -> DraftPath:
    rows = tuple(point_mass(token, instance.vocab_size) for token in drawn.tokens)
    return DraftPath(drawn.tokens, rows)


def accept_unless_refused(draw: Any, position: Position) -> bool:  # noqa: ANN401
    """Ask the question the other way round."""
    return not draw * position.q[position.token] >= position.p[position.token]


def accept_by_quotient(draw: Any, position: Position) -> bool:  # noqa: ANN401
    """Divide, where the draft probability allows it: a drawn token's is not zero."""
    return bool(draw < position.p[position.token] / position.q[position.token])


def recover_by_overlap(position: Position, coin: Draw, draws: Draws) -> int:
    """Write the residual as ``(p - min(p, q)) / (1 - sum(min(p, q)))``."""
    lost = 1 - acceptance_rate(position.p, position.q)
    pairs = zip(position.p, position.q, strict=True)
    return sample(Row((p - min(p, q)) / lost for p, q in pairs), draws.uniform())


def recover_from_the_top(position: Position, coin: Draw, draws: Draws) -> int:
    """Invert the running sums from the last token down."""
    backwards = Row(reversed(recovery_row(position.p, position.q)))
    return len(backwards) - 1 - sample(backwards, draws.uniform())


def recover_by_scaled_draw(position: Position, coin: Draw, draws: Draws) -> int:
    """Leave the residual unnormalised, and scale the draw by its mass instead."""
    excess = [max(p - q, p * 0) for p, q in zip(position.p, position.q, strict=True)]
    return _first_above(draws.uniform(), sum(excess), 0, excess)


def recover_with_rescaled_coin(position: Position, coin: Draw, draws: Draws) -> int:
    """Use the number that rejected the token again: given the rejection, it is uniform above."""
    threshold = position.p[position.token] / position.q[position.token]
    residual = recovery_row(position.p, position.q)
    rest = 1 - threshold
    return _first_above(coin, 1, -threshold, [prob * rest for prob in residual])


def _first_above(draw: Any, scale: Any, shift: Any, weights: Sequence[Any]) -> int:  # noqa: ANN401
    """Return the first token whose running sum exceeds ``scale * draw + shift``."""
    total = weights[0] * 0
    for token, weight in enumerate(weights[:-1]):
        total += weight
        if draw * scale + shift < total:
            return token
    return len(weights) - 1


def end_counting_replacement(kept: Context, position: Position, recovered: int) -> Verification:
    """Count the replacement among the accepted tokens: the counter is wrong, the law is right."""
    return Verification((*kept, recovered), None)


def accept_by_share(draw: Any, candidate: Candidate) -> bool:  # noqa: ANN401
    """Compare from the other side, with the candidate's complement."""
    return not draw >= candidate.row[candidate.token]


def end_in_two(tree: DraftTree, node: int, token: int) -> Verification:
    """Count the replacement among the accepted tokens."""
    return Verification((*tree.path(node), token), None)


LOOKALIKES: tuple[Rule[Any], ...] = (
    SlippedPathRule("no_slip"),
    SlippedPathRule("drawn_token_as_point_mass", propose_with=propose_forgotten),
    SlippedPathRule("argmax_as_point_mass", propose_with=propose_argmax_recorded),
    SlippedPathRule("accept_unless_refused", accept_with=accept_unless_refused),
    SlippedPathRule("accept_by_quotient", accept_with=accept_by_quotient),
    SlippedPathRule("residual_by_overlap", recover_with=recover_by_overlap),
    SlippedPathRule("residual_from_the_top", recover_with=recover_from_the_top),
    SlippedPathRule("residual_by_scaled_draw", recover_with=recover_by_scaled_draw),
    SlippedPathRule("recovered_with_rescaled_coin", recover_with=recover_with_rescaled_coin),
    SlippedPathRule("recovered_counted_as_accepted", end_rejected_with=end_counting_replacement),
    SlippedTreeRule("tree_no_slip"),
    SlippedTreeRule("tree_accept_by_complement", accept_with=accept_by_share),
    SlippedTreeRule("tree_bonus_at_leaf", end_at_leaf_with=extra_from_leaf),
    SlippedTreeRule("tree_recovered_counted_as_accepted", end_rejected_with=end_in_two),
)
"""Each is lossless."""
