"""The benchmarks of sampled checks run, in a tiny setting, and write what they say they write."""

import csv
import importlib
from pathlib import Path

import numpy as np
import pytest


def test_sample_sizes() -> None:
    rows = [*importlib.import_module("sample_sizes").noncentralities()]
    for row in rows:
        assert row.found == pytest.approx(row.stated, rel=0.01)


def test_neyman_pearson_is_as_tabled() -> None:
    bound = importlib.import_module("sample_sizes").neyman_pearson
    assert [f"{bound(tv):.2e}" for tv in (0.01, 0.001)] == ["1.73e+05", "1.73e+07"]


def test_sampled_statistics(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module("sampled_statistics")
    planted = importlib.import_module("planted_detection")
    monkeypatch.setattr(planted, "FAULTS", planted.FAULTS[:2])
    monkeypatch.setattr(planted, "PLANTED", planted.PLANTED[:2])
    monkeypatch.setattr(importlib.import_module("sample_sizes"), "LOOKS", 20)
    module.main(runs=50, out=tmp_path / "numbers.csv")
    shown = capsys.readouterr().out
    assert "planted faults at their planned draws" in shown
    with (tmp_path / "numbers.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {"table", "quantity", "stated", "found", "error", "remark"} == set(rows[0])
    assert f"{len(rows)} numbers in " in shown


def test_side_by_side(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.import_module("peer_rules"), "RIGHT_SAMPLERS", 500)
    module = importlib.import_module("sampled_side_by_side")
    module.main(runs=20, out=tmp_path / "figure.png", shares=(0.5,))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines[3:5]] == ["e-process + G"] * 2
    assert (tmp_path / "figure.png").stat().st_size > 1000


def test_the_faulty_sampler_has_the_law_that_is_simulated() -> None:
    """At the rate 1e-10, and that is the chance of this test to fail on right code."""
    module = importlib.import_module("sampled_side_by_side")
    counts = np.bincount(module.faulty_sampler(100_000, 0.5, np.random.default_rng()), minlength=8)
    assert module.log_e_value(counts, module.faulty_law(0.5)) < -np.log(1e-10)
