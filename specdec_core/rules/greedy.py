"""Greedy verification: keep draft tokens while they are the target's most probable ones.

At temperature 0 the target's rows are one-hot, so there is nothing to draw: a draft token is kept
if it is the most probable one, and the round ends with the first most probable token that was not
drafted.  Of equally probable tokens the smallest is meant.  The drafter is greedy too, though any
draft would leave the emitted tokens as they are.  No draw is taken.

It is lossless exactly for one-hot targets.  Its claim is about every target: what it emits is the
target at temperature 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from specdec_core.distributions import Row, likeliest
from specdec_core.draws import Draws
from specdec_core.instances import Instance, Parameter
from specdec_core.models import Context, ContextModel
from specdec_core.proposals import DraftPath, likeliest_path, require_drafted
from specdec_core.rules.couplings import keep_matches
from specdec_core.rules.rule import Verification
from specdec_core.transforms import with_temperature


@dataclass(frozen=True, slots=True)
class Greedy:
    """Temperature 0.

    Parameters of an instance: ``gamma``, at least 0.
    """

    name: str = "greedy"
    lossless: bool = False
    reference: str = "greedy decoding: temperature 0"

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """Draft tokens: ``gamma``."""
        return {"gamma": (1, 2, 3)}

    def horizon(self, instance: Instance) -> int:
        """Return ``gamma + 1``."""
        return instance.integer("gamma", minimum=0) + 1

    def propose(self, instance: Instance, draws: Draws) -> DraftPath:
        """Choose the draft's most probable token ``gamma`` times; takes no draw."""
        return likeliest_path(instance.draft, instance.integer("gamma", minimum=0))

    def verify(self, proposal: DraftPath, target: ContextModel, draws: Draws) -> Verification:
        """Keep draft tokens while the target's most probable ones equal them; takes no draw."""
        require_drafted(proposal, target)
        tokens = proposal.tokens
        return keep_matches(tokens, lambda i: likeliest(target(tokens[:i])))

    def claimed(self, instance: Instance) -> ContextModel:
        """Return the target at temperature 0."""

        def coldest(context: Context) -> Row:
            return with_temperature(instance.target(context), 0)

        return coldest
