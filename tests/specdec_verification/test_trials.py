"""Trials judge the checks: a fault that survives fails them, and so does a right rule accused."""

from dataclasses import replace
from typing import Any

import pytest

from specdec_core.instances import Instance
from specdec_core.rules import Rule
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_grids.generated import RandomInstances
from specdec_verification import trials
from specdec_verification.exact_law import check_exact_law
from specdec_verification.faults.fault import Fault, plant
from specdec_verification.faults.loop_catalogue import PLANTED
from specdec_verification.faults.loop_lookalikes import LOOP_LOOKALIKES, LoopLookalike
from specdec_verification.faults.path_slips import (
    SlippedPathRule,
    accept_always,
    accept_inclusive,
    end_keeping_rest,
)
from specdec_verification.results import CheckResult, Evidence, Verdict
from specdec_verification.testbed.loop import ServingLoop
from specdec_verification.trials import (
    check_caught,
    check_loop_caught,
    check_loop_spared,
    check_spared,
)


def planted(rule: Rule[Any]) -> Fault:
    return plant("K08", "specdec-verify", "For the test.", rule)


ALWAYS = planted(SlippedPathRule("accept_always", accept_with=accept_always))
INCLUSIVE = planted(SlippedPathRule("accept_inclusive", accept_with=accept_inclusive))
LATE = planted(SlippedPathRule("draft_kept_after_rejection", end_rejected_with=end_keeping_rest))
RIGHT = TokenRejectionBonus()


LAST = RandomInstances(RIGHT, 9)[-1]
PLANTED_LOOP, LOOKALIKE = PLANTED[0], LOOP_LOOKALIKES[0]


def test_a_fault_is_caught_by_its_law(biased: Instance) -> None:
    result = check_caught(ALWAYS, biased, "run it again")
    assert (result.check, result.verdict) == ("faults", Verdict.PASSED)
    assert result.evidence is Evidence.EXACT_LAW
    assert result.detail.startswith("caught by exact_law: first difference at prefix ")
    assert result.labels.subject == "accept_always"
    assert result.labels.claim == "a planted fault is caught"
    assert result.labels.reproduce == "run it again"
    assert result.total_variation


def test_a_fault_with_the_right_law_is_caught_by_counting(biased: Instance) -> None:
    result = check_caught(INCLUSIVE, biased, "")
    assert (result.verdict, result.evidence) == (Verdict.PASSED, Evidence.LATTICE_COUNT)
    assert result.detail.startswith("caught by exact_count: tokens ")


def test_a_fault_that_its_witness_does_not_show_fails_the_trial(biased: Instance) -> None:
    """With one draft token there is no rest to keep."""
    result = check_caught(LATE, biased, "")
    assert (result.check, result.verdict) == ("faults", Verdict.FAILED)
    assert result.detail.startswith("survived every check; exact_count: ")
    assert result.labels.parameters == "V=2 gamma=1"
    assert check_caught(LATE, LAST, "").verdict is Verdict.PASSED


def test_an_inconclusive_check_catches_nothing(
    monkeypatch: pytest.MonkeyPatch, biased: Instance
) -> None:
    def cut_short(*arguments: object) -> CheckResult:
        return check_exact_law(*arguments, max_paths=1)  # type: ignore[arg-type]

    monkeypatch.setattr(trials, "check_exact_law", cut_short)
    monkeypatch.setattr(trials, "check_exact_count", cut_short)
    assert check_caught(INCLUSIVE, biased, "").verdict is Verdict.FAILED
    assert check_spared(RIGHT, 3, "").verdict is Verdict.FAILED


def test_a_right_rule_survives_as_a_fault_and_is_spared_as_itself(biased: Instance) -> None:
    assert check_caught(planted(RIGHT), biased, "").verdict is Verdict.FAILED
    result = check_spared(RIGHT, 9, "run it again")
    assert (result.check, result.verdict) == ("lookalikes", Verdict.PASSED)
    assert result.detail == "passes on 9 instances"
    assert result.labels.claim == "a right rule is spared"
    assert result.total_variation == 0


def test_a_fault_is_not_spared() -> None:
    result = check_spared(LATE.rule, 9, "")
    assert (result.check, result.verdict) == ("lookalikes", Verdict.FAILED)
    assert result.detail.startswith("accused by exact_law: first difference at prefix ")


def test_a_loop_with_a_fault_is_caught_and_a_right_one_survives() -> None:
    result = check_loop_caught(PLANTED_LOOP, "run it again")
    assert (result.check, result.verdict) == ("faults", Verdict.PASSED)
    assert result.detail.startswith("caught by serving_loop: ")
    assert result.labels.claim == "a planted fault is caught"
    assert result.labels.reproduce == "run it again"
    fault = replace(PLANTED_LOOP.fault, planted=ServingLoop())
    mended = check_loop_caught(replace(PLANTED_LOOP, fault=fault), "")
    assert (mended.check, mended.verdict) == ("faults", Verdict.FAILED)
    assert mended.detail.startswith("survived every check; serving_loop: ")


def test_a_right_loop_is_spared_and_one_with_a_fault_is_not() -> None:
    result = check_loop_spared(LOOKALIKE, "run it again")
    assert (result.check, result.verdict) == ("lookalikes", Verdict.PASSED)
    assert result.detail == f"passes: {LOOKALIKE.reason}"
    assert result.labels.claim == "a right rule is spared"
    assert result.labels.reproduce == "run it again"
    faulty = LoopLookalike(PLANTED_LOOP.loop, PLANTED_LOOP.witness, "it is not")
    assert check_loop_spared(faulty, "").verdict is Verdict.FAILED
