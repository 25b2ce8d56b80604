"""The benchmarks of costs and scaling run, on what is small, and say what they measured."""

import importlib
from dataclasses import replace
from pathlib import Path

import pytest

from specdec_verification.plan import Plan


def test_costs(capsys: pytest.CaptureFixture[str]) -> None:
    """Counted paths are those of the closed form: that is asserted inside."""
    costs = importlib.import_module("costs")
    small = [replace(growth, shapes=growth.shapes[:2]) for growth in costs.GROWTHS]
    costs.main(small, repeats=1)
    exponents = [line for line in capsys.readouterr().out.splitlines() if "exponent" in line]
    assert len(exponents) == len(small)


def test_an_exponent_is_the_slope_of_the_logarithms() -> None:
    costs = importlib.import_module("costs")
    assert costs.exponent([0.0, 1.0, 2.0], [3.0, 6.0, 12.0]) == pytest.approx(costs.log(2))


def test_planned_costs(capsys: pytest.CaptureFixture[str]) -> None:
    benchmark = importlib.import_module("planned_costs")
    benchmark.main(benchmark.CASES[:1], seconds=0.1)
    *_, case, last = capsys.readouterr().out.splitlines()
    assert case.startswith("token_rejection V=2 gamma=5 ")
    assert case.split()[3:6] == ["112", "112", "1.00"]
    assert last.startswith("planned and actual differ by a factor of ")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="times are read as Linux has them")
def test_scaling(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    scaling = importlib.import_module("scaling")

    def few(profile: str, step: int) -> Plan:
        whole: Plan = part(profile, step)
        return replace(whole, sections=whole.sections[:3])

    part = scaling.part
    monkeypatch.setattr(importlib.import_module("workers"), "part", few)
    monkeypatch.setattr(scaling, "part", few)
    small = scaling.Round("token_rejection_bonus", 4, (("gamma", 3),))
    scaling.main("quick", 9, counts=(1,), programs=(small, small))
    assert capsys.readouterr().out.count("a job of 1,000 core-hours") == 2


def test_the_model_stops_where_one_process_is_busy_all_the_time() -> None:
    model = importlib.import_module("scaling").Model(1000.0, 100, 0.5, 1.0)
    assert model.most_workers == 20
    assert [model.seconds(workers) for workers in (1, 10, 20, 1000)] == [1001, 101, 51, 51]
    assert model.of_hours(1).seconds(10) == 361
