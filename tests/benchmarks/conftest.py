"""A benchmark is imported as a script sees it: with its own folder on the path."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def _as_a_script_sees_it(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put the folder on the path, and forget its modules afterwards: their names are common."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(BENCHMARKS)):
            del sys.modules[name]
