"""The examples: each form of a sampler passes, and its slip fails by what was foretold.

What a slip does to the law is known from `specdec_verification.faults`: the same slip planted in
the core's own rule, and its law found without any library.
"""

from functools import cache
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from specdec_verification.audit import load_program
from specdec_verification.diagnosis import diagnose
from specdec_verification.faults import FAULTS
from specdec_verification.results import Labels, Verdict
from specdec_verification.round_laws import round_law
from specdec_verification.subjects.adapters import audit_on
from specdec_verification.subjects.cases import Case, cases
from specdec_verification.subjects.exact import DEFAULT

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
SLIPPED = ".py:verify_with_slip"
LABELS = Labels("", "", "", "", "")
SLIPS: dict[str, str | None] = run_path(f"{ROOT / 'benchmarks' / 'diagnoses.py'}")["SLIPS"]
FAULT_OF = {
    place.removesuffix(SLIPPED): fault for place, fault in SLIPS.items() if place.endswith(SLIPPED)
}
OF_NUMPY = {place: fault for place, fault in SLIPS.items() if place.startswith("numpy_slips/")}
CASES = {case.name: case for case in cases()}
APART = ("nothing_impossible", "witness")
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


@pytest.mark.parametrize(("place", "fault"), OF_NUMPY.items(), ids=OF_NUMPY)
def test_a_numpy_slip_fails_and_is_named(place: str, fault: str | None) -> None:
    found = diagnose(program(*place.split(".py:")), [CASES[name] for name in APART])
    assert [fit.name for fit in found.fits] == ([fault] if fault else [])
    assert fault or found.sentence.startswith("like none of the "), found.sentence


@pytest.mark.parametrize("form", sorted({place.partition(".py:")[0] for place in OF_NUMPY}))
def test_a_numpy_form_without_its_slip_is_right(form: str) -> None:
    found = diagnose(program(form, "right"), [CASES[name] for name in APART])
    assert found.sentence == "the law is right on all 2 instances tried"


def _fault(name: str) -> Any:  # noqa: ANN401
    (found,) = [fault for fault in FAULTS if fault.name == name]
    return found.rule
