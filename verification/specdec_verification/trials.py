"""The checker on trial: planted faults must fail, and right rules that look wrong must pass."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from specdec_core.rules import Rule
from specdec_grids.generated import RandomInstances
from specdec_verification.exact_count import check_exact_count
from specdec_verification.exact_law import check_exact_law
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict

CAUGHT = "a planted fault is caught"
SPARED = "a right rule is spared"


def check_caught(fault: Rule[Any], trials: int, reproduce: str) -> CheckResult:
    """Check that a planted fault fails on one of the first random instances.

    The exact law is asked first.  A slip that only shows where a draw equals a threshold has the
    right law, and is left to the lattices.
    """
    for check in (check_exact_law, check_exact_count):
        for instance in RandomInstances(fault, trials):
            labels = Labels(fault.name, CAUGHT, fault.name, instance.label, reproduce)
            result = check(fault, instance, labels)
            if result.verdict is Verdict.FAILED:
                detail = f"caught by {result.check}: {result.detail}"
                return replace(result, check="faults", verdict=Verdict.PASSED, detail=detail)
    labels = Labels(fault.name, CAUGHT, fault.name, f"{trials} instances", reproduce)
    detail = f"survived both checks on {trials} instances"
    return CheckResult(
        "faults", labels, Verdict.FAILED, Evidence.EXACT_LAW, None, 2 * trials, detail
    )


def check_spared(lookalike: Rule[Any], trials: int, reproduce: str) -> CheckResult:
    """Check that a right rule that looks wrong passes on all of the first random instances."""
    paths = 0
    for instance in RandomInstances(lookalike, trials):
        labels = Labels(lookalike.name, SPARED, lookalike.name, instance.label, reproduce)
        result = check_exact_law(lookalike, instance, labels)
        paths += result.size
        if result.verdict is not Verdict.PASSED:
            detail = f"accused by {result.check}: {result.detail}"
            return replace(result, check="lookalikes", verdict=Verdict.FAILED, detail=detail)
    labels = Labels(lookalike.name, SPARED, lookalike.name, f"{trials} instances", reproduce)
    detail = f"passes on {trials} instances"
    verdict = Verdict.PASSED if trials else Verdict.INCONCLUSIVE
    distance = Fraction(0) if trials else None
    return CheckResult("lookalikes", labels, verdict, Evidence.EXACT_LAW, distance, paths, detail)
