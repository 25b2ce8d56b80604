"""Programs over draws, and programs in steps.

A program is a deterministic function of the draws it takes.  `Steps` is one written as a sequence
of functions, each of which gets what the one before returned: to whoever calls it, it is a program
like any other, but an engine that follows its paths runs it again from the last step that can
still go another way, and not from the start.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeAlias, TypeVar

from specdec_core.draws import Draws
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance
from specdec_core.laws import Law, target_joint
from specdec_core.models import Context, ContextModel
from specdec_core.rules import Rule, Verification
from specdec_core.rules.rule import claimed_model
from specdec_core.sampling import sample

Outcome = TypeVar("Outcome", bound=Hashable)

Program: TypeAlias = Callable[[Draws], Outcome]
"""A deterministic function of the draws it takes; its outcome is hashable."""

Step: TypeAlias = Callable[[Any, Draws], Any]
"""From what the step before returned (and leaves unchanged), and draws, to what it returns."""


@dataclass(frozen=True, slots=True)
class Steps(Generic[Outcome]):
    """A program in steps; the first gets ``None``, the last returns the outcome.

    Equivalent to ``lambda draws: last(...second(first(None, draws), draws)..., draws)``.

    Raises
    ------
    InvalidParameterError
        If there is no step.
    """

    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        if not self.steps:
            raise InvalidParameterError("a program of no steps, expected at least one")

    def __call__(self, draws: Draws) -> Outcome:
        """Run every step."""
        value: Any = None
        for step in self.steps:
            value = step(value, draws)
        return value  # type: ignore[no-any-return]


def steps_of(program: Program[Any]) -> tuple[Step, ...]:
    """Return a program's steps: its own, or itself as the only one."""
    if isinstance(program, Steps):
        return program.steps
    return (lambda _, draws: program(draws),)


def round_program(rule: Rule[Any], instance: Instance) -> Steps[Verification]:
    """Return one round of a rule as a program: propose, then verify.

    It can be sent to another process if the rule can.
    """
    return Steps((partial(_propose, rule, instance), partial(_verify, rule, instance.target)))


def completed_round(rule: Rule[Any], instance: Instance) -> Steps[Context]:
    """Return one round, followed by tokens of the claimed model until the horizon is reached.

    Its outcome is always ``horizon`` tokens, and its law is `claimed_joint` exactly if the rule
    keeps its claim: for a lossless rule, the target's joint law.  On a lattice that law is an
    integer count for each sequence.
    """
    return Steps((*round_program(rule, instance).steps, _Completion(rule, instance)))


def claimed_joint(rule: Rule[Any], instance: Instance) -> Law[Context]:
    """Return the joint law, over its horizon, that a rule claims for its completed round."""
    return target_joint(claimed_model(rule, instance), rule.horizon(instance))


def _propose(rule: Rule[Any], instance: Instance, _: None, draws: Draws) -> Any:  # noqa: ANN401
    return rule.propose(instance, draws)


def _verify(
    rule: Rule[Any],
    target: ContextModel,
    proposal: Any,  # noqa: ANN401  (whatever the rule proposes)
    draws: Draws,
) -> Verification:
    return rule.verify(proposal, target, draws)


class _Completion:
    """The last step of a completed round; sent elsewhere, it finds the claimed model anew."""

    __slots__ = ("horizon", "instance", "model", "rule")

    def __init__(self, rule: Rule[Any], instance: Instance) -> None:
        self.rule, self.instance = rule, instance
        self.model, self.horizon = claimed_model(rule, instance), rule.horizon(instance)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Completion, (self.rule, self.instance)

    def __call__(self, verification: Verification, draws: Draws) -> Context:
        tokens = verification.tokens
        while len(tokens) < self.horizon:
            tokens = (*tokens, sample(self.model(tokens), draws.uniform()))
        return tokens
