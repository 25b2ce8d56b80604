"""Typical acceptance: keep draft tokens that are not too improbable for how uncertain the row is.

A draft token ``x`` is kept for certain if ``p(x) > min(epsilon, delta exp(-H(p)))``, ``H`` the
entropy in nats, with the strict comparison.  The first one that is not kept is replaced by the
target's most probable token; if all are kept, a bonus token is drawn from the target.  The law is
the draft's on the tokens kept, and the rest of the mass on the most probable one [1]_.

``exp(-H)`` is irrational for most rows, so the threshold is a float on exact rows, too.

Verifying takes one draw at most, for the bonus token.

References
----------
.. [1] Cai et al., "Medusa: Simple LLM Inference Acceleration Framework with Multiple Decoding
   Heads", 2024, arXiv:2401.10774, typical acceptance.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from specdec_core.distributions import Row, likeliest, point_mass
from specdec_core.draws import Draws
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ContextModel
from specdec_core.parameters import require_fraction
from specdec_core.proposals import DraftPath, draft_path, require_drafted
from specdec_core.rules.own_laws import kept_within, leading, own_model
from specdec_core.rules.rule import Verification
from specdec_core.sampling import sample


@dataclass(frozen=True, slots=True)
class Typicality:
    """What counts as typical: above ``min(epsilon, delta * exp(-entropy))``; both at least 0."""

    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        require_fraction(self.epsilon, "epsilon", minimum=0)
        require_fraction(self.delta, "delta", minimum=0)

    @classmethod
    def of(cls, instance: Instance) -> "Typicality":
        """Return an instance's parameters."""
        return cls(instance.fraction("epsilon", minimum=0), instance.fraction("delta", minimum=0))

    def typical(self, target_probs: Row) -> frozenset[int]:
        """Return the tokens that are kept.

        >>> sorted(Typicality(Fraction(1, 4), Fraction(1)).typical(Row([0.5, 0.25, 0.25])))
        [0]
        """
        probs = [float(target_probs[token]) for token in target_probs.support]
        entropy = -math.fsum(prob * math.log(prob) for prob in probs)
        threshold = min(float(self.epsilon), float(self.delta) * math.exp(-entropy))
        return frozenset(token for token, prob in enumerate(target_probs) if prob > threshold)

    def own_row(self, target_probs: Row, draft_probs: Row) -> Row:
        """Return the law of the emitted token."""
        best = point_mass(likeliest(target_probs), len(target_probs))
        return kept_within(draft_probs, self.typical(target_probs), best)


@dataclass(frozen=True, slots=True)
class TypicalPath:
    """A draft path, and what counts as typical."""

    path: DraftPath
    typicality: Typicality


@dataclass(frozen=True, slots=True)
class TypicalAcceptance:
    """Keep what is typical.

    Parameters of an instance: ``gamma``, at least 0; ``epsilon`` and ``delta``, at least 0.
    """

    name: str = "typical_acceptance"
    lossless: bool = False
    reference: str = "Cai et al. 2024 (Medusa), typical acceptance"

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """Draft tokens: ``gamma``; the two thresholds: ``epsilon`` and ``delta``."""
        return {
            "gamma": (1, 2),
            "epsilon": (Fraction(1, 4), Fraction(1, 10)),
            "delta": (Fraction(1, 2), Fraction(9, 10)),
        }

    def horizon(self, instance: Instance) -> int:
        """Return ``gamma + 1``."""
        Typicality.of(instance)
        return instance.integer("gamma", minimum=0) + 1

    def propose(self, instance: Instance, draws: Draws) -> TypicalPath:
        """Draw ``gamma`` tokens from the draft model."""
        typicality = Typicality.of(instance)
        path = draft_path(instance.draft, instance.integer("gamma", minimum=0), draws)
        return TypicalPath(path, typicality)

    def verify(self, proposal: TypicalPath, target: ContextModel, draws: Draws) -> Verification:
        """Keep draft tokens while they are typical, then take the target's best or a bonus."""
        require_drafted(proposal.path, target)
        tokens, typicality = proposal.path.tokens, proposal.typicality
        kept = leading(tokens, lambda context, token: token in typicality.typical(target(context)))
        if kept == tokens:
            return Verification(kept, sample(target(kept), draws.uniform()))
        return Verification(kept, likeliest(target(kept)))

    def claimed(self, instance: Instance) -> ContextModel:
        """Return the law above, and the target after ``gamma`` tokens."""
        gamma = instance.integer("gamma", minimum=0)
        own_row = partial(Typicality.own_row, Typicality.of(instance))
        return own_model(instance.target, instance.draft, gamma, own_row)
