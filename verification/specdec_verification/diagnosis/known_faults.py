"""The laws of the faults that are known, on an instance, and which of them differ there.

Every diagnosis asks for the same laws on the same chosen instances, so those found last are kept.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

from specdec_core.errors import MissingContextError
from specdec_core.instances import Instance
from specdec_core.laws import Law, complete, total_variation
from specdec_core.models import Context
from specdec_core.rules import Rule
from specdec_verification.audit import followed
from specdec_verification.diagnosis.observations import Agreement, Observation
from specdec_verification.emissions import NOT_SUITED, tokens_of
from specdec_verification.faults.fault import Fault
from specdec_verification.subjects.adapters import in_floats
from specdec_verification.subjects.exact import Execution
from specdec_verification.subjects.rule_programs import draws_form
from specdec_verification.testbed.loop import ServingLoop

UP_TO = Execution(max_paths=100_000, max_run_seconds=math.inf)
"""Of one fault on one instance; where it has more paths, the instance says nothing about it."""

KEPT = 1_000
"""Laws that are kept."""


def of_shape(faults: Sequence[Fault], instance: Instance) -> tuple[Fault, ...]:
    """Return the faults of rules that take the parameters which an instance has, and no others."""
    return tuple(
        fault
        for fault in faults
        if not isinstance(fault.planted, ServingLoop)
        and set(fault.rule.parameters) == set(instance.parameters)
    )


@dataclass(frozen=True, slots=True, eq=False)
class _OnInstance:
    """A rule on an instance; equal to another one only of the very same two."""

    rule: Rule[Any]
    instance: Instance

    def __hash__(self) -> int:
        return hash((id(self.rule), id(self.instance)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _OnInstance):
            return NotImplemented
        return self.rule is other.rule and self.instance is other.instance


def law_of(rule: Rule[Any], instance: Instance) -> Law[Context] | None:
    """Return the law of what a rule emits, or ``None`` where the instance does not suit it."""
    return _law(_OnInstance(rule, instance))


def law_in_floats(rule: Rule[Any], instance: Instance) -> Law[Context] | None:
    """Return the same on the doubles nearest to the instance's rows."""
    return _law_in_floats(_OnInstance(rule, instance))


@lru_cache(KEPT)
def _law(on: _OnInstance) -> Law[Context] | None:
    return _found(on.rule, on.instance)


@lru_cache(KEPT)
def _law_in_floats(on: _OnInstance) -> Law[Context] | None:
    return _found(on.rule, in_floats(on.instance))


def _found(rule: Rule[Any], instance: Instance) -> Law[Context] | None:
    try:
        found = followed(draws_form(rule), instance, UP_TO)
    except NOT_SUITED:
        return None
    law: Law[Context] = tokens_of(found).law
    return None if found.missing else law


def agreement_with(fault: Fault, observation: Observation) -> Agreement | None:
    """Return how far a program's law is a fault's; ``None`` where the instance cannot tell.

    It cannot if the fault's law on fractions is another than on the doubles nearest to them: then
    a tie, which rounding breaks one way or the other, decides what is emitted.
    """
    instance = observation.case.instance
    exact = law_of(fault.rule, instance)
    if exact is None:
        return None
    try:
        found = observation.agreement(exact)
    except MissingContextError:
        return None
    if found or not observation.bound:
        return found
    rounded = law_in_floats(fault.rule, instance)
    tied = rounded is None or total_variation(exact, rounded) > observation.bound
    return None if tied else found


def differing(faults: Sequence[Fault], instance: Instance) -> bool:
    """Return whether two of the faults emit different laws on an instance, once completed."""
    laws = [law for law in (law_of(fault.rule, instance) for fault in faults) if law is not None]
    longest = max((len(tokens) for law in laws for tokens in law), default=1)
    try:
        whole = [complete(law, instance.target, longest) for law in laws]
    except MissingContextError:
        return False
    return any(one.probs != other.probs for one, other in combinations(whole, 2))
