"""A small run, made by hand, that every report is made of."""

from fractions import Fraction

import pytest

from specdec_verification.results import (
    CheckResult,
    Evidence,
    Labels,
    Risk,
    Run,
    SummaryRow,
    Verdict,
)


def labels(subject: str, claim: str, number: int) -> Labels:
    return Labels(subject, claim, f"random/{number}", "V=2 gamma=1", f"specdec-verify {number}")


@pytest.fixture(scope="session")
def failed() -> CheckResult:
    """Return a failed exact check, with what would break a table in its detail."""
    return CheckResult(
        check="exact_law",
        labels=labels("token_rejection", "lossless", 3),
        verdict=Verdict.FAILED,
        evidence=Evidence.EXACT_LAW,
        total_variation=Fraction(1, 9),
        size=4,
        detail="a | b \\| c\nd",
    )


@pytest.fixture(scope="session")
def sampled() -> CheckResult:
    """Return a sampled check, with its risk."""
    return CheckResult(
        check="g_test",
        labels=labels("token_rejection", "lossless", 4),
        verdict=Verdict.INCONCLUSIVE,
        evidence=Evidence.SAMPLED,
        total_variation=0.0123456789,
        size=1000,
        detail="only a total variation of 0.25 is sure to be seen",
        risk=Risk(1e-9, 0.01, 0.25, 1000),
    )


@pytest.fixture(scope="session")
def run(failed: CheckResult, sampled: CheckResult) -> Run:
    """Return a run with two shapes, one example, one trial, and two exceptions."""
    example = CheckResult(
        check="contract",
        labels=labels("token_rejection", "single path: 2500 of 10000", 1),
        verdict=Verdict.PASSED,
        evidence=Evidence.LATTICE_COUNT,
        total_variation=None,
        size=10_000,
        detail="counted [2500, 7500] of 10000, expected [2500, 7500]",
    )
    trial = CheckResult(
        check="faults",
        labels=labels("accept_always", "a planted fault is caught", 2),
        verdict=Verdict.PASSED,
        evidence=Evidence.EXACT_LAW,
        total_variation=Fraction(1, 3),
        size=7,
        detail="caught by exact_law: first difference at prefix '0'",
    )
    exact = ("exact_law", "token_rejection", "lossless")
    return Run(
        version="0.1.0",
        profile="tiny",
        verdict=Verdict.FAILED,
        budget="2 checks at 5e-10 each",
        instances=1501,
        summary=(
            SummaryRow(*exact, "V=2 gamma=1", Evidence.EXACT_LAW, 1000, 999, 1, 0, 5000, 1 / 9),
            SummaryRow(*exact, "V=3 gamma=1", Evidence.EXACT_LAW, 500, 500, 0, 0, 9000, 0.0625),
            SummaryRow(
                "g_test",
                "token_rejection",
                "lossless",
                "V=2 gamma=1",
                Evidence.SAMPLED,
                *(1, 0, 0, 1, 1000),
                0.0123456789,
            ),
        ),
        examples=(example,),
        trials=(trial,),
        exceptions=(failed, sampled),
    )


@pytest.fixture(scope="session")
def empty() -> Run:
    """Return what an interrupt of the first cell leaves."""
    return Run("0.1.0", "tiny", Verdict.INCONCLUSIVE, "2 checks", 0, (), (), (), ())
