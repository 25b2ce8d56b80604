"""Optimal transport: keep a sibling as often as any rule can.

A rule that emits the target's row ``p`` and sees the draft set ``S`` is a transport of the sets'
law to ``p``.  What is carried from ``S`` to a token in it is accepted, and as much as can be is a
maximum flow [1]_.  `specdec_core.optimal_acceptance` says how much that is without finding one;
here one is found, and played: a token of ``S`` is kept with the share of ``S`` that the plan
carries to it, and if none is, a draw from what the plan leaves of ``p`` is emitted.

The plan is not unique: acceptance is, and which tokens are kept is not.  It goes through every
draft set, so this is a reference for small vocabularies, and no serving rule.

A plan belongs to one law of the draft set.  Two are here, of siblings drawn with and without
replacement; a proposal of another law is refused.  The plan's choice takes the level's first coin.

References
----------
.. [1] Sun et al., "SpecTr: Fast Speculative Decoding via Optimal Transport", NeurIPS 2023,
   arXiv:2310.15141.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from specdec_core.distributions import Prob, Row, cached_on_rows
from specdec_core.draws import Draw, Draws
from specdec_core.maximum_flow import Link, maximum_flow
from specdec_core.models import ContextModel
from specdec_core.rules.rule import Verification
from specdec_core.rules.sampled_tree import SampledTree
from specdec_core.rules.top_down import TopDown
from specdec_core.sampling import sample
from specdec_core.sibling_trees import SiblingTree
from specdec_core.siblings import (
    WITH_REPLACEMENT,
    WITHOUT_REPLACEMENT,
    DraftSet,
    SiblingLaw,
    Siblings,
)


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What to do with every draft set.

    Attributes
    ----------
    kept : mapping of draft set to Row, shape (V + 1,)
        The probability that each token is kept; the last entry is that of none.
    correction : Row
        What is emitted if none is.
    """

    kept: Mapping[DraftSet, Row]
    correction: Row


@dataclass(frozen=True, slots=True)
class OptimalTransport:
    """The verification of trees by best plans for siblings of one law, from the root."""

    law: SiblingLaw

    def __call__(self, tree: SiblingTree, target: ContextModel, draws: Draws) -> Verification:
        """Return what a round emits for the tree.

        Raises
        ------
        ProposalMismatchError
            If the siblings of a node are of another law; no draw is taken then.
        ShapeError
            As `TopDown` does.
        """
        for _, siblings in tree.families:
            self.law.require(siblings)
        return TopDown(self.level)(tree, target, draws)

    def level(
        self, siblings: Siblings, target_probs: Row, coins: Sequence[Draw], draws: Draws
    ) -> Verification:
        """Keep the sibling that the plan says, or replace them all."""
        k = len(siblings.tokens)
        plan = transport_plan(target_probs, siblings.draft_probs[0], k, self.law)
        token = sample(plan.kept[siblings.draft_set], coins[0])
        if token in siblings.tokens:
            return Verification((token,), None)
        return Verification((), sample(plan.correction, draws.uniform()))


@cached_on_rows
def transport_plan(target_probs: Row, draft_probs: Row, k: int, law: SiblingLaw) -> Plan:
    """Return a plan that keeps one of ``k`` siblings as often as any can.

    Examples
    --------
    >>> plan = transport_plan(Row([0.25, 0.75]), Row([0.5, 0.5]), 1, WITH_REPLACEMENT)
    >>> plan.kept[0,], plan.kept[1,], plan.correction
    (Row(0.5, 0.0, 0.5), Row(0.0, 1.0, 0.0), Row(0.0, 1.0))
    """
    sets = law.draft_sets(draft_probs, k)
    tokens = range(len(target_probs))
    flow = maximum_flow(sets, dict(enumerate(target_probs)), {each: each for each in sets})
    carried = {
        draft_set: [flow.get(Link(draft_set, token), 0 * prob) for token in tokens]
        for draft_set, prob in sets.items()
    }
    kept = {
        # In floats a draft set that can be drawn can have a probability that is rounded to zero.
        draft_set: _with_rest([amount / prob if prob else prob for amount in carried[draft_set]])
        for draft_set, prob in sets.items()
    }
    total = map(sum, zip(*carried.values(), strict=True))
    return Plan(MappingProxyType(kept), _leftover(target_probs, total))


def _with_rest(probs: Sequence[Prob]) -> Row:
    """Return the probabilities, and what they leave of one."""
    rest = 1 - sum(probs)
    return Row([*probs, max(rest, rest * 0)])


def _leftover(target_probs: Row, carried: Iterable[Prob]) -> Row:
    """Return what the plan leaves of the target's row; the row itself if that is nothing."""
    excess = [max(p - amount, p * 0) for p, amount in zip(target_probs, carried, strict=True)]
    mass = sum(excess)
    return Row([weight / mass for weight in excess]) if mass else target_probs


OPTIMAL_TRANSPORT_WITH_REPLACEMENT = SampledTree(
    name="optimal_transport_with_replacement",
    reference="Sun et al. 2023 (SpecTr), the optimal plan for independent drafts",
    draw_siblings=WITH_REPLACEMENT,
    verify_tree=OptimalTransport(WITH_REPLACEMENT),
)
"""A best plan for siblings drawn with replacement."""

OPTIMAL_TRANSPORT_WITHOUT_REPLACEMENT = SampledTree(
    name="optimal_transport_without_replacement",
    reference="Hu et al. 2025, the optimal plan for drafts without replacement",
    draw_siblings=WITHOUT_REPLACEMENT,
    verify_tree=OptimalTransport(WITHOUT_REPLACEMENT),
)
"""A best plan for siblings drawn without replacement."""
