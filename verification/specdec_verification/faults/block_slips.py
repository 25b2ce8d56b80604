"""Slips in block verification: one realistic mistake at a time.

`SlippedBlockRule` is block verification with each of its steps a field, so that a slip is one step
replaced.  With no step replaced it is the rule itself, path by path; a test holds it to that.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from specdec_core.distributions import Prob, Row
from specdec_core.draws import Draw, Draws
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ContextModel
from specdec_core.proposals import DraftPath, draft_path
from specdec_core.rules import Verification
from specdec_core.rules.block_verification import Odds, longest_kept, prefix_weights
from specdec_core.sampling import accepts, sample
from specdec_core.weighted_residuals import weighted_residual


def correction(target_probs: Row, draft_probs: Row, weight: Prob) -> Row:
    """Return the row that follows a kept prefix of a weight."""
    return weighted_residual(target_probs, draft_probs, weight).row


def passing(target_probs: Row, draft_probs: Row, weight: Prob) -> Odds:
    """Return how likely a prefix is to pass, by the rows after it."""
    mass = weighted_residual(target_probs, draft_probs, weight).mass
    return Odds(mass, mass + 1 - weight)


@dataclass(frozen=True, slots=True)
class SlippedBlockRule:
    """Block verification, with steps that can be replaced one by one."""

    name: str
    weigh_with: Callable[[DraftPath, ContextModel], list[Prob]] = prefix_weights
    pass_with: Callable[[Row, Row, Prob], Odds] = passing
    keep_with: Callable[[Sequence[Odds], Sequence[Draw]], int] = longest_kept
    correct_with: Callable[[Row, Row, Prob], Row] = correction
    lossless: bool = True
    reference: str = "block verification with a planted slip"

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """Draft tokens: ``gamma``."""
        return {"gamma": (2, 1, 3)}

    def horizon(self, instance: Instance) -> int:
        """Return ``gamma + 1``."""
        return instance.integer("gamma", minimum=1) + 1

    def propose(self, instance: Instance, draws: Draws) -> DraftPath:
        """Draw ``gamma`` tokens from the draft model."""
        return draft_path(instance.draft, instance.integer("gamma", minimum=1), draws)

    def verify(self, proposal: DraftPath, target: ContextModel, draws: Draws) -> Verification:
        """Verify with the given steps."""
        tokens, q = proposal.tokens, proposal.draft_probs
        coins = [draws.uniform() for _ in tokens]
        weights = self.weigh_with(proposal, target)
        p = [target(tokens[:i]) for i in range(len(tokens) + 1)]
        odds = [self.pass_with(p[i], q[i], weights[i]) for i in range(1, len(tokens))]
        kept = self.keep_with([*odds, Odds(weights[-1], 1)], coins)
        row = p[-1] if kept == len(tokens) else self.correct_with(p[kept], q[kept], weights[kept])
        return Verification(tokens[:kept], sample(row, draws.uniform()))


def weigh_as_point_masses(path: DraftPath, target: ContextModel) -> list[Prob]:
    """Put 1 for every draft probability in the running product."""
    weights: list[Prob] = [1]
    for i, token in enumerate(path.tokens):
        weights.append(weights[-1] * target(path.tokens[:i])[token])
    return weights


def weigh_tokens_apart(path: DraftPath, target: ContextModel) -> list[Prob]:
    """Weigh each prefix by its last token alone."""
    weights: list[Prob] = [1]
    for i, (token, q) in enumerate(zip(path.tokens, path.draft_probs, strict=True)):
        weights.append(min(target(path.tokens[:i])[token] / q[token], q[token] * 0 + 1))
    return weights


def weigh_without_cap(path: DraftPath, target: ContextModel) -> list[Prob]:
    """Take the product of the ratios as it is, and cap it at the end of the draft alone."""
    weights: list[Prob] = [1]
    for i, (token, q) in enumerate(zip(path.tokens, path.draft_probs, strict=True)):
        weights.append(weights[-1] * target(path.tokens[:i])[token] / q[token])
    return [min(weight, weight * 0 + 1) for weight in weights]


def pass_by_weight(target_probs: Row, draft_probs: Row, weight: Prob) -> Odds:
    """Let a prefix pass with its own weight, whatever comes after it."""
    return Odds(weight, 1)


def keep_until_failure(odds: Sequence[Odds], coins: Sequence[Draw]) -> int:
    """Stop at the first prefix that fails, as a rule for tokens would."""
    for length, (coin, chance) in enumerate(zip(coins, odds, strict=True)):
        if not accepts(coin, *chance):
            return length
    return len(coins)


def correct_without_weight(target_probs: Row, draft_probs: Row, weight: Prob) -> Row:
    """Take the residual of the token rule."""
    return weighted_residual(target_probs, draft_probs).row


def correct_from_target(target_probs: Row, draft_probs: Row, weight: Prob) -> Row:
    """Take the target's row."""
    return target_probs
