"""The benchmarks of diagnosis and shrinking run, on a few faults, and count what they say."""

import importlib
from itertools import islice

import pytest


def test_diagnoses(capsys: pytest.CaptureFixture[str]) -> None:
    module = importlib.import_module("diagnoses")
    known = [subject for subject in module.by_hand() if subject.fault is None][-1:]
    sums = module.main(iter([*islice(module.planted(), 1), *known]))
    assert sums == {"right": 1, "none, as it should be": 1}
    assert len(capsys.readouterr().out.splitlines()) == 4


def test_every_slip_is_there_and_its_fault_is_known() -> None:
    module = importlib.import_module("diagnoses")
    subjects = [*module.by_hand()]
    known = {subject.fault for subject in module.planted()}
    assert sum(subject.fault is not None for subject in subjects) >= 12
    assert {subject.fault for subject in subjects} - {None} <= known


def test_shrinks(capsys: pytest.CaptureFixture[str]) -> None:
    module = importlib.import_module("shrinks")
    (found,) = module.main(islice(module.subjects(), 1))
    assert (found.instance.label, module.largest_denominator(found.instance)) == ("V=2 gamma=1", 2)
    assert "0 without a failure" in capsys.readouterr().out
