"""K-SEQ: try independent siblings one after another, each by the same discounted test.

Each of ``k`` siblings, drawn from the draft's row ``q``, is kept with probability
``min(1, p(x) / (rho q(x)))``; the target's row ``p`` is not changed by a refusal, the discount
``rho`` makes up for it.  One sibling is kept with probability ``b = sum(min(q, p / rho))``, one of
``k`` with ``1 - (1 - b)^k``, and if none is, a draw from

    ``norm(p - min(q, p / rho) (1 - (1 - b)^k) / b)``

is emitted [1]_.  That is a law, and the rule lossless, if ``1 - (1 - b)^k <= rho b``: always if
``rho >= k``, and for smaller ``rho``, which keep more, by how near the two rows are.  A node where
it is not so is refused.

References
----------
.. [1] Sun et al., "SpecTr: Fast Speculative Decoding via Optimal Transport", NeurIPS 2023,
   arXiv:2310.15141, Algorithm 2.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from specdec_core.distributions import Prob, Row, cached_on_rows
from specdec_core.draws import Draw, Draws
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ContextModel, context_key
from specdec_core.parameters import require_fraction
from specdec_core.rules.rule import Verification
from specdec_core.rules.top_down import TopDown
from specdec_core.sampling import accepts, sample
from specdec_core.sibling_trees import SiblingTree, draft_tree, require_target_vocabulary
from specdec_core.siblings import WITH_REPLACEMENT, Siblings
from specdec_core.weighted_residuals import weighted_residual


@dataclass(frozen=True, slots=True)
class DiscountedTree:
    """A tree of independent siblings, and the discount, at least 1, of their tests."""

    tree: SiblingTree
    rho: Fraction

    def __post_init__(self) -> None:
        require_fraction(self.rho, "rho", minimum=1)


@dataclass(frozen=True, slots=True)
class KSeq:
    """SpecTr's K-SEQ on trees in which every node has ``k`` children.

    Parameters of an instance: ``k`` and ``depth``, at least 1 each, and ``rho``, the discount, at
    least 1.
    """

    name: str = "k_seq"
    lossless: bool = True
    reference: str = "Sun et al. 2023 (SpecTr), Algorithm 2"

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """Children: ``k``; levels: ``depth``; the discount: ``rho``, valid for any two rows."""
        return {"k": (2, 1), "depth": (1, 2), "rho": (2,)}

    def horizon(self, instance: Instance) -> int:
        """Return ``depth + 1``."""
        instance.integer("k", minimum=1)
        instance.fraction("rho", minimum=1)
        return instance.integer("depth", minimum=1) + 1

    def propose(self, instance: Instance, draws: Draws) -> DiscountedTree:
        """Draw ``k`` independent siblings for every node."""
        k, depth = instance.integer("k", minimum=1), instance.integer("depth", minimum=1)
        rho = instance.fraction("rho", minimum=1)
        tree = draft_tree(
            lambda path, draws: WITH_REPLACEMENT(instance.draft(path), k, draws), depth, draws
        )
        return DiscountedTree(tree, rho)

    def verify(self, proposal: DiscountedTree, target: ContextModel, draws: Draws) -> Verification:
        """Test siblings with the discount, from the root on.

        Raises
        ------
        ProposalMismatchError
            If the siblings of a node are no independent draws from one row.
        InvalidParameterError
            If ``rho`` is too small for the two rows of a node.
        """
        require_target_vocabulary(proposal.tree, target)
        for path, siblings in proposal.tree.families:
            WITH_REPLACEMENT.require(siblings)
            require_valid(target(path), siblings, proposal.rho, f"node {context_key(path)!r}")
        return TopDown(DiscountedTests(proposal.rho))(proposal.tree, target, draws)


@dataclass(frozen=True, slots=True)
class DiscountedTests:
    """The single-level rule, at the discount ``rho``.

    Examples
    --------
    >>> from specdec_core.draws import ReplayedDraws
    >>> target, draft = Row([0.25, 0.75]), Row([0.5, 0.5])
    >>> siblings = Siblings((0, 1), (draft, draft))
    >>> DiscountedTests(Fraction(2))(siblings, target, (0.25, 0.5), ReplayedDraws([]))
    Verification(accepted=(1,), final=None)
    """

    rho: Fraction

    def __call__(
        self, siblings: Siblings, target_probs: Row, coins: Sequence[Draw], draws: Draws
    ) -> Verification:
        """Keep the first sibling that its coin accepts at a discount, or replace them all."""
        p, q = target_probs, siblings.draft_probs[0]
        for coin, token in zip(coins, siblings.tokens, strict=False):
            if accepts(coin, p[token], self.rho * q[token]):
                return Verification((token,), None)
        correction = correction_row(p, q, len(siblings.tokens), self.rho)
        return Verification((), sample(correction, draws.uniform()))


@cached_on_rows
def overlap(target_probs: Row, draft_probs: Row, rho: Fraction) -> Prob:
    """Return ``b``, the probability that one sibling is kept: ``sum(min(q, p / rho))``."""
    pairs = zip(target_probs, draft_probs, strict=True)
    return sum(min(q, p / rho) for p, q in pairs)


@cached_on_rows
def correction_row(target_probs: Row, draft_probs: Row, k: int, rho: Fraction) -> Row:
    """Return the row that replaces ``k`` siblings none of which was kept.

    It is the target's own where no sibling can be kept.
    """
    b = overlap(target_probs, draft_probs, rho)
    if not b:
        return target_probs
    pairs = zip(target_probs, draft_probs, strict=True)
    kept = Row([min(q, p / rho) / b for p, q in pairs])
    return weighted_residual(target_probs, kept, draft_weight=1 - (1 - b) ** k).row


def require_valid(target_probs: Row, siblings: Siblings, rho: Fraction, place: str) -> None:
    """Raise `InvalidParameterError` unless the correction of the siblings is a law."""
    k = len(siblings.tokens)
    b = overlap(target_probs, siblings.draft_probs[0], rho)
    # Past k no row is refused, not even one that falls short of one by rounding.
    if rho < k and 1 - (1 - b) ** k > rho * b:
        raise InvalidParameterError(
            f"parameter 'rho' is {rho}, too small for {place}: "
            f"{k} siblings are kept with probability {1 - (1 - b) ** k}, "
            f"expected at most rho times that of one, {rho * b}"
        )
