"""The plugin's cost in small: its lines, and that the import stays far from what is noticed."""

import importlib
import sys
from pathlib import Path

import pytest


def test_plugin_cost(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
    try:
        importlib.import_module("plugin_cost").main(repeats=1)
    finally:
        for name in ("plugin_cost", "side_by_side"):
            sys.modules.pop(name, None)
    _, imported, without, with_it, added, engine = capsys.readouterr().out.splitlines()
    assert imported.startswith("import of the plugin")
    milliseconds = [float(line.split()[-1]) for line in (imported, without, with_it, added, engine)]
    assert 0 < milliseconds[0] < milliseconds[4], "the engine is not a part of the plugin"
    assert milliseconds[3] == pytest.approx(milliseconds[2] - milliseconds[1], abs=0.11)
