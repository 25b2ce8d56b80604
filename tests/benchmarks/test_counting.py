"""The counting benchmark in small: equal counts are asserted inside it."""

import importlib

import pytest


def test_counting(capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module("counting").main(outcomes=2_000, in_files=500, huge=2_000, repeats=1)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:2] == ["V", "L"]
    assert [line.split()[0] for line in lines[8:11]] == ["jsonl", "csv", "npz"]
    assert lines[-1].startswith("V = 128,000, 2,000 outcomes counted and tested: peak ")
