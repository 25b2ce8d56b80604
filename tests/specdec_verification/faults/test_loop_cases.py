"""The right loop passes every case that a fault is shown on, and no case is trivial."""

import pytest

from specdec_verification.faults import loop_cases
from specdec_verification.results import Verdict
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.checking import check_loop
from specdec_verification.testbed.loop import ServingLoop
from specdec_verification.testbed.plain import batch_law

CASES = {name: case for name, case in vars(loop_cases).items() if isinstance(case, ServingCase)}


@pytest.mark.parametrize("name", CASES)
def test_the_right_loop_passes(name: str) -> None:
    result = check_loop(ServingLoop(), CASES[name])
    assert (result.verdict, result.total_variation) == (Verdict.PASSED, 0)


@pytest.mark.parametrize("name", CASES)
def test_no_answer_is_certain(name: str) -> None:
    assert len(batch_law(CASES[name])) > 1
