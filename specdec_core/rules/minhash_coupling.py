"""Weighted MinHash: draft and target read one list of random points, each to its first hit.

Points ``(i, h)`` come in an endless list, ``i`` uniform over the tokens and ``h`` uniform in
``[0, 1)``.  The draft's token is the ``i`` of the first point with ``h < q_i``, the target's own
that of the first with ``h < p_i``.  The draft token is kept while the two agree; the first target
token that differs is emitted [1]_.

**The joint law of the two tokens.**  The first point that either side takes lies, with ``i = x``,
under both rows with weight ``min(p_x, q_x)``, under the draft's alone with ``max(q_x - p_x, 0)``,
under the target's alone with ``max(p_x - q_x, 0)``; the weights sum to ``sum(max(p, q))``.  Under
both, both tokens are ``x``.  Under one alone, that side has its token, and the other reads on, to a
token that follows its own row, independent of the first.  Both are ``x`` with probability

    ``J(x) = (min(p, q) + max(p - q, 0) q + max(q - p, 0) p)(x) / sum(max(p, q))``.

An endless list cannot stand in a proposal, so the pair is drawn from that law in two choices: the
draft's token from its row, and the target's from `minhash_partner`, its law given the draft's
token.  The law of a round is that of the algorithm with the shared list; what is lost is that the
drafter could do without the target's row, and the target without the draft's.

One draw for each position and one for the bonus token are taken up front, reached or not.

References
----------
.. [1] Daliri, Musco, Suresh, "Coupling without Communication and Drafter-Invariant Speculative
   Decoding", 2024, arXiv:2408.07978.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from specdec_core.distributions import Row, cached_on_rows, require_same_vocabulary
from specdec_core.draws import Draws
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ContextModel
from specdec_core.proposals import DraftPath, draft_path
from specdec_core.rules.couplings import keep_coupled
from specdec_core.rules.rule import Verification


@dataclass(frozen=True, slots=True)
class MinhashCoupling:
    """The weighted MinHash coupling.

    Parameters of an instance: ``gamma``, at least 0.
    """

    name: str = "minhash_coupling"
    lossless: bool = True
    reference: str = "Daliri, Musco, Suresh 2024, weighted MinHash"

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
        """Keep draft tokens while the target's, from the same list, equal them."""
        return keep_coupled(proposal, target, minhash_partner, draws)


@cached_on_rows
def minhash_partner(target_probs: Row, draft_probs: Row, token: int) -> Row:
    """Return the law of the target's token, given that the draft's first hit was ``token``.

    Parameters
    ----------
    target_probs, draft_probs : (V,) Row
    token : int
        Of nonzero draft probability.

    Examples
    --------
    >>> from fractions import Fraction
    >>> target, draft = Row([Fraction(1, 3), Fraction(2, 3)]), Row([Fraction(2, 3), Fraction(1, 3)])
    >>> minhash_partner(target, draft, 0)
    Row(1/2, 1/2)
    """
    # Weigh who took the first point: both, the draft alone, or the target; p target, q draft.
    p, q = target_probs, draft_probs
    require_same_vocabulary(p, q, "target_probs", "draft_probs")
    both = min(p[token] / q[token], 1)  # of the points that the draft takes as its token
    weights = [
        (1 - both) * other_p + max(other_p - other_q, other_p * 0)
        for other_p, other_q in zip(p, q, strict=True)
    ]
    weights[token] += both
    mass = sum(weights)  # one, and the total variation of the two
    return Row._trusted(weight / mass for weight in weights)
