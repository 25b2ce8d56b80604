"""The ledger's benchmark in small: five kills, and the totals of a run without any."""

import importlib

import pytest


def test_ledger_kills(capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module("ledger_kills").main(kills=5, batches=60, longest_ms=20)
    *_, last = capsys.readouterr().out.splitlines()
    assert last == "resumed and uninterrupted totals are equal"
