"""The benchmark of workers in small: the same bytes, and a processor time of everyone."""

import importlib
from dataclasses import replace
from pathlib import Path

import pytest

from specdec_verification.plan import Plan


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="times are read as Linux has them")
def test_workers(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def few(profile: str, step: int) -> Plan:
        whole: Plan = part(profile, step)
        return replace(whole, sections=whole.sections[:3])

    workers = importlib.import_module("workers")
    part = workers.part
    monkeypatch.setattr(workers, "part", few)
    workers.main("quick", 9, repeats=1)
    head, _, one, two, same, *ratios = capsys.readouterr().out.splitlines()
    assert head.startswith("quick, every 9. cell: 14 cells")
    assert (one.split()[0], two.split()[0]) == ("1", "2")
    assert same == "the same bytes every time"
    assert len(ratios) == 3
