"""Speculative cascade: let the draft decide where the target would have been content with it.

The target is content with a token ``x`` that is nearly its best: ``p(x) >= (1 - t) max(p)`` for a
tolerance ``t``.  With ``A`` the set of those, the cascade's own law ``pi`` is ``q`` on ``A``, and
``(1 - q(A)) p`` on top: the draft's token if the target is content with it, else one of the
target's.  Speculation then verifies against ``pi``: a draft token is kept with probability
``min(1, pi / q)``, and the first one that is not kept is replaced from ``norm(max(pi - q, 0))``
[1]_.  The bonus token comes from the target alone, as there is no draft row after the draft.

One draw for each position is taken up front, reached or not, and one more for the last token.

Not here: keeping the draft's token for certain if it lies in ``A`` (`judge_decoding`), which has
the same law and needs no coin.

References
----------
.. [1] Narasimhan et al., "Faster Cascades via Speculative Decoding", 2024, arXiv:2405.19261,
   the token-specific deferral rule.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from specdec_core.distributions import Row
from specdec_core.draws import Draws
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ContextModel
from specdec_core.parameters import require_fraction
from specdec_core.proposals import DraftPath, draft_path
from specdec_core.rules.own_laws import kept_within, own_model, verify_against
from specdec_core.rules.rule import Verification


@dataclass(frozen=True, slots=True)
class CascadedPath:
    """A draft path, and how far from its best token the target is content.

    Attributes
    ----------
    path : DraftPath
    tolerance : Fraction
        In ``[0, 1]``; zero admits the target's best alone, one every token.
    """

    path: DraftPath
    tolerance: Fraction

    def __post_init__(self) -> None:
        require_fraction(self.tolerance, "tolerance", minimum=0, maximum=1)


@dataclass(frozen=True, slots=True)
class SpeculativeCascade:
    """Token rejection against the token-specific cascade.

    Parameters of an instance: ``gamma``, at least 0, and ``tolerance``, in ``[0, 1]``.
    """

    name: str = "speculative_cascade"
    lossless: bool = False
    reference: str = "Narasimhan et al. 2024, token-specific speculative cascade"

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """Draft tokens: ``gamma``; how far below its best the target is content: ``tolerance``."""
        return {"gamma": (1, 2), "tolerance": (Fraction(1, 2), 0, 1)}

    def horizon(self, instance: Instance) -> int:
        """Return ``gamma + 1``."""
        instance.fraction("tolerance", minimum=0, maximum=1)
        return instance.integer("gamma", minimum=0) + 1

    def propose(self, instance: Instance, draws: Draws) -> CascadedPath:
        """Draw ``gamma`` tokens from the draft model."""
        tolerance = instance.fraction("tolerance", minimum=0, maximum=1)
        path = draft_path(instance.draft, instance.integer("gamma", minimum=0), draws)
        return CascadedPath(path, tolerance)

    def verify(self, proposal: CascadedPath, target: ContextModel, draws: Draws) -> Verification:
        """Verify token by token against the cascade, and add a bonus token of the target."""
        own_row = partial(cascade, tolerance=proposal.tolerance)
        return verify_against(own_row, proposal.path, target, draws)

    def claimed(self, instance: Instance) -> ContextModel:
        """Return the cascade, and the target after ``gamma`` tokens."""
        own_row = partial(cascade, tolerance=instance.fraction("tolerance", minimum=0, maximum=1))
        gamma = instance.integer("gamma", minimum=0)
        return own_model(instance.target, instance.draft, gamma, own_row)


def cascade(target_probs: Row, draft_probs: Row, tolerance: Fraction) -> Row:
    """Return the draft's row where the target is content, and the target's for the rest.

    >>> cascade(Row([0.5, 0.25, 0.25]), Row([0.25, 0.75, 0.0]), Fraction(1, 4))
    Row(0.625, 0.1875, 0.1875)
    """
    least = (1 - tolerance) * max(target_probs)
    content = {token for token, prob in enumerate(target_probs) if prob >= least}
    return kept_within(draft_probs, content, target_probs)
