"""The examples: each form of a sampler passes, and its slip fails by what was foretold.

What a slip does to the law is known from `specdec_verification.faults`: the same slip planted in
the core's own rule, and its law found without any library.
"""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from specdec_verification.audit import load_program
from specdec_verification.faults import FAULTS
from specdec_verification.results import Labels, Verdict
from specdec_verification.round_laws import round_law
from specdec_verification.subjects.adapters import audit_on
from specdec_verification.subjects.cases import Case, cases
from specdec_verification.subjects.exact import DEFAULT

EXAMPLES = Path(__file__).parent.parent / "examples"
LABELS = Labels("", "", "", "", "")
FAULT_OF = {
    "numpy_sampler/rejection_loop": "recovered_from_target",
    "numpy_sampler/accept_mask": "rejected_token_emitted",
    "numpy_sampler/gumbel_max": "bonus_row_off_by_one",
    "numpy_sampler/exponential_race": "coin_shared_by_positions",
    "stdlib_sampler/rejection_loop": "accept_ratio_swapped",
    "stdlib_sampler/inverse_distribution": "bonus_from_draft",
    "stdlib_sampler/gumbel_max": "draft_kept_after_rejection",
    "stdlib_sampler/exponential_race": "residual_reversed",
}
CASES = {case.name: case for case in cases()}
TELLING = ("nothing_impossible", "draft_without_zeros", "five_tokens")


@cache  # a file that is run again makes its generators again, and each is searched for
def program(form: str, name: str) -> Any:  # noqa: ANN401
    return load_program(f"{EXAMPLES / form}.py:{name}")


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("form", FAULT_OF)
def test_every_form_passes(form: str, case: Case) -> None:
    found = audit_on(program(form, "verify"), case.instance, LABELS, DEFAULT)
    assert found.verdict is Verdict.PASSED
    assert float(found.total_variation or 0) < 1e-15


@pytest.mark.parametrize("case", TELLING)
@pytest.mark.parametrize(("form", "fault"), FAULT_OF.items(), ids=FAULT_OF)
def test_a_slip_fails_as_the_planted_fault_foretells(form: str, fault: str, case: str) -> None:
    instance = CASES[case].instance
    foretold = float(round_law(_fault(fault), instance).total_variation)
    found = audit_on(program(form, "verify_with_slip"), instance, LABELS, DEFAULT)
    assert float(found.total_variation or 0) == pytest.approx(foretold, abs=1e-14)
    assert found.verdict is (Verdict.FAILED if foretold > 1e-12 else Verdict.PASSED)


@pytest.mark.parametrize("form", FAULT_OF)
def test_a_slip_fails_on_some_instance_that_is_chosen(form: str) -> None:
    slipped = program(form, "verify_with_slip")
    verdicts = (
        audit_on(slipped, case.instance, LABELS, DEFAULT).verdict for case in CASES.values()
    )
    assert Verdict.FAILED in verdicts


def _fault(name: str) -> Any:  # noqa: ANN401
    (found,) = [fault for fault in FAULTS if fault.name == name]
    return found.rule
