"""How often a diagnosis names the fault that was planted: measured, over all faults of rules.

Every fault that moves a law is planted in programs of unmodified code, which are followed while
they run, and each is diagnosed as one whose fault nobody knows.  A program of single-path drafts is
run on the instances that an audit chooses; one of another shape on as many generated ones of its
own shape, and on the witness of its family.

Not here: faults written by hand, which no list can know to be complete.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from specdec_grids.generated import RandomInstances
from specdec_verification.diagnosis.diagnosing import MORE, Diagnosis, diagnose
from specdec_verification.faults.catalogue import AT_THRESHOLDS, FAULTS
from specdec_verification.faults.fault import Fault
from specdec_verification.results import DiagnosisRow, Naming, Run
from specdec_verification.subjects.cases import GENERATED, Case, cases
from specdec_verification.subjects.rule_programs import FORMS
from specdec_verification.witnesses import witness_of

MOVING: tuple[Fault, ...] = tuple(fault for fault in FAULTS if fault not in AT_THRESHOLDS)
"""The faults that move a law: the others pass, and leave nothing to diagnose."""


def with_diagnoses(run: Run, forms: Iterable[str], faults: Sequence[Fault] = MOVING) -> Run:
    """Return a run with what diagnoses say of planted faults added.

    Parameters
    ----------
    run : Run
    forms : iterable of str
        In which faults are planted; one whose library is not there is left out.
    faults : sequence of Fault
    """
    there = [form for form in forms if form in FORMS]
    rows = tuple(diagnosis_row(fault, form) for form in there for fault in faults)
    return replace(run, diagnoses=rows)


def diagnosis_row(fault: Fault, form: str) -> DiagnosisRow:
    """Return what a diagnosis says of a fault that is planted in a form of `FORMS`."""
    program = FORMS[form](fault.rule)
    found = diagnose(program, _cases(fault, GENERATED), more=_cases(fault, MORE))
    named = ", ".join(fit.name for fit in found.fits) or found.claim or ""
    return DiagnosisRow(fault.name, fault.kind, form, naming_of(found, fault.name), named)


def naming_of(found: Diagnosis, planted: str) -> Naming:
    """Return what a diagnosis made of the fault of a name."""
    names = [fault.name for fault in found.fits]
    if planted in names:
        return Naming.ALONE if len(names) == 1 else Naming.AMONG
    return Naming.WRONG if names else Naming.NONE


def _cases(fault: Fault, generated: int) -> Iterator[Case]:
    """Yield the instances of a fault's shape, so many of them generated."""
    if set(fault.rule.parameters) == {"gamma"}:
        yield from cases(generated)
        return
    yield Case("witness", witness_of(fault))
    for number, instance in enumerate(RandomInstances(fault.rule, generated)):
        yield Case(f"generated/{number}", instance)
