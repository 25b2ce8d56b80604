"""Every right loop that looks wrong is spared, on the case where it could show and on others."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings

from specdec_verification.faults import loop_cases
from specdec_verification.faults.loop_lookalikes import (
    LOOP_LOOKALIKES,
    LoopLookalike,
    drawn_after_discarded,
)
from specdec_verification.results import Verdict
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.checking import check_loop
from specdec_verification.testbed.loop import ServingLoop
from specdec_verification.testbed.plain import batch_law
from specdec_verification.testbed.strategies import serving_cases

MANY = 20
"""Answers; past it a case costs more than it shows here."""

by_name: Any = pytest.mark.parametrize(
    "lookalike", LOOP_LOOKALIKES, ids=lambda lookalike: lookalike.loop.name
)


@by_name
def test_a_right_loop_passes(lookalike: LoopLookalike) -> None:
    result = check_loop(lookalike.loop, lookalike.case)
    assert (result.verdict, result.total_variation) == (Verdict.PASSED, 0)


@by_name
@settings(max_examples=max(10, settings.default.max_examples // 3))  # of each of them
@given(case=serving_cases(max_requests=1))
def test_a_right_loop_passes_under_any_settings(
    lookalike: LoopLookalike, case: ServingCase
) -> None:
    unseeded = replace(case, requests=(replace(case.requests[0], seed=None),))
    assume(1 < len(batch_law(unseeded)) < MANY)
    result = check_loop(lookalike.loop, unseeded)
    assert (result.verdict, result.total_variation) == (Verdict.PASSED, 0)


def test_discarded_draws_are_a_fault_under_a_seed() -> None:
    """What spares a loop without a seed is that nothing repeats it."""
    loop = ServingLoop(draw_with=drawn_after_discarded)
    assert check_loop(loop, loop_cases.SEEDED).verdict is Verdict.FAILED
