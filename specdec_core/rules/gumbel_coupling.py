"""Gumbel-max with shared noise: draft and target race over the same exponential clocks.

Give every token ``i`` an exponential clock ``E_i`` of rate one, the same for both sides.  The
draft's token is the first of the race in which ``i`` arrives at ``E_i / q_i``, the target's own
token the first of the race in which it arrives at ``E_i / p_i``.  (With ``G_i = -log E_i``, which
is Gumbel noise, these are the largest of ``log q_i + G_i`` and of ``log p_i + G_i``.)  The draft
token is kept while the two agree; the first target token that differs is emitted [1]_.

**The joint law of the two tokens.**  Let the draft's token be ``x``, arriving at ``s``, and the
target's ``y != x``, arriving at ``t``.  Then ``E_x = s q_x`` and ``E_y = t p_y``, and no clock is
before its time in either race: ``E_i >= max(s q_i, t p_i)`` for every ``i``.  For ``x`` and ``y``
themselves that says ``q_y / p_y <= t / s <= q_x / p_x``.  The density of ``(s, t)`` there is
``q_x p_y exp(-sum_i max(s q_i, t p_i))``.  Put ``t = r s`` and integrate over ``s``: what is left
is ``q_x p_y dr / D(r)^2`` with ``D(r) = sum_i max(q_i, r p_i)``.  ``D`` is linear between two
neighbouring ratios ``q_i / p_i``, and the integral of ``1 / D^2`` over a stretch ``[a, b]`` on
which it is linear is ``(b - a) / (D(a) D(b))``.  If both tokens are ``x``, ``E_x`` alone decides,
with ``s q_x`` or ``t p_x``, whichever is larger, and

    ``J(x) = 1 / sum_i max(p_i / p_x, q_i / q_x) = q_x / D(q_x / p_x)``.

Everything is rational, so on exact rows the law is exact.

The clocks of one race cannot stand in this project's draws, since two draws are never compared.
Instead the pair is drawn from the law above in two choices: the draft's token from its row, and
the target's from `gumbel_partner`, its law given the draft's token.  The law of a round is that of
the algorithm with shared noise; what is lost is that the drafter could do without the target's
row, and the target without the draft's.

One draw for each position and one for the bonus token are taken up front, reached or not.

References
----------
.. [1] Daliri, Musco, Suresh, "Coupling without Communication and Drafter-Invariant Speculative
   Decoding", 2024, arXiv:2408.07978.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from specdec_core.distributions import Prob, Row, cached_on_rows, require_same_vocabulary
from specdec_core.draws import Draws
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ContextModel
from specdec_core.proposals import DraftPath, draft_path
from specdec_core.rules.couplings import keep_coupled
from specdec_core.rules.rule import Verification


@dataclass(frozen=True, slots=True)
class GumbelCoupling:
    """The Gumbel-max coupling.

    Parameters of an instance: ``gamma``, at least 0.
    """

    name: str = "gumbel_coupling"
    lossless: bool = True
    reference: str = "Daliri, Musco, Suresh 2024, Gumbel-max with shared noise"

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """Draft tokens: ``gamma``."""
        return {"gamma": (1, 2, 3)}

    def horizon(self, instance: Instance) -> int:
        """Return ``gamma + 1``."""
        return instance.integer("gamma", minimum=0) + 1

    def propose(self, instance: Instance, draws: Draws) -> DraftPath:
        """Draw ``gamma`` tokens from the draft model."""
        return draft_path(instance.draft, instance.integer("gamma", minimum=0), draws)

    def verify(self, proposal: DraftPath, target: ContextModel, draws: Draws) -> Verification:
        """Keep draft tokens while the target's, first in the same race, equal them."""
        return keep_coupled(proposal, target, gumbel_partner, draws)


@cached_on_rows
def gumbel_partner(target_probs: Row, draft_probs: Row, token: int) -> Row:
    """Return the law of the target's token, given that the draft's race was won by ``token``.

    Parameters
    ----------
    target_probs, draft_probs : (V,) Row
    token : int
        Of nonzero draft probability.

    Examples
    --------
    >>> from fractions import Fraction
    >>> target, draft = Row([Fraction(1, 3), Fraction(2, 3)]), Row([Fraction(2, 3), Fraction(1, 3)])
    >>> gumbel_partner(target, draft, 0)
    Row(1/2, 1/2)
    """
    # Walk the ratios q / p downwards from the token's own; p target, q draft.
    p, q = target_probs, draft_probs
    require_same_vocabulary(p, q, "target_probs", "draft_probs")
    ratios = {other: _ratio(p, q, other) for other in (token, *p.support)}
    own = ratios[token]
    weights = [prob * 0 for prob in p]
    weights[token] = own.target / own.pace
    integral, last = own.pace * 0, own
    for other in sorted(ratios, key=lambda other: -ratios[other].draft):
        ratio = ratios[other]
        if ratio.draft < own.draft:
            integral += ratio.integral_to(last)
            weights[other] = p[other] * integral
            last = ratio
    mass = sum(weights)  # one, but for rounding
    return Row._trusted(weight / mass for weight in weights)


class Ratio(NamedTuple):
    """A ratio ``q_x / p_x`` as two shares that sum to one, so that none is infinite.

    Attributes
    ----------
    draft, target : Fraction or float
        ``q_x`` and ``p_x``, over their sum.
    pace : Fraction or float
        ``sum_i max(target q_i, draft p_i)``: the target's share of ``D(q_x / p_x)``; at least 1/2.
    """

    draft: Prob
    target: Prob
    pace: Prob

    def integral_to(self, higher: "Ratio") -> Prob:
        """Return the integral of ``1 / D^2`` up to a ratio with no other one between."""
        stretch = higher.draft * self.target - self.draft * higher.target
        return stretch / (self.pace * higher.pace)


def _ratio(p: Row, q: Row, token: int) -> Ratio:
    both = p[token] + q[token]
    draft, target = q[token] / both, p[token] / both
    pairs = zip(p, q, strict=True)
    pace = sum(max(target * other_q, draft * other_p) for other_p, other_q in pairs)
    return Ratio(draft, target, pace)
