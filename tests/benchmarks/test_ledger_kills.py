"""The ledger's benchmark in small: five kills, and the totals of a run without any."""

import importlib
import sys
from pathlib import Path

import pytest


def test_ledger_kills(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
    try:
        importlib.import_module("ledger_kills").main(kills=5, batches=60, longest_ms=20)
    finally:
        sys.modules.pop("ledger_kills", None)
    *_, last = capsys.readouterr().out.splitlines()
    assert last == "resumed and uninterrupted totals are equal"
