"""The plugin's cost in small: its lines, and that the import stays far from what is noticed."""

import importlib

import pytest


def test_plugin_cost(capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module("plugin_cost").main(repeats=1)
    _, imported, without, with_it, added, engine = capsys.readouterr().out.splitlines()
    assert imported.startswith("import of the plugin")
    milliseconds = [float(line.split()[-1]) for line in (imported, without, with_it, added, engine)]
    assert 0 < milliseconds[0] < milliseconds[4], "the engine is not a part of the plugin"
    assert milliseconds[3] == pytest.approx(milliseconds[2] - milliseconds[1], abs=0.11)
