"""The checker on trial: planted faults must fail, and right rules that look wrong must pass.

A fault is put on the witness of its family, a right rule on many random instances; a serving loop
of either kind on the case that belongs to it.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from specdec_core.instances import Instance
from specdec_core.rules import Rule
from specdec_grids.generated import RandomInstances
from specdec_verification.exact_count import check_exact_count
from specdec_verification.exact_law import check_exact_law
from specdec_verification.faults.fault import Fault
from specdec_verification.faults.loop_fault import LoopFault
from specdec_verification.faults.loop_lookalikes import LoopLookalike
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict
from specdec_verification.testbed.checking import check_loop, labels_of

CAUGHT = "a planted fault is caught"
SPARED = "a right rule is spared"


def check_caught(fault: Fault, witness: Instance, reproduce: str) -> CheckResult:
    """Check that a planted fault of a rule fails on its witness.

    The exact law is asked first.  A slip that only shows where a draw equals a threshold has the
    right law, and is left to the lattices.
    """
    labels = Labels(fault.name, CAUGHT, "its witness", witness.label, reproduce)
    result = check_exact_law(fault.rule, witness, labels)
    if result.verdict is not Verdict.FAILED:
        result = check_exact_count(fault.rule, witness, labels)
    return _caught(result)


def check_loop_caught(planted: LoopFault, reproduce: str) -> CheckResult:
    """Check that a planted fault of a serving loop fails on its witness."""
    labels = replace(labels_of(planted.loop, planted.witness), claim=CAUGHT, reproduce=reproduce)
    return _caught(check_loop(planted.loop, planted.witness, labels))


def check_loop_spared(lookalike: LoopLookalike, reproduce: str) -> CheckResult:
    """Check that a right serving loop that looks wrong passes on its case."""
    labels = replace(labels_of(lookalike.loop, lookalike.case), claim=SPARED, reproduce=reproduce)
    result = check_loop(lookalike.loop, lookalike.case, labels)
    if result.verdict is Verdict.PASSED:
        return replace(result, check="lookalikes", detail=f"passes: {lookalike.reason}")
    return _accused(result)


def check_spared(lookalike: Rule[Any], trials: int, reproduce: str) -> CheckResult:
    """Check that a right rule that looks wrong passes on all of the first random instances."""
    paths = 0
    for instance in RandomInstances(lookalike, trials):
        labels = Labels(lookalike.name, SPARED, lookalike.name, instance.label, reproduce)
        result = check_exact_law(lookalike, instance, labels)
        paths += result.size
        if result.verdict is not Verdict.PASSED:
            return _accused(result)
    labels = Labels(lookalike.name, SPARED, lookalike.name, f"{trials} instances", reproduce)
    detail = f"passes on {trials} instances"
    verdict = Verdict.PASSED if trials else Verdict.INCONCLUSIVE
    distance = Fraction(0) if trials else None
    return CheckResult("lookalikes", labels, verdict, Evidence.EXACT_LAW, distance, paths, detail)


def _caught(result: CheckResult) -> CheckResult:
    """Return the trial that a check of a fault amounts to."""
    if result.verdict is Verdict.FAILED:
        detail = f"caught by {result.check}: {result.detail}"
        return replace(result, check="faults", verdict=Verdict.PASSED, detail=detail)
    detail = f"survived every check; {result.check}: {result.detail}"
    return replace(result, check="faults", verdict=Verdict.FAILED, detail=detail)


def _accused(result: CheckResult) -> CheckResult:
    """Return the trial that a check which fails a right subject amounts to."""
    detail = f"accused by {result.check}: {result.detail}"
    return replace(result, check="lookalikes", verdict=Verdict.FAILED, detail=detail)
