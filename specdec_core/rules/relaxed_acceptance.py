"""Relaxed acceptance: keep draft tokens among the target's best few, if close to the best.

A draft token ``x`` is kept for certain if it is one of the target's ``top_n`` most probable tokens
and ``p(x) >= max(p) - delta``.  The token after those kept is the target's most probable one,
whether a draft token was refused there or none is left: the target itself is decoded greedily.
The law of a drafted position is the draft's on the tokens kept, and the rest of the mass on the
most probable one.  Of equally probable tokens the smaller is the more probable.  TensorRT-LLM
offers it for reasoning models.

Verifying takes no draw.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from specdec_core.distributions import Row, likeliest, point_mass
from specdec_core.draws import Draws
from specdec_core.instances import Instance, Parameter
from specdec_core.models import Context, ContextModel
from specdec_core.parameters import require_fraction, require_integer
from specdec_core.proposals import DraftPath, draft_path, require_drafted
from specdec_core.rules.own_laws import kept_within, leading
from specdec_core.rules.rule import Verification
from specdec_core.transforms import TopK


@dataclass(frozen=True, slots=True)
class Closeness:
    """What counts as close to the best: one of ``top_n``, and at most ``delta`` less probable."""

    top_n: int
    delta: Fraction

    def __post_init__(self) -> None:
        require_integer(self.top_n, "top_n", minimum=1)
        require_fraction(self.delta, "delta", minimum=0, maximum=1)

    @classmethod
    def of(cls, instance: Instance) -> "Closeness":
        """Return an instance's parameters."""
        return cls(
            instance.integer("top_n", minimum=1), instance.fraction("delta", minimum=0, maximum=1)
        )

    def close(self, target_probs: Row) -> frozenset[int]:
        """Return the tokens that are kept.

        >>> sorted(Closeness(2, Fraction(1, 4)).close(Row([0.25, 0.5, 0.25])))
        [0, 1]
        """
        least = max(target_probs) - self.delta
        best = TopK(self.top_n).kept(target_probs)
        return frozenset(token for token in best if target_probs[token] >= least)


@dataclass(frozen=True, slots=True)
class RelaxedPath:
    """A draft path, and what counts as close to the target's best."""

    path: DraftPath
    closeness: Closeness


@dataclass(frozen=True, slots=True)
class RelaxedAcceptance:
    """Keep what is close to the best.

    Parameters of an instance: ``gamma``, at least 0; ``top_n``, at least 1; ``delta``, in
    ``[0, 1]``.
    """

    name: str = "relaxed_acceptance"
    lossless: bool = False
    reference: str = "TensorRT-LLM, relaxed acceptance"

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """Draft tokens: ``gamma``; how many of the best: ``top_n``; and how close: ``delta``."""
        return {"gamma": (1, 2), "top_n": (2, 1, 3), "delta": (Fraction(1, 4), Fraction(3, 5))}

    def horizon(self, instance: Instance) -> int:
        """Return ``gamma + 1``."""
        Closeness.of(instance)
        return instance.integer("gamma", minimum=0) + 1

    def propose(self, instance: Instance, draws: Draws) -> RelaxedPath:
        """Draw ``gamma`` tokens from the draft model."""
        closeness = Closeness.of(instance)
        path = draft_path(instance.draft, instance.integer("gamma", minimum=0), draws)
        return RelaxedPath(path, closeness)

    def verify(self, proposal: RelaxedPath, target: ContextModel, draws: Draws) -> Verification:
        """Keep draft tokens while they are close to the target's best, and add its best."""
        require_drafted(proposal.path, target)
        tokens, closeness = proposal.path.tokens, proposal.closeness
        kept = leading(tokens, lambda context, token: token in closeness.close(target(context)))
        return Verification(kept, likeliest(target(kept)))

    def claimed(self, instance: Instance) -> ContextModel:
        """Return the law above, and the target's best after ``gamma`` tokens."""
        closeness, gamma = Closeness.of(instance), instance.integer("gamma", minimum=0)

        def own(context: Context) -> Row:
            target_probs = instance.target(context)
            best = point_mass(likeliest(target_probs), len(target_probs))
            if len(context) >= gamma:
                return best
            return kept_within(instance.draft(context), closeness.close(target_probs), best)

        return own
