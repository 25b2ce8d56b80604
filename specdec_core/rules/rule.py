"""What a verification rule is.

A rule is a frozen value that proposes tokens from a draft model and verifies them against a
target model.  Both steps are deterministic functions of their arguments and of the draws they
take, so the engine can replay them, sample them, split them into paths, or count them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

from specdec_core.draws import Draws
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ContextModel

Proposal = TypeVar("Proposal")
"""Whatever a rule's two steps hand on: a path, a tree, several paths."""


@dataclass(frozen=True, slots=True)
class Verification:
    """What one round emits.

    Attributes
    ----------
    accepted : tuple of int
        Draft tokens kept, in order.
    final : int or None
        The token that the target added: the recovered token after a rejection, the bonus token
        after none.  ``None`` where the round ends on its last accepted token.
    """

    accepted: tuple[int, ...]
    final: int | None

    @property
    def tokens(self) -> tuple[int, ...]:
        """Every token that the round emits."""
        return self.accepted if self.final is None else (*self.accepted, self.final)


class Rule(Protocol[Proposal]):
    """A way to propose and to verify draft tokens.

    Attributes
    ----------
    name : str
        Lower case, words joined by underscores.
    lossless : bool
        A claim, which the checks test: the law of a round, completed with the target's own
        conditional laws, is the target's joint law.
    reference : str
        The paper and its algorithm or theorem number.
    parameters : mapping of str to sequence
        The rule's own parameters, each with the values that the checks run it at.
    """

    @property
    def name(self) -> str:
        """Lower case, words joined by underscores."""
        ...

    @property
    def lossless(self) -> bool:
        """What the rule claims."""
        ...

    @property
    def reference(self) -> str:
        """Where it was published."""
        ...

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """The values that the checks run each parameter at."""
        ...

    def horizon(self, instance: Instance) -> int:
        """Return the most tokens that one round can emit, at least one.

        Raises
        ------
        InvalidParameterError
            If the instance lacks a parameter of this rule, or has one out of range.
        """
        ...

    def propose(self, instance: Instance, draws: Draws) -> Proposal:
        """Propose draft tokens for the instance's empty context."""
        ...

    def verify(self, proposal: Proposal, target: ContextModel, draws: Draws) -> Verification:
        """Verify a proposal against the target, and return what the round emits.

        The proposal is left as it is: one proposal is verified many times, once a path.
        """
        ...


@runtime_checkable
class LossyRule(Rule[Proposal], Protocol[Proposal]):
    """A rule that emits another law than the target's, on purpose, and says which.

    Its ``lossless`` is false.  It is judged against its own law, never against the target's.
    """

    def claimed(self, instance: Instance) -> ContextModel:
        """Return the model whose joint law over the horizon a round's completed law equals.

        The completion, too, is with this model's rows.
        """
        ...


def claimed_model(rule: Rule[Proposal], instance: Instance) -> ContextModel:
    """Return the model that a rule claims to follow: the target if lossless, else its own.

    Raises
    ------
    InvalidParameterError
        If the rule is lossy and does not say its own law.
    """
    if rule.lossless:
        return instance.target
    if not isinstance(rule, LossyRule):
        raise InvalidParameterError(f"rule {rule.name!r} is lossy, and has no `claimed` law")
    return rule.claimed(instance)


def play_round(rule: Rule[Proposal], instance: Instance, draws: Draws) -> Verification:
    """Propose and verify once, from the empty context."""
    return rule.verify(rule.propose(instance, draws), instance.target, draws)
