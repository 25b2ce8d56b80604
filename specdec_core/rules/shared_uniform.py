"""One uniform through both cumulative distributions: the coupling by inversion.

The drafter's token is where its draw ``u`` falls in the draft's cumulative sums, and the target's
own token is where *the same* ``u`` falls in the target's.  The draft token is kept while the two
agree; the first target token that differs is emitted.  With ``I_p(x)`` the cell of token ``x`` in
``[0, 1)`` under ``p``, both are ``x`` with probability ``J(x) = |I_p(x) and I_q(x)|``, which can be
zero for two rows that hardly differ, if a small change of an early token shifts all later cells.

The target needs no row of the draft, and the draft no row of the target: only ``u`` is shared,
through the proposal.  The bonus token takes a draw of its own, the only one that verifying takes.

Not here: couplings that hold on any pair of rows (`gumbel_coupling`, `minhash_coupling`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from specdec_core.draws import Draw, Draws
from specdec_core.errors import ShapeError
from specdec_core.instances import Instance, Parameter
from specdec_core.models import Context, ContextModel
from specdec_core.parameters import require_token
from specdec_core.rules.couplings import keep_matches
from specdec_core.rules.rule import Verification
from specdec_core.sampling import sample


@dataclass(frozen=True, slots=True)
class SharedPath:
    """Draft tokens, and the draws that they came from.

    Attributes
    ----------
    tokens : tuple of int
        ``gamma`` of them.
    uniforms : tuple of Draw
        Number ``i`` drew ``tokens[i]``.  They are independent, and are used for nothing else than
        the two tokens of their position.
    """

    tokens: Context
    uniforms: tuple[Draw, ...]


@dataclass(frozen=True, slots=True)
class SharedUniform:
    """The target's tokens drawn by the drafter's own uniforms.

    Parameters of an instance: ``gamma``, at least 0.
    """

    name: str = "shared_uniform"
    lossless: bool = True
    reference: str = "inverse transform sampling with one uniform for both rows"

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """Draft tokens: ``gamma``."""
        return {"gamma": (1, 2, 3)}

    def horizon(self, instance: Instance) -> int:
        """Return ``gamma + 1``."""
        return instance.integer("gamma", minimum=0) + 1

    def propose(self, instance: Instance, draws: Draws) -> SharedPath:
        """Draw ``gamma`` tokens from the draft model, and keep the draws."""
        tokens: Context = ()
        uniforms = tuple(draws.uniform() for _ in range(instance.integer("gamma", minimum=0)))
        for uniform in uniforms:
            tokens = (*tokens, sample(instance.draft(tokens), uniform))
        return SharedPath(tokens, uniforms)

    def verify(self, proposal: SharedPath, target: ContextModel, draws: Draws) -> Verification:
        """Keep draft tokens while the target's, drawn by the same uniforms, equal them."""
        tokens = proposal.tokens
        _require_shared(proposal, len(target(())))
        fresh = (*proposal.uniforms, draws.uniform())
        return keep_matches(tokens, lambda i: sample(target(tokens[:i]), fresh[i]))


def _require_shared(path: SharedPath, vocab_size: int) -> None:
    if len(path.tokens) != len(path.uniforms):
        raise ShapeError(
            f"{len(path.tokens)} draft tokens and {len(path.uniforms)} uniforms, "
            "expected one uniform a token"
        )
    for i, token in enumerate(path.tokens):
        require_token(token, vocab_size, f"draft token {i}")
