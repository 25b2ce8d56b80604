"""Hierarchical speculative decoding, capped: prefixes judged by their ratio since its last peak.

With ``r`` the ratio of the target's joint probability of a prefix to the draft's, let ``m`` be the
prefix where ``r`` was largest before the prefix at hand (the empty one, whose ratio is one, unless
another exceeds it), and ``r* = r / r(x^m)`` the ratio capped by that peak.  The whole draft passes
with probability ``min(r*, 1)``, and a shorter prefix with ``D*(p, q) / D*(q, p)``: over its
continuations by one token, the draft's mass times what ``r*`` exceeds one by, over the draft's
mass times what it falls short of one by.  From the whole draft down to one token, the first that
passes is kept; what follows it is drawn from the excess ``norm(q max(r* - 1, 0))``, or is a bonus
token [1]_.

Its block law is that of `block_verification`: ``r*`` is block verification's ``p_i p / q``.  Here
it is computed as the paper does, from joint probabilities and peaks, without a division.

One coin for each prefix is taken up front and one draw for the last token after them.

Not here: Algorithm 1, without the cap, which needs rows off the drafted path
(`hierarchical_naive`).

References
----------
.. [1] Zhou et al., hierarchical speculative decoding, 2026, arXiv:2601.05724, Algorithm 2.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from specdec_core.distributions import Prob, Row
from specdec_core.draws import Draws
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ContextModel
from specdec_core.proposals import DraftPath, draft_path, require_drafted
from specdec_core.rules.block_verification import Odds, longest_kept
from specdec_core.rules.rule import Verification
from specdec_core.sampling import sample
from specdec_core.weighted_residuals import weighted_residual


@dataclass(frozen=True, slots=True)
class Hierarchical:
    """Keep the longest prefix that passes, judged by capped joint ratios.

    Parameters of an instance: ``gamma``, at least 0.
    """

    name: str = "hierarchical"
    lossless: bool = True
    reference: str = "Zhou et al. 2026, Algorithm 2"

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
        """Keep the longest prefix whose coin says so, and draw the token after it."""
        require_drafted(proposal, target)
        coins = [draws.uniform() for _ in proposal.tokens]
        tokens = proposal.tokens
        target_probs = [target(tokens[:i]) for i in range(len(tokens))]
        joints = prefix_joints(proposal, target_probs)
        capped = [joint.over(peak(joints[: i + 1])) for i, joint in enumerate(joints)]
        branches = list(map(branch_odds, target_probs, proposal.draft_probs, capped))
        whole = joints[-1].over(peak(joints[:-1]))
        kept = longest_kept([*branches[1:], Odds(*whole)], coins)
        if kept == len(tokens):
            return Verification(tokens, sample(target(tokens), draws.uniform()))
        after = weighted_residual(target_probs[kept], proposal.draft_probs[kept], *capped[kept])
        return Verification(tokens[:kept], sample(after.row, draws.uniform()))


class Joint(NamedTuple):
    """A prefix's joint probability under both models, or a multiple of both; the ratio counts."""

    target: Prob
    draft: Prob

    def times(self, target_prob: Prob, draft_prob: Prob) -> "Joint":
        """Return the joint probability of a prefix longer by one token."""
        return Joint(self.target * target_prob, self.draft * draft_prob)

    def over(self, other: "Joint") -> "Joint":
        """Return a pair whose ratio is this one's over the other's."""
        return Joint(self.target * other.draft, self.draft * other.target)

    def exceeds(self, other: "Joint") -> bool:
        """Return whether the ratio of target to draft is larger than the other's."""
        return self.target * other.draft > other.target * self.draft


def prefix_joints(path: DraftPath, target_probs: Sequence[Row]) -> list[Joint]:
    """Return the joint probabilities of every prefix, the empty one first."""
    joints = [Joint(1, 1)]
    for token, p, q in zip(path.tokens, target_probs, path.draft_probs, strict=True):
        joints.append(joints[-1].times(p[token], q[token]))
    return joints


def peak(joints: Sequence[Joint]) -> Joint:
    """Return the first of the largest ratios, or the empty prefix's if none exceeds one.

    >>> peak([Joint(1, 1), Joint(0.5, 0.25), Joint(0.25, 0.25)]), peak([Joint(0.25, 0.5)])
    (Joint(target=0.5, draft=0.25), Joint(target=1, draft=1))
    """
    highest = Joint(1, 1)
    for joint in joints:
        if joint.exceeds(highest):
            highest = joint
    return highest


def branch_odds(target_probs: Row, draft_probs: Row, weights: Joint) -> Odds:
    """Return the odds of a prefix that could go on: its excess over its shortfall, one token on."""
    excess = weighted_residual(target_probs, draft_probs, weights.target, weights.draft)
    shortfall = weighted_residual(draft_probs, target_probs, weights.draft, weights.target)
    return Odds(excess.mass, shortfall.mass)
