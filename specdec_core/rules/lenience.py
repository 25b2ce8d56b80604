"""Lenience: token rejection with the draft's probabilities scaled down.

With a lenience ``l`` in ``(0, 1]``, a draft token ``x`` is kept with probability
``min(1, p(x) / (l q(x)))``, and the first one that is not kept is replaced from
``norm(max(p - l q, 0))``.  If all are kept, a bonus token comes from the target.  The emitted token
follows ``min(q, p / l) + R max(p - l q, 0) / (1 - l + l R)`` with ``R = 1 - sum(min(q, p / l))``,
which is never above ``p / l``; a lenience of one is lossless [1]_.

One draw for each position is taken up front, reached or not, and one more for the last token.

References
----------
.. [1] Leviathan, Kalman, Matias, "Fast Inference from Transformers via Speculative Decoding",
   ICML 2023, arXiv:2211.17192, Appendix A.5.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from specdec_core.distributions import Row
from specdec_core.draws import Draws
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ContextModel
from specdec_core.parameters import require_positive_fraction
from specdec_core.proposals import DraftPath, draft_path, require_drafted
from specdec_core.rules.own_laws import own_model, rational
from specdec_core.rules.rule import Verification
from specdec_core.sampling import accepts, sample
from specdec_core.weighted_residuals import weighted_residual


@dataclass(frozen=True, slots=True)
class LenientPath:
    """A draft path, and how leniently it is to be judged.

    Attributes
    ----------
    path : DraftPath
    lenience : Fraction
        In ``(0, 1]``; one is strict.
    """

    path: DraftPath
    lenience: Fraction

    def __post_init__(self) -> None:
        require_positive_fraction(self.lenience, "lenience", maximum=1)


@dataclass(frozen=True, slots=True)
class Lenience:
    """Token rejection against scaled draft probabilities.

    Parameters of an instance: ``gamma``, at least 0, and ``lenience``, in ``(0, 1]``.
    """

    name: str = "lenience"
    lossless: bool = False
    reference: str = "Leviathan, Kalman, Matias 2023, Appendix A.5"

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """Draft tokens: ``gamma``; factor on the draft's probabilities: ``lenience``."""
        return {"gamma": (1, 2), "lenience": (Fraction(1, 2), Fraction(4, 5), 1)}

    def horizon(self, instance: Instance) -> int:
        """Return ``gamma + 1``."""
        instance.positive_fraction("lenience", maximum=1)
        return instance.integer("gamma", minimum=0) + 1

    def propose(self, instance: Instance, draws: Draws) -> LenientPath:
        """Draw ``gamma`` tokens from the draft model."""
        return lenient_path(instance, draws)

    def verify(self, proposal: LenientPath, target: ContextModel, draws: Draws) -> Verification:
        """Keep draft tokens until the first rejection, and replace that one."""
        return verify_leniently(proposal, target, lenient_correction, draws)

    def claimed(self, instance: Instance) -> ContextModel:
        """Return the closed form above, and the target after ``gamma`` tokens."""
        lenience = instance.positive_fraction("lenience", maximum=1)
        gamma = instance.integer("gamma", minimum=0)
        own_row = partial(lenient_row, lenience=lenience)
        return own_model(rational(instance.target), rational(instance.draft), gamma, own_row)


Correction = Callable[[Row, Row, Fraction], Row]
"""From the target's row, the draft's and the lenience to the row that a rejection draws from."""


def lenient_path(instance: Instance, draws: Draws) -> LenientPath:
    """Draw ``gamma`` tokens from the draft model, to be judged leniently."""
    lenience = instance.positive_fraction("lenience", maximum=1)
    path = draft_path(instance.draft, instance.integer("gamma", minimum=0), draws)
    return LenientPath(path, lenience)


def verify_leniently(
    proposal: LenientPath, target: ContextModel, correction: Correction, draws: Draws
) -> Verification:
    """Keep draft tokens until the first lenient rejection; correct that one, or add a bonus."""
    path, lenience = proposal.path, proposal.lenience
    require_drafted(path, target)
    coins = [draws.uniform() for _ in path.tokens]
    for i, token in enumerate(path.tokens):
        kept = path.tokens[:i]
        p, q = target(kept), path.draft_probs[i]
        if not accepts(coins[i], p[token], lenience * q[token]):
            return Verification(kept, sample(correction(p, q, lenience), draws.uniform()))
    return Verification(path.tokens, sample(target(path.tokens), draws.uniform()))


def lenient_correction(target_probs: Row, draft_probs: Row, lenience: Fraction) -> Row:
    """Return ``norm(max(target_probs - lenience * draft_probs, 0))``."""
    return weighted_residual(target_probs, draft_probs, 1, lenience).row


def lenient_row(target_probs: Row, draft_probs: Row, lenience: Fraction) -> Row:
    """Return the law of the emitted token: what is kept of the draft, and what corrects the rest.

    Examples
    --------
    >>> lenient_row(Row([0.25, 0.75]), Row([0.75, 0.25]), Fraction(1, 2))
    Row(0.5, 0.5)
    """
    # Summed as the accept test makes them, so that rounding refuses in both places or in neither.
    refused = weighted_residual(draft_probs, target_probs, lenience).mass / lenience
    corrected = lenient_correction(target_probs, draft_probs, lenience)
    return Row._trusted(
        min(q, p / lenience) + refused * r
        for p, q, r in zip(target_probs, draft_probs, corrected, strict=True)
    )
