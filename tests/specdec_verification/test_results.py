"""Results: frozen, comparable, and added up by what tables group them by."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace

import pytest

from specdec_verification.results import (
    CheckResult,
    Risk,
    Verdict,
    worst,
)

PASSED, FAILED, INCONCLUSIVE = Verdict


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        ([], INCONCLUSIVE),
        ([PASSED], PASSED),
        ([PASSED, PASSED], PASSED),
        ([INCONCLUSIVE, PASSED], INCONCLUSIVE),
        ([PASSED, INCONCLUSIVE, FAILED], FAILED),
        ([FAILED, PASSED], FAILED),
    ],
)
def test_one_failure_fails_the_whole_and_no_evidence_is_no_pass(
    verdicts: list[Verdict], whole: Verdict
) -> None:
    assert worst(verdicts) is whole


def test_a_result_cannot_be_changed_and_is_equal_to_its_copy(
    found: Callable[..., CheckResult],
) -> None:
    result = replace(found(), risk=Risk(1e-6, 0.01, 0.25, 100))
    with pytest.raises(FrozenInstanceError):
        result.verdict = FAILED  # type: ignore[misc]
    assert {result, replace(result)} == {result}


def test_results_import_nothing_of_ours() -> None:
    code = (
        "import sys, specdec_verification.results\n"
        "print(*sorted(name for name in sys.modules if name.startswith('specdec')))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # Their rows are files of their own, and import nothing of ours either.
    names = ("law_rows", "measurements", "results")
    assert ran.stdout.split() == [
        "specdec_verification",
        *(f"specdec_verification.{name}" for name in names),
    ]
