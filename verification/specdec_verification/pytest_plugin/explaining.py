"""What a failure is like, and the smallest instance that shows it: looked for against the clock.

A failing test must not hold up a suite, so the diagnosis begins no further instance after
`SECONDS`, nor does the search for the smallest one, and no instance takes longer than that either.
Nothing is looked for inside a property of Hypothesis, which fails a test hundreds of times over.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from hypothesis import currently_in_test_context

from specdec_core.errors import SpecdecError
from specdec_core.rules import Rule
from specdec_grids.generated import RandomInstances
from specdec_verification.diagnosis import MORE, diagnose
from specdec_verification.pytest_plugin.auditing import Found, is_rule
from specdec_verification.results import Verdict
from specdec_verification.shrinking import rule_of_shape, smallest_failing
from specdec_verification.subjects.adapters import Program
from specdec_verification.subjects.cases import GENERATED, Case, cases
from specdec_verification.subjects.exact import Execution
from specdec_verification.subjects.rule_programs import draws_form

SECONDS = 10.0
"""For the diagnosis, and once more for the smallest instance."""

MAX_PATHS = 1_000
"""Of a subject on an instance of the test's own: the laws of all faults there take as many each."""


def explainable(found: Found) -> bool:
    """Return whether more can be said of a failure, and is worth the time."""
    lossless = not is_rule(found.subject) or _rule(found).lossless
    failed = found.result.verdict is Verdict.FAILED and found.case is not None
    return failed and lossless and not currently_in_test_context()


def diagnosis_of(found: Found) -> str:
    """Say what a failing subject behaves like, on the instance given or on those chosen."""
    assert found.case is not None
    program, execution = _program(found), _bounded(found.execution)
    if found.given and found.audited.paths > MAX_PATHS:
        return f"not looked for past {MAX_PATHS} paths; specdec-verify audit --instance does"
    if found.given:
        return diagnose(program, [found.case], execution).sentence
    end = time.monotonic() + SECONDS
    tried, more = (_until(end, _chosen(found, generated)) for generated in (GENERATED, MORE))
    return diagnose(program, chain([found.case], tried), execution, more).sentence


def smallest_of(found: Found) -> list[str]:
    """Return the smallest failing instance found, as a test would take it, and both laws on it."""
    assert found.case is not None
    execution = _bounded(found.execution)
    try:
        rule = _rule(found) if is_rule(found.subject) else rule_of_shape(found.case.instance)
        smallest = smallest_failing(_program(found), rule, execution, max_seconds=SECONDS)
    except SpecdecError as error:
        return [str(error)]
    return [
        f"assert_lossless({found.result.labels.subject}, specdec_core.instances.loads(TEXT)), "
        f"{smallest.instance.label}, TEXT is",
        *smallest.as_document().splitlines(),
        *smallest.as_table().splitlines(),
    ]


def _rule(found: Found) -> Rule[Any]:
    return found.subject  # type: ignore[return-value]


def _program(found: Found) -> Program:
    return draws_form(_rule(found)) if is_rule(found.subject) else found.subject  # type: ignore[return-value]


def _chosen(found: Found, generated: int) -> Iterable[Case]:
    """Return instances of the subject's shape but the one on which it failed."""
    if is_rule(found.subject):
        numbered = enumerate(RandomInstances(_rule(found), generated))
        return (Case(f"generated/{number}", instance) for number, instance in numbered)
    return (case for case in cases(generated) if case != found.case)


def _until(end: float, chosen: Iterable[Case]) -> Iterator[Case]:
    """Yield cases as long as there is time."""
    for case in chosen:
        if time.monotonic() > end:
            return
        yield case


def _bounded(execution: Execution) -> Execution:
    return replace(execution, max_seconds=min(SECONDS, execution.max_seconds))
