"""The checker on trial: planted faults must fail, and right rules that look wrong must pass."""

from typing import Any

from specdec_core.rules import Rule
from specdec_grids.generated import RandomInstances
from specdec_verification.exact_count import check_exact_count
from specdec_verification.exact_law import check_exact_law
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict


def check_caught(fault: Rule[Any], trials: int, reproduce: str) -> CheckResult:
    """Check that a planted fault fails on one of the first random instances.

    The exact law is asked first.  A slip that only shows where a draw equals a threshold has the
    right law, and is left to the lattices.
    """
    tried = 0
    for check in (check_exact_law, check_exact_count):
        for instance in RandomInstances(fault, trials):
            tried += 1
            labels = _labels(fault, "a planted fault is caught", instance.label, reproduce)
            result = check(fault, instance, labels)
            if result.verdict is Verdict.FAILED:
                return _trial(result, Verdict.PASSED, f"caught by {result.check}: {result.detail}")
    return CheckResult(
        check="faults",
        labels=_labels(fault, "a planted fault is caught", f"{trials} instances", reproduce),
        verdict=Verdict.FAILED,
        evidence=Evidence.EXACT_LAW,
        total_variation=None,
        size=tried,
        detail=f"survived both checks on {trials} instances",
    )


def check_spared(lookalike: Rule[Any], trials: int, reproduce: str) -> CheckResult:
    """Check that a right rule that looks wrong passes on all of the first random instances."""
    instances = RandomInstances(lookalike, trials)
    claim = "a right rule is spared"
    for instance in instances:
        labels = _labels(lookalike, claim, instance.label, reproduce)
        result = check_exact_law(lookalike, instance, labels)
        if result.verdict is not Verdict.PASSED:
            return _trial(result, Verdict.FAILED, f"accused by {result.check}: {result.detail}")
    return _trial(result, Verdict.PASSED, f"passes on {trials} instances")


def _labels(rule: Rule[Any], claim: str, parameters: str, reproduce: str) -> Labels:
    return Labels(rule.name, claim, rule.name, parameters, reproduce)


def _trial(result: CheckResult, verdict: Verdict, detail: str) -> CheckResult:
    check = "faults" if "caught" in result.labels.claim else "lookalikes"
    return CheckResult(
        check,
        result.labels,
        verdict,
        result.evidence,
        result.total_variation,
        result.size,
        detail,
    )
