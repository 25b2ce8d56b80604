"""Each benchmark imports and runs, in a tiny setting; none is held to a time."""

import importlib

import pytest


def test_paths(capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module("paths").main(shapes=[(2, 1), (3, 2)], repeats=1)
    header, *lines = capsys.readouterr().out.splitlines()
    assert header.split() == ["V", "gamma", "paths", "engine/s", "plain/s", "ratio"]
    assert [line.split()[:2] for line in lines] == [["2", "1"], ["3", "2"]]
    assert {len(line) for line in lines} == {len(header)}


def test_decode_laws(capsys: pytest.CaptureFixture[str]) -> None:
    benchmark = importlib.import_module("decode_laws")
    shapes = [benchmark.Shape(2, 1, 2), benchmark.Shape(3, 2, 3)]
    benchmark.main(shapes, repeats=1, whole_runs=20)
    header, *lines = capsys.readouterr().out.splitlines()
    assert header.split()[:5] == ["V", "gamma", "L", "states", "paths"]
    assert [line.split()[:3] for line in lines] == [["2", "1", "2"], ["3", "2", "3"]]
    assert ["~" in line for line in lines] == [False, True]
    assert {len(line) for line in lines} == {len(header)}


def test_lattices(capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module("lattices").main(looped=2, visited=2, repeats=1)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:3]] == ["Fraction", "float"]
    assert lines[4] == "32 points visited, and split: equal counts"
    assert lines[6].startswith("split    1e+40 points: ")


def test_implementations(capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module("implementations").main(shapes=((2, 1),), new_tokens=1)
    header, *lines = capsys.readouterr().out.splitlines()
    assert header.startswith(("subject", "torch and transformers are not installed"))
    assert len(lines) in (0, 2)
