"""Hierarchical speculative decoding, uncapped: what a prefix cannot use goes up to a shorter one.

Over the continuations of a prefix by one token, ``D(p, q)`` is the mass by which the target's joint
probability exceeds the draft's, and ``D(q, p)`` the other way round.  The whole draft passes with
probability ``min(p(X) / q(X), 1)``, a shorter prefix with ``min(D(p, q) / D(q, p), 1)``, the empty
one always.  From the whole draft down, the first that passes is kept.  After the whole draft comes
a bonus token; after a shorter prefix the rest of the block is drawn anew, each token from the
excess ``norm(max(p(X) - q(X), 0))`` over the continuations of the path so far, up to ``gamma``
tokens [1]_.

Why it is lossless: below a prefix, the drafts that were refused have mass ``D(q, p)``, and the
sequences that are still wanted ``D(p, q)``.  As much as both have is paired there; of whichever is
more, the rest is left to the next shorter prefix.  A draw that comes from there
follows what is still wanted, level by level.

Whole sequences are accepted with probability ``min(p(X), q(X))``, so the expected accepted length
is the bound of full information, more than `block_verification`'s.  The price: drawing anew needs
the rows of both models along the *new* path, which no drafted path has scored.

One coin for each prefix is taken up front, and one draw for each token after: number ``i`` is the
one that token ``i`` is drawn anew by, the last one the bonus token's.

References
----------
.. [1] Zhou et al., hierarchical speculative decoding, 2026, arXiv:2601.05724, Algorithm 1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from specdec_core.draws import Draw, Draws
from specdec_core.instances import Instance, Parameter
from specdec_core.models import Context, ContextModel
from specdec_core.proposals import DraftPath, draft_path, require_drafted
from specdec_core.rules.block_verification import Odds, longest_kept
from specdec_core.rules.hierarchical import Joint, branch_odds, prefix_joints
from specdec_core.rules.rule import Verification
from specdec_core.sampling import sample
from specdec_core.weighted_residuals import weighted_residual


@dataclass(frozen=True, slots=True)
class ModelledPath:
    """A draft path, and the model that it was drawn from.

    Attributes
    ----------
    path : DraftPath
    draft : ContextModel
        Asked for rows off the path, too.
    """

    path: DraftPath
    draft: ContextModel = field(hash=False)


@dataclass(frozen=True, slots=True)
class BlockRedrawn(Verification):
    """What a round emits that draws several tokens anew.

    Attributes
    ----------
    redrawn : tuple of int
        Tokens between the accepted ones and the final one.
    """

    redrawn: Context = ()

    @property
    def tokens(self) -> Context:
        """Every token that the round emits."""
        return Verification((*self.accepted, *self.redrawn), self.final).tokens


@dataclass(frozen=True, slots=True)
class HierarchicalNaive:
    """Keep the longest prefix that passes, and draw the rest of the block anew.

    Parameters of an instance: ``gamma``, at least 0.
    """

    name: str = "hierarchical_naive"
    lossless: bool = True
    reference: str = "Zhou et al. 2026, Algorithm 1"

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """Draft tokens: ``gamma``."""
        return {"gamma": (1, 2, 3)}

    def horizon(self, instance: Instance) -> int:
        """Return ``gamma + 1``."""
        return instance.integer("gamma", minimum=0) + 1

    def propose(self, instance: Instance, draws: Draws) -> ModelledPath:
        """Draw ``gamma`` tokens from the draft model."""
        gamma = instance.integer("gamma", minimum=0)
        return ModelledPath(draft_path(instance.draft, gamma, draws), instance.draft)

    def verify(self, proposal: ModelledPath, target: ContextModel, draws: Draws) -> Verification:
        """Keep the longest prefix whose coin says so, and draw what comes after it."""
        path, tokens = proposal.path, proposal.path.tokens
        require_drafted(path, target)
        coins = [draws.uniform() for _ in tokens]
        fresh = [draws.uniform() for _ in range(len(tokens) + 1)]
        target_probs = [target(tokens[:i]) for i in range(len(tokens))]
        joints = prefix_joints(path, target_probs)
        branches = list(map(branch_odds, target_probs, path.draft_probs, joints))
        kept = longest_kept([*branches[1:], Odds(*joints[-1])], coins)
        if kept == len(tokens):
            return Verification(tokens, sample(target(tokens), fresh[kept]))
        rest = draw_anew(proposal.draft, target, tokens[:kept], joints[kept], fresh[kept:-1])
        return BlockRedrawn(tokens[:kept], rest[-1], rest[:-1])


def draw_anew(
    draft: ContextModel, target: ContextModel, start: Context, joint: Joint, fresh: Sequence[Draw]
) -> Context:
    """Draw tokens after ``start``, one a draw, each from what is still wanted of the target."""
    path = start
    for draw in fresh:
        p, q = target(path), draft(path)
        token = sample(weighted_residual(p, q, *joint).row, draw)
        joint = joint.times(p[token], q[token])
        path = (*path, token)
    return path[len(start) :]
