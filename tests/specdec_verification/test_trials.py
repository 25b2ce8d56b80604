"""Trials judge the checks: a fault that survives fails them, and so does a right rule accused."""

import pytest

from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_verification import trials
from specdec_verification.exact_law import check_exact_law
from specdec_verification.faults.path_slips import (
    SlippedPathRule,
    accept_always,
    accept_inclusive,
    end_keeping_rest,
)
from specdec_verification.results import CheckResult, Evidence, Verdict
from specdec_verification.trials import check_caught, check_spared

ALWAYS = SlippedPathRule("accept_always", accept_with=accept_always)
INCLUSIVE = SlippedPathRule("accept_inclusive", accept_with=accept_inclusive)
LATE = SlippedPathRule("draft_kept_after_rejection", end_rejected_with=end_keeping_rest)


def test_a_fault_is_caught_by_its_law_on_the_first_instance() -> None:
    result = check_caught(ALWAYS, 3, "run it again")
    assert (result.check, result.verdict) == ("faults", Verdict.PASSED)
    assert result.evidence is Evidence.EXACT_LAW
    assert result.detail.startswith("caught by exact_law: first difference at prefix ")
    assert result.labels.subject == "accept_always"
    assert result.labels.claim == "a planted fault is caught"
    assert result.labels.reproduce == "run it again"
    assert result.total_variation


def test_a_fault_with_the_right_law_is_caught_by_counting() -> None:
    result = check_caught(INCLUSIVE, 3, "")
    assert (result.verdict, result.evidence) == (Verdict.PASSED, Evidence.LATTICE_COUNT)
    assert result.detail.startswith("caught by exact_count: tokens ")


def test_a_fault_that_no_instance_shows_fails_the_trial() -> None:
    """With one draft token there is no rest to keep: the first three instances have one."""
    result = check_caught(LATE, 3, "")
    assert (result.check, result.verdict) == ("faults", Verdict.FAILED)
    assert result.detail == "survived both checks on 3 instances"
    assert result.labels.parameters == "3 instances"
    assert result.size == 6
    assert check_caught(LATE, 9, "").verdict is Verdict.PASSED


def test_an_inconclusive_check_catches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_short(*arguments: object) -> CheckResult:
        return check_exact_law(*arguments, max_paths=1)  # type: ignore[arg-type]

    monkeypatch.setattr(trials, "check_exact_law", cut_short)
    monkeypatch.setattr(trials, "check_exact_count", cut_short)
    assert check_caught(INCLUSIVE, 3, "").verdict is Verdict.FAILED
    assert check_spared(TokenRejectionBonus(), 3, "").verdict is Verdict.FAILED


def test_a_right_rule_survives_as_a_fault_and_is_spared_as_itself() -> None:
    assert check_caught(TokenRejectionBonus(), 9, "").verdict is Verdict.FAILED
    result = check_spared(TokenRejectionBonus(), 9, "run it again")
    assert (result.check, result.verdict) == ("lookalikes", Verdict.PASSED)
    assert result.detail == "passes on 9 instances"
    assert result.labels.claim == "a right rule is spared"
    assert result.total_variation == 0


def test_a_fault_is_not_spared() -> None:
    result = check_spared(LATE, 9, "")
    assert (result.check, result.verdict) == ("lookalikes", Verdict.FAILED)
    assert result.detail.startswith("accused by exact_law: first difference at prefix ")
