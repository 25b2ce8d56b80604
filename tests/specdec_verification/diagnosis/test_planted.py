"""Faults planted in programs, and what diagnoses make of them."""

import pytest

from specdec_verification.diagnosis import Diagnosis
from specdec_verification.diagnosis.planted import (
    MOVING,
    diagnosis_row,
    naming_of,
    with_diagnoses,
)
from specdec_verification.faults.catalogue import AT_THRESHOLDS
from specdec_verification.results import DiagnosisRow, Naming, Run, Verdict

FAULT = {fault.name: fault for fault in MOVING}
ONE, OTHER = FAULT["recovered_from_target"], FAULT["recovered_from_draft"]


@pytest.mark.parametrize("name", ["siblings_top_recorded_soft", "lenience_claimed_lossless"])
def test_a_fault_of_another_shape_is_named_on_its_own_instances(name: str) -> None:
    kind = FAULT[name].kind
    assert diagnosis_row(FAULT[name], "numpy") == DiagnosisRow(
        name, kind, "numpy", Naming.ALONE, name
    )


def test_every_fault_that_moves_a_law_is_planted() -> None:
    assert len(MOVING) >= 80
    assert not set(MOVING) & set(AT_THRESHOLDS)


def test_what_is_named_counts_only_where_it_was_planted() -> None:
    cases = {
        (ONE,): Naming.ALONE,
        (ONE, OTHER): Naming.AMONG,
        (OTHER,): Naming.WRONG,
        (): Naming.NONE,
    }
    assert {fits: naming_of(Diagnosis(fits, None, ""), ONE.name) for fits in cases} == cases


def test_a_run_gets_a_row_for_each_fault_in_each_form_that_is_there() -> None:
    run = Run("0.1.0", "tiny", Verdict.PASSED, "", 0, (), (), (), ())
    found = with_diagnoses(run, ("draws", "no such library"), (ONE, OTHER))
    assert [(row.form, row.named) for row in found.diagnoses] == [
        ("draws", ONE.name),
        ("draws", OTHER.name),
    ]
