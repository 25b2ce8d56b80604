"""The benchmarks of diagnosis and shrinking run, on a few faults, and count what they say."""

import importlib
from itertools import islice

import pytest


def test_diagnoses(capsys: pytest.CaptureFixture[str]) -> None:
    module = importlib.import_module("diagnoses")
    of_no_fault = list(module.SLIPS.values()).index(None)
    slips = islice(module.by_hand(), of_no_fault, of_no_fault + 1)
    sums = module.main(iter([*islice(module.planted("numpy"), 1), *slips]))
    assert sums == {"named alone": 2}
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_every_slip_is_there_and_its_fault_is_known() -> None:
    module = importlib.import_module("diagnoses")
    names = {fault.name for fault in module.MOVING}
    assert set(module.SLIPS.values()) - {None} <= names
    assert all((module.EXAMPLES / place.partition(":")[0]).exists() for place in module.SLIPS)


def test_shrinks(capsys: pytest.CaptureFixture[str]) -> None:
    module = importlib.import_module("shrinks")
    (found,) = module.main(islice(module.subjects(), 1))
    assert (found.instance.label, module.largest_denominator(found.instance)) == ("V=2 gamma=1", 2)
    assert "0 without a failure" in capsys.readouterr().out
