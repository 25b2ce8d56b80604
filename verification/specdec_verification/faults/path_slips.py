"""Slips in single-path verification: one realistic mistake at a time.

`SlippedPathRule` is token rejection with each of its steps a field, so that a slip is one step
replaced.  With no step replaced it is the rule itself, path by path; a test holds it to that.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from specdec_core.distributions import Row, point_mass
from specdec_core.draws import Draw, Draws
from specdec_core.instances import Instance, Parameter
from specdec_core.models import Context, ContextModel
from specdec_core.proposals import DraftPath, draft_path
from specdec_core.rules import Verification
from specdec_core.rules.token_rejection import recovery_row
from specdec_core.sampling import accepts, sample


@dataclass(frozen=True, slots=True)
class Position:
    """What a step sees: one position of a draft, with both rows."""

    index: int
    proposal: DraftPath
    target_probs: tuple[Row, ...]

    @property
    def token(self) -> int:
        """The draft token here."""
        return self.proposal.tokens[self.index]

    @property
    def p(self) -> Row:
        """The target's row here."""
        return self.target_probs[self.index]

    @property
    def q(self) -> Row:
        """The row that the draft token was drawn from."""
        return self.proposal.draft_probs[self.index]


def propose(instance: Instance, draws: Draws) -> DraftPath:
    """Draw ``gamma`` tokens from the draft model."""
    return draft_path(instance.draft, instance.integer("gamma", minimum=1), draws)


def score(target: ContextModel, tokens: Context) -> tuple[Row, ...]:
    """Return the target's rows, one a draft token, and the bonus row."""
    return tuple(target(tokens[:i]) for i in range(len(tokens) + 1))


def take_coins(proposal: DraftPath, draws: Draws) -> list[Draw]:
    """Take one draw for each position."""
    return [draws.uniform() for _ in proposal.tokens]


def accept(draw: Draw, position: Position) -> bool:
    """Keep the token with probability ``min(1, p / q)``."""
    return accepts(draw, position.p[position.token], position.q[position.token])


def recover(position: Position, coin: Draw, draws: Draws) -> int:
    """Replace a rejected token from the residual."""
    return sample(recovery_row(position.p, position.q), draws.uniform())


def end_rejected(kept: Context, position: Position, recovered: int) -> Verification:
    """Emit the kept tokens and the replacement."""
    return Verification(kept, recovered)


def end_accepted(
    proposal: DraftPath, target_probs: tuple[Row, ...], coins: list[Draw], draws: Draws
) -> Verification:
    """Emit the draft and a bonus token."""
    return Verification(proposal.tokens, sample(target_probs[-1], draws.uniform()))


@dataclass(frozen=True, slots=True)
class SlippedPathRule:
    """Token rejection with the bonus token, with steps that can be replaced one by one."""

    name: str
    propose_with: Callable[[Instance, Draws], DraftPath] = propose
    score_with: Callable[[ContextModel, Context], tuple[Row, ...]] = score
    take_coins_with: Callable[[DraftPath, Draws], list[Draw]] = take_coins
    accept_with: Callable[[Any, Position], bool] = accept
    recover_with: Callable[[Position, Draw, Draws], int] = recover
    end_rejected_with: Callable[[Context, Position, int], Verification] = end_rejected
    end_accepted_with: Callable[..., Verification] = end_accepted
    lossless: bool = True
    reference: str = "token rejection with a planted slip"

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """Draft tokens: ``gamma``."""
        return {"gamma": (1, 2, 3)}

    def horizon(self, instance: Instance) -> int:
        """Return ``gamma + 1``."""
        return instance.integer("gamma", minimum=1) + 1

    def propose(self, instance: Instance, draws: Draws) -> DraftPath:
        """Propose with the given step."""
        return self.propose_with(instance, draws)

    def verify(self, proposal: DraftPath, target: ContextModel, draws: Draws) -> Verification:
        """Verify with the given steps."""
        target_probs = self.score_with(target, proposal.tokens)
        coins = self.take_coins_with(proposal, draws)
        for index, coin in enumerate(coins):
            position = Position(index, proposal, target_probs)
            if not self.accept_with(coin, position):
                recovered = self.recover_with(position, coin, draws)
                return self.end_rejected_with(proposal.tokens[:index], position, recovered)
        return self.end_accepted_with(proposal, target_probs, coins, draws)


def propose_argmax(instance: Instance, draws: Draws) -> DraftPath:
    """Take the likeliest token, and record the soft row."""
    tokens: Context = ()
    rows = []
    for _ in range(instance.integer("gamma", minimum=1)):
        row = instance.draft(tokens)
        rows.append(row)
        tokens = (*tokens, row.index(max(row)))
    return DraftPath(tokens, tuple(rows))


def propose_from_other_row(instance: Instance, draws: Draws) -> DraftPath:
    """Draw each token from its row, and record the row of the round's start."""
    drawn = propose(instance, draws)
    return DraftPath(drawn.tokens, (drawn.draft_probs[0],) * len(drawn.tokens))


def propose_from_filtered(instance: Instance, draws: Draws) -> DraftPath:
    """Draw from the row without its least likely token, and record the row with it."""
    tokens: Context = ()
    rows = []
    for _ in range(instance.integer("gamma", minimum=1)):
        row = instance.draft(tokens)
        rows.append(row)
        tokens = (*tokens, sample(_without_least(row), draws.uniform()))
    return DraftPath(tokens, tuple(rows))


def _without_least(row: Row) -> Row:
    least = min(row.support, key=row.__getitem__)
    kept = 1 - row[least]
    if not kept:
        return row
    return Row(0 * prob if token == least else prob / kept for token, prob in enumerate(row))


def take_one_coin(proposal: DraftPath, draws: Draws) -> list[Draw]:
    """Take one draw, and use it at every position."""
    return [draws.uniform()] * len(proposal.tokens)


def accept_inclusive(draw: Any, position: Position) -> bool:  # noqa: ANN401  (number or symbol)
    """Accept at equality too."""
    p, q, token = position.p, position.q, position.token
    return bool(draw * q[token] <= p[token])


def accept_swapped(draw: Draw, position: Position) -> bool:
    """Swap the two laws in the ratio."""
    return accepts(draw, position.q[position.token], position.p[position.token])


def accept_target(draw: Draw, position: Position) -> bool:
    """Accept with the target's probability, as if the draft token were a point mass."""
    return accepts(draw, position.p[position.token], position.p[position.token] * 0 + 1)


def accept_likelier(draw: Draw, position: Position) -> bool:
    """Accept exactly the tokens that the target finds at least as likely."""
    return position.p[position.token] >= position.q[position.token]


def accept_always(draw: Draw, position: Position) -> bool:
    """Accept every token."""
    return True


def accept_leniently(draw: Draw, position: Position) -> bool:
    """Multiply the ratio by a factor above one."""
    return accepts(draw, position.p[position.token] * Fraction(5, 4), position.q[position.token])


def accept_first_row(draw: Draw, position: Position) -> bool:
    """Read the target's probability from the row of the first position."""
    return accepts(draw, position.target_probs[0][position.token], position.q[position.token])


def accept_next_row(draw: Draw, position: Position) -> bool:
    """Read the target's probability from the next row: one row too late."""
    later = position.target_probs[position.index + 1]
    return accepts(draw, later[position.token], position.q[position.token])


def accept_next_token(draw: Draw, position: Position) -> bool:
    """Judge each token but the last by the token after it."""
    tokens = position.proposal.tokens
    token = tokens[min(position.index + 1, len(tokens) - 1)]
    return accepts(draw, position.p[token], position.q[token])


def recover_reversed(position: Position, coin: Draw, draws: Draws) -> int:
    """Take the residual from ``q - p``."""
    return sample(recovery_row(position.q, position.p), draws.uniform())


def recover_from_target(position: Position, coin: Draw, draws: Draws) -> int:
    """Draw the replacement from the target."""
    return sample(position.p, draws.uniform())


def recover_from_draft(position: Position, coin: Draw, draws: Draws) -> int:
    """Draw the replacement from the draft."""
    return sample(position.q, draws.uniform())


def recover_likeliest(position: Position, coin: Draw, draws: Draws) -> int:
    """Take the residual's likeliest token, and draw nothing."""
    row = recovery_row(position.p, position.q)
    return row.index(max(row))


def recover_without_token(position: Position, coin: Draw, draws: Draws) -> int:
    """Remove only the rejected token from the target, as for a point mass."""
    row = recovery_row(position.p, point_mass(position.token, len(position.p)))
    return sample(row, draws.uniform())


def recover_unnormalised(position: Position, coin: Draw, draws: Draws) -> int:
    """Invert the residual's running sums without dividing by its mass."""
    excess = [max(p - q, Fraction(0)) for p, q in zip(position.p, position.q, strict=True)]
    excess[-1] += 1 - sum(excess)
    return sample(Row(excess), draws.uniform())


def recover_with_coin(position: Position, coin: Draw, draws: Draws) -> int:
    """Draw the replacement with the number that rejected the token."""
    return sample(recovery_row(position.p, position.q), coin)


def recover_next_row(position: Position, coin: Draw, draws: Draws) -> int:
    """Take the residual's target row from the next position."""
    later = position.target_probs[position.index + 1]
    return sample(recovery_row(later, position.q), draws.uniform())


def recover_first_draft_row(position: Position, coin: Draw, draws: Draws) -> int:
    """Subtract the draft's row of the first position, whichever was rejected."""
    return sample(recovery_row(position.p, position.proposal.draft_probs[0]), draws.uniform())


def end_keeping_rejected(kept: Context, position: Position, recovered: int) -> Verification:
    """Emit the rejected token before its replacement."""
    return Verification((*kept, position.token), recovered)


def end_keeping_rest(kept: Context, position: Position, recovered: int) -> Verification:
    """Keep the rest of the draft behind the replacement."""
    rest = position.proposal.tokens[len(kept) + 1 :]
    return Verification((*kept, recovered, *rest), None)


def bonus_from_last_row(
    proposal: DraftPath, target_probs: tuple[Row, ...], coins: list[Draw], draws: Draws
) -> Verification:
    """Draw the bonus token from the row before: off by one."""
    return Verification(proposal.tokens, sample(target_probs[-2], draws.uniform()))


def bonus_from_draft(
    proposal: DraftPath, target_probs: tuple[Row, ...], coins: list[Draw], draws: Draws
) -> Verification:
    """Draw the bonus token from the last draft row."""
    return Verification(proposal.tokens, sample(proposal.draft_probs[-1], draws.uniform()))


def bonus_likeliest(
    proposal: DraftPath, target_probs: tuple[Row, ...], coins: list[Draw], draws: Draws
) -> Verification:
    """Take the likeliest bonus token."""
    row = target_probs[-1]
    return Verification(proposal.tokens, row.index(max(row)))


def bonus_with_coin(
    proposal: DraftPath, target_probs: tuple[Row, ...], coins: list[Draw], draws: Draws
) -> Verification:
    """Draw the bonus token with the number that accepted the last draft token."""
    return Verification(proposal.tokens, sample(target_probs[-1], coins[-1]))
