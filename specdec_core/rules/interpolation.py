"""Interpolation: verify against a mixture of the two models (a static ensemble).

A draft token is judged against ``m = (1 - w) p + w q``: kept with probability ``min(1, m / q)``,
and the first one that is not kept is replaced from ``norm(max(m - q, 0))``, which is the residual
of ``p`` itself.  That is token rejection with ``m`` for a target, so ``m`` is what it emits.  The
bonus token comes from the target alone, as there is no draft row after the draft.  In transformers
the weight is ``assistant_ensemble_weight``.

One draw for each position is taken up front, reached or not, and one more for the last token.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from specdec_core.distributions import Row, require_same_vocabulary
from specdec_core.draws import Draws
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ContextModel
from specdec_core.parameters import require_fraction
from specdec_core.proposals import DraftPath, draft_path
from specdec_core.rules.own_laws import own_model, verify_against
from specdec_core.rules.rule import Verification


@dataclass(frozen=True, slots=True)
class WeightedPath:
    """A draft path, and the draft's weight in the mixture that judges it.

    Attributes
    ----------
    path : DraftPath
    weight : Fraction
        In ``[0, 1]``; zero is lossless, one accepts everything.
    """

    path: DraftPath
    weight: Fraction

    def __post_init__(self) -> None:
        require_fraction(self.weight, "weight", minimum=0, maximum=1)


@dataclass(frozen=True, slots=True)
class Interpolation:
    """Token rejection against a mixture.

    Parameters of an instance: ``gamma``, at least 0, and ``weight`` of the draft, in ``[0, 1]``.
    """

    name: str = "interpolation"
    lossless: bool = False
    reference: str = "static ensemble, as transformers' assistant_ensemble_weight"

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """Draft tokens: ``gamma``; the draft's share of the mixture: ``weight``."""
        return {"gamma": (1, 2), "weight": (Fraction(1, 3), 0, 1)}

    def horizon(self, instance: Instance) -> int:
        """Return ``gamma + 1``."""
        instance.fraction("weight", minimum=0, maximum=1)
        return instance.integer("gamma", minimum=0) + 1

    def propose(self, instance: Instance, draws: Draws) -> WeightedPath:
        """Draw ``gamma`` tokens from the draft model."""
        weight = instance.fraction("weight", minimum=0, maximum=1)
        path = draft_path(instance.draft, instance.integer("gamma", minimum=0), draws)
        return WeightedPath(path, weight)

    def verify(self, proposal: WeightedPath, target: ContextModel, draws: Draws) -> Verification:
        """Verify token by token against the mixture, and add a bonus token of the target."""
        own_row = partial(mixture, weight=proposal.weight)
        return verify_against(own_row, proposal.path, target, draws)

    def claimed(self, instance: Instance) -> ContextModel:
        """Return the mixture, and the target after ``gamma`` tokens."""
        own_row = partial(mixture, weight=instance.fraction("weight", minimum=0, maximum=1))
        gamma = instance.integer("gamma", minimum=0)
        return own_model(instance.target, instance.draft, gamma, own_row)


def mixture(target_probs: Row, draft_probs: Row, weight: Fraction) -> Row:
    """Return ``(1 - weight) * target_probs + weight * draft_probs``.

    >>> mixture(Row([0.5, 0.5]), Row([1.0, 0.0]), Fraction(1, 2))
    Row(0.75, 0.25)
    """
    require_same_vocabulary(target_probs, draft_probs, "target_probs", "draft_probs")
    return Row._trusted(
        (1 - weight) * p + weight * q for p, q in zip(target_probs, draft_probs, strict=True)
    )
