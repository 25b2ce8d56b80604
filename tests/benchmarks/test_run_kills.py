"""The benchmark of a killed run in small: the whole run once or twice, or one worker."""

import importlib
from pathlib import Path

import pytest


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found as on Linux")
def test_run_kills(capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module("run_kills").main(cells=600, kills=2)
    calm, killed, same = capsys.readouterr().out.splitlines()
    assert calm.startswith("undisturbed  600 cells, 0 kills, 1 starts")
    assert killed.startswith("killed       600 cells, 2 kills")
    assert same.endswith("every cell in the journal once")
