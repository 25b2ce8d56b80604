"""Faults that any rule can have: in its draws, in the rows it is scored by, in what it records.

`PlantedRule` is another rule with its two steps wrapped.  The wrapped rule stays as it is, so a
fault here is one of the plumbing around a rule: a `Plumbing` is planted in whichever rule it makes
sense for, by `planted_in`.

Not here: faults inside one rule (`path_slips`, `tree_slips`, `block_slips`, `sibling_slips`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from specdec_core.distributions import Row
from specdec_core.draws import Draw, Draws, RecordedDraws
from specdec_core.instances import Instance, Parameter
from specdec_core.models import Context, ContextModel
from specdec_core.rules import Rule, Verification
from specdec_core.rules.rule import claimed_model
from specdec_verification.faults.draw_slips import (
    HALF_PRECISION,
    ROUNDED,
    SINGLE_PRECISION,
    CoarseDraws,
    Steps,
)
from specdec_verification.faults.rounded_rows import RecordingRounded

Propose: TypeAlias = Callable[[Rule[Any], Instance, Draws], Any]
"""From the wrapped rule, an instance and draws to a proposal."""

Verify: TypeAlias = Callable[[Rule[Any], Any, ContextModel, Draws], Verification]
"""From the wrapped rule, a proposal, the target and draws to what the round emits."""


def propose(rule: Rule[Any], instance: Instance, draws: Draws) -> Any:  # noqa: ANN401
    """Propose as the rule does."""
    return rule.propose(instance, draws)


def verify(
    rule: Rule[Any],
    proposal: Any,  # noqa: ANN401  (every rule has a proposal of its own)
    target: ContextModel,
    draws: Draws,
) -> Verification:
    """Verify as the rule does."""
    return rule.verify(proposal, target, draws)


@dataclass(frozen=True, slots=True)
class PlantedRule:
    """Any rule, with a fault around its steps.

    Attributes
    ----------
    name : str
        Of the fault.
    inner : Rule
        What it is planted in.
    propose_with : Propose
    verify_with : Verify
    """

    name: str
    inner: Rule[Any]
    propose_with: Propose = propose
    verify_with: Verify = verify

    @property
    def lossless(self) -> bool:
        """What the wrapped rule claims."""
        return self.inner.lossless

    @property
    def reference(self) -> str:
        """Where the wrapped rule was published."""
        return self.inner.reference

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """The wrapped rule's."""
        return self.inner.parameters

    def horizon(self, instance: Instance) -> int:
        """Return the wrapped rule's horizon."""
        return self.inner.horizon(instance)

    def propose(self, instance: Instance, draws: Draws) -> Any:  # noqa: ANN401
        """Propose with the given step."""
        return self.propose_with(self.inner, instance, draws)

    def verify(self, proposal: Any, target: ContextModel, draws: Draws) -> Verification:  # noqa: ANN401
        """Verify with the given step."""
        return self.verify_with(self.inner, proposal, target, draws)

    def claimed(self, instance: Instance) -> ContextModel:
        """Return the law that the wrapped rule claims."""
        return claimed_model(self.inner, instance)


@dataclass(frozen=True, slots=True)
class Plumbing:
    """A fault around the two steps of a rule.

    Attributes
    ----------
    propose_with : Propose
    verify_with : Verify
    """

    propose_with: Propose = propose
    verify_with: Verify = verify

    def planted_in(self, rule: Rule[Any], name: str) -> PlantedRule:
        """Return a rule with the fault around it, under the fault's name."""
        return PlantedRule(name, rule, self.propose_with, self.verify_with)


@dataclass(frozen=True, slots=True)
class Remembered:
    """A proposal, and the draws that it took."""

    proposal: Any
    record: tuple[Draw, ...]


class RepeatingDraws:
    """Draws that begin with those of another generator of the same seed."""

    def __init__(self, record: Sequence[Draw], draws: Draws) -> None:
        self._repeated: Iterator[Draw] = iter(record)
        self._draws = draws

    def uniform(self) -> Draw:
        """Return the next draw that was taken already, or a new one after the last."""
        for draw in self._repeated:
            return draw
        return self._draws.uniform()


class OneDraw:
    """A generator that is set back to its seed before each draw."""

    def __init__(self, draws: Draws) -> None:
        self._draw = draws.uniform()

    def uniform(self) -> Draw:
        """Return the same draw again."""
        return self._draw


def propose_remembering(rule: Rule[Any], instance: Instance, draws: Draws) -> Remembered:
    """Propose, and keep the draws."""
    recorded = RecordedDraws(draws)
    proposal = rule.propose(instance, recorded)
    return Remembered(proposal, recorded.record)


def verify_with_draft_draws(
    rule: Rule[Any], proposal: Remembered, target: ContextModel, draws: Draws
) -> Verification:
    """Verify with a generator of the draft's own seed."""
    return rule.verify(proposal.proposal, target, RepeatingDraws(proposal.record, draws))


def verify_with_one_draw(
    rule: Rule[Any],
    proposal: Any,  # noqa: ANN401
    target: ContextModel,
    draws: Draws,
) -> Verification:
    """Verify with one draw, used for everything."""
    return rule.verify(proposal, target, OneDraw(draws))


def verify_by_late_rows(
    rule: Rule[Any],
    proposal: Any,  # noqa: ANN401
    target: ContextModel,
    draws: Draws,
) -> Verification:
    """Score every position but the first by the row of the position before."""
    return rule.verify(proposal, lambda context: target(context[:-1]), draws)


def verify_without_context(
    rule: Rule[Any],
    proposal: Any,  # noqa: ANN401
    target: ContextModel,
    draws: Draws,
) -> Verification:
    """Score every position by the row of the round's start: the state was cleared."""
    return rule.verify(proposal, partial(_first_row, target), draws)


def _first_row(target: ContextModel, context: Context) -> Row:
    return target(())


@dataclass(frozen=True, slots=True)
class Coarsely:
    """Both steps, on draws kept to steps."""

    steps: Steps

    def propose(self, rule: Rule[Any], instance: Instance, draws: Draws) -> Any:  # noqa: ANN401
        """Propose on coarse draws."""
        return rule.propose(instance, CoarseDraws(draws, self.steps))

    def verify(
        self,
        rule: Rule[Any],
        proposal: Any,  # noqa: ANN401
        target: ContextModel,
        draws: Draws,
    ) -> Verification:
        """Verify on coarse draws."""
        return rule.verify(proposal, target, CoarseDraws(draws, self.steps))

    def plumbing(self) -> "Plumbing":
        """Return both, to be planted."""
        return Plumbing(self.propose, self.verify)


def verify_leaving_a_slot(
    rule: Rule[Any],
    proposal: Any,  # noqa: ANN401
    target: ContextModel,
    draws: Draws,
) -> Verification:
    """Leave the last slot of two or more as it was allocated: it reads as token 0."""
    emitted = rule.verify(proposal, target, draws).tokens
    return Verification((*emitted[:-1], 0) if len(emitted) > 1 else emitted, None)


def verify_twice(
    rule: Rule[Any],
    proposal: Any,  # noqa: ANN401
    target: ContextModel,
    draws: Draws,
) -> Verification:
    """Verify again after nothing was accepted, and emit what the second try does."""
    first = rule.verify(proposal, target, draws)
    return first if first.accepted else rule.verify(proposal, target, draws)


DRAWS_OF_THE_DRAFT = Plumbing(propose_remembering, verify_with_draft_draws)
ONE_DRAW = Plumbing(verify_with=verify_with_one_draw)
LATE_ROWS = Plumbing(verify_with=verify_by_late_rows)
NO_CONTEXT = Plumbing(verify_with=verify_without_context)
SLOT_LEFT = Plumbing(verify_with=verify_leaving_a_slot)
VERIFIED_TWICE = Plumbing(verify_with=verify_twice)
HALF_PRECISION_DRAWS = Coarsely(HALF_PRECISION).plumbing()
SINGLE_PRECISION_DRAWS = Coarsely(SINGLE_PRECISION).plumbing()
ROUNDED_DRAWS = Coarsely(ROUNDED).plumbing()
BFLOAT16_ROWS = Plumbing(RecordingRounded(8))
SINGLE_PRECISION_ROWS = Plumbing(RecordingRounded(24))
