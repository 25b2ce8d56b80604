"""One single-path round with every random input written down.

`SimulationRound` holds the recorded rows and one uniform for each decision that a round can come
to: a draft draw and an accept draw for each position, and one residual draw.  All of them are
checked when the round is made, those that a replay never comes to included, so that whether an
input is valid never depends on what happened before it.
"""

from dataclasses import dataclass
from fractions import Fraction

from specdec_core.distributions import Row, require_same_vocabulary, rows
from specdec_core.draws import ReplayedDraws, checked_draws
from specdec_core.errors import ShapeError
from specdec_core.models import Context
from specdec_core.proposals import DraftPath
from specdec_core.rules import Verification
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.sampling import sample


@dataclass(frozen=True, slots=True)
class SimulationRound:
    """The rows and the random inputs of one round of token rejection.

    Parameters
    ----------
    target_probs, draft_probs : (gamma, V) sequence of rows, or ndarray of float
        Position ``i`` of the target is conditioned on the first ``i`` draft tokens.
    draft_uniforms : (gamma,) sequence of float or Fraction
        In ``[0, 1)``; number ``i`` draws draft token ``i`` from ``draft_probs[i]``.
    accept_uniforms : (gamma,) sequence of float or Fraction
        In ``[0, 1)``; number ``i`` decides whether draft token ``i`` is kept.
    residual_uniform : float or Fraction
        In ``[0, 1)``; draws the replacement, if one is needed.

    Raises
    ------
    InvalidDistributionError
        If a row is no distribution.
    ShapeError
        If there is no row, a table has not ``gamma`` entries, or rows differ in vocabulary size.
    InvalidDrawError
        If a random input is not a finite number in ``[0, 1)``.

    Examples
    --------
    >>> round = SimulationRound(
    ...     target_probs=[[0.25, 0.75]],
    ...     draft_probs=[[0.5, 0.5]],
    ...     draft_uniforms=[0.25],
    ...     accept_uniforms=[0.5],
    ...     residual_uniform=0.0,
    ... )
    >>> round.draft_tokens, round.replay().tokens
    ((0,), (1,))
    """

    target_probs: tuple[Row, ...]
    draft_probs: tuple[Row, ...]
    draft_uniforms: tuple[float | Fraction, ...]
    accept_uniforms: tuple[float | Fraction, ...]
    residual_uniform: float | Fraction

    def __post_init__(self) -> None:
        checked = {
            "target_probs": rows(self.target_probs, "target_probs"),
            "draft_probs": rows(self.draft_probs, "draft_probs"),
            "draft_uniforms": checked_draws(self.draft_uniforms, "draft_uniforms"),
            "accept_uniforms": checked_draws(self.accept_uniforms, "accept_uniforms"),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        (residual_uniform,) = checked_draws([self.residual_uniform], "residual_uniform")
        object.__setattr__(self, "residual_uniform", residual_uniform)
        self._require_shapes()

    def _require_shapes(self) -> None:
        gamma = len(self.target_probs)
        if not gamma:
            raise ShapeError("target_probs has no row, expected at least one: one a draft token")
        for name in ("draft_probs", "draft_uniforms", "accept_uniforms"):
            if len(getattr(self, name)) != gamma:
                raise ShapeError(
                    f"{name} has {len(getattr(self, name))} entries, but target_probs has {gamma}"
                )
        require_same_vocabulary(
            self.target_probs[0], self.draft_probs[0], "target_probs[0]", "draft_probs[0]"
        )

    @property
    def gamma(self) -> int:
        """The number of draft tokens."""
        return len(self.target_probs)

    @property
    def draft_tokens(self) -> Context:
        """The draft tokens: each drawn from exactly the row that is recorded for it."""
        draws = ReplayedDraws(self.draft_uniforms, "draft_uniforms")
        return tuple(sample(row, draws.uniform()) for row in self.draft_probs)

    def replay(self) -> Verification:
        """Return what the round emits: the accepted path, or its first replacement."""
        proposal = DraftPath(self.draft_tokens, self.draft_probs)
        draws = ReplayedDraws((*self.accept_uniforms, self.residual_uniform))
        return TokenRejection().verify(proposal, self._target, draws)

    def _target(self, context: Context) -> Row:
        return self.target_probs[len(context)]
