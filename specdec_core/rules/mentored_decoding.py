"""Mentored decoding: as lenient as `lenience`, but no further from the target than need be.

A draft token ``x`` is kept with probability ``min(1, p(x) / (l q(x)))``, as under lenience, but a
rejection is corrected from ``norm(max(c p - q, 0))``, where ``c`` in ``[0, 1]`` is the share of the
target that every token is to have at least.  It is fixed by the mass that was refused: the excess
``max(c p - q, 0)`` has to sum to ``sum(max(q - p / l, 0))``.  The emitted token then follows the
draft's row clipped to ``[c p, p / l]``, which is as near to the draft as those bounds allow.  A
lenience of one gives ``c = 1``, and is lossless [1]_.  (In the paper's letters ``l`` is ``a`` and
``c`` is ``1 / b``.)

One draw for each position is taken up front, reached or not, and one more for the last token.

References
----------
.. [1] Tran-Thien, "An optimal lossy variant of speculative decoding", 2023 (mentored decoding).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from specdec_core.distributions import Prob, Row, cached_on_rows
from specdec_core.draws import Draws
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ContextModel
from specdec_core.rules.lenience import LenientPath, lenient_path, verify_leniently
from specdec_core.rules.own_laws import own_model, rational
from specdec_core.rules.rule import Verification
from specdec_core.weighted_residuals import weighted_residual


@dataclass(frozen=True, slots=True)
class MentoredDecoding:
    """Lenient acceptance, with the correction that clips the draft's row.

    Parameters of an instance: ``gamma``, at least 0, and ``lenience``, in ``(0, 1]``.
    """

    name: str = "mentored_decoding"
    lossless: bool = False
    reference: str = "Tran-Thien 2023, mentored decoding"

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
        return verify_leniently(proposal, target, mentored_correction, draws)

    def claimed(self, instance: Instance) -> ContextModel:
        """Return the draft clipped by the target, and the target after ``gamma`` tokens."""
        lenience = instance.positive_fraction("lenience", maximum=1)
        gamma = instance.integer("gamma", minimum=0)
        own_row = partial(clipped_row, lenience=lenience)
        return own_model(rational(instance.target), rational(instance.draft), gamma, own_row)


def mentored_correction(target_probs: Row, draft_probs: Row, lenience: Fraction) -> Row:
    """Return the row that a rejected token is replaced from."""
    share = least_share(target_probs, draft_probs, lenience)
    return weighted_residual(target_probs, draft_probs, share).row


def clipped_row(target_probs: Row, draft_probs: Row, lenience: Fraction) -> Row:
    """Return the law of the emitted token: the draft's row, clipped; p target, q draft.

    Examples
    --------
    >>> clipped_row(Row([0.25, 0.75]), Row([0.75, 0.25]), Fraction(1, 2))
    Row(0.5, 0.5)
    """
    share = least_share(target_probs, draft_probs, lenience)
    return Row._trusted(
        max(min(q, p / lenience), share * p) for p, q in zip(target_probs, draft_probs, strict=True)
    )


@cached_on_rows
def least_share(target_probs: Row, draft_probs: Row, lenience: Fraction) -> Prob:
    """Return the share ``c`` for which ``max(c p - q, 0)`` sums to the mass that was refused.

    The sum is linear in ``c`` between the ratios ``q / p``: tokens are added from the lowest ratio
    up, until the next one would not be raised any more.

    Examples
    --------
    >>> target, draft = Row([Fraction(1, 4), Fraction(3, 4)]), Row([Fraction(3, 4), Fraction(1, 4)])
    >>> least_share(target, draft, Fraction(1, 2))
    Fraction(2, 3)
    """
    p, q = target_probs, draft_probs
    wanted = weighted_residual(q, p, lenience).mass / lenience
    ratios = {token: q[token] / p[token] for token in p.support}
    lowest, *others = sorted(ratios, key=lambda token: ratios[token])
    target_mass, draft_mass = p[lowest], q[lowest]
    for token in others:
        if (wanted + draft_mass) / target_mass <= ratios[token]:
            break
        target_mass += p[token]
        draft_mass += q[token]
    # Rows that miss one by rounding would lift the share past one, where nothing is refused.
    return min((wanted + draft_mass) / target_mass, 1)
