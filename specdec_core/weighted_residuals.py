"""Residuals of weighted rows: what is left of ``w p`` where it exceeds ``v q``.

Block rules weigh the target's row ``p`` and the draft's row ``q`` by what was accepted so far,
lenient rules by how lenient they are.  Both need the mass of the excess ``max(w p - v q, 0)``,
which an accept test is made of, and the excess brought to unit mass, which a correction is drawn
from.  With both weights one it is `specdec_core.distributions.residual`.
"""

from dataclasses import dataclass

from specdec_core.distributions import Prob, Row, cached_on_rows, require_same_vocabulary


@dataclass(frozen=True, slots=True)
class WeightedResidual:
    """The excess of one weighted row over another.

    Attributes
    ----------
    mass : Fraction or float
        Its sum, nonnegative.
    row : Row
        The excess over its mass.  Where there is no mass it is the target's own row: no rule
        corrects from there but by rounding, as in `token_rejection`.
    """

    mass: Prob
    row: Row


@cached_on_rows
def weighted_residual(
    target_probs: Row, draft_probs: Row, target_weight: Prob = 1, draft_weight: Prob = 1
) -> WeightedResidual:
    """Return the excess ``max(target_weight * target_probs - draft_weight * draft_probs, 0)``.

    Raises
    ------
    ShapeError
        If the two rows differ in length.

    Examples
    --------
    >>> weighted_residual(Row([0.5, 0.5]), Row([0.25, 0.75]), target_weight=0.75)
    WeightedResidual(mass=0.125, row=Row(1.0, 0.0))
    """
    require_same_vocabulary(target_probs, draft_probs, "target_probs", "draft_probs")
    excess = [
        max(target_weight * p - draft_weight * q, p * 0)
        for p, q in zip(target_probs, draft_probs, strict=True)
    ]
    mass = sum(excess)
    if not mass:
        return WeightedResidual(mass, target_probs)
    return WeightedResidual(mass, Row._trusted(part / mass for part in excess))
