"""What several test files of the checks share."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from specdec_core.distributions import Row
from specdec_core.instances import Instance
from specdec_core.models import TableModel
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict


@pytest.fixture(scope="session")
def labels() -> Labels:
    """Return labels that say nothing."""
    return Labels("subject", "lossless", "instance", "V=2", "run it again")


@pytest.fixture(scope="session")
def found(labels: Labels) -> Callable[..., CheckResult]:
    """Return results of which a test says only what it is about."""

    def result(
        verdict: Verdict = Verdict.PASSED,
        check: str = "exact_law",
        labels: Labels = labels,
        total_variation: Fraction | float | None = Fraction(0),
        size: int = 4,
    ) -> CheckResult:
        return CheckResult(
            check, labels, verdict, Evidence.EXACT_LAW, total_variation, size, "as found"
        )

    return result


@pytest.fixture(scope="session")
def biased() -> Instance:
    """Return target (1/4, 3/4), then (1/2, 1/2) or (1, 0); draft (1/2, 1/2); gamma 1."""
    quarter, half = Row([Fraction(1, 4), Fraction(3, 4)]), Row([Fraction(1, 2), Fraction(1, 2)])
    certain = Row([Fraction(1), Fraction(0)])
    target = TableModel({(): quarter, (0,): half, (1,): certain}, "target")
    return Instance(target, (TableModel({(): half}, "draft"),), {"gamma": 1})
