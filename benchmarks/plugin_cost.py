"""What the pytest plugin costs those who do not use it: ``python benchmarks/plugin_cost.py``.

Two things are measured.  What its import adds after pytest's own, by Python's ``-X importtime``;
and how much longer an empty run of pytest takes with it than without, run by run in turn.  The
first audit imports the engine; that is the last line, and what a test that uses it pays once.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from side_by_side import median_seconds

PLUGIN = "specdec_verification.pytest_plugin.hooks"
ENGINE = "specdec_verification.pytest_plugin.auditing"


def main(repeats: int = 15) -> None:
    """Print a line for each cost, in milliseconds."""
    print(f"{'median of ' + str(repeats):36} {'ms':>8}")
    _print("import of the plugin, after pytest", imported_ms(PLUGIN, ("pytest",), repeats))
    without, with_it = empty_run_ms(repeats)
    _print("empty run of pytest, without it", without)
    _print("empty run of pytest, with it", with_it)
    _print("what it adds", with_it - without)
    _print("import of the engine, by the first audit", imported_ms(ENGINE, (PLUGIN,), repeats))


def imported_ms(module: str, before: Sequence[str], repeats: int) -> float:
    """Return the milliseconds that a module's import takes, once others are imported."""
    code = "; ".join(f"import {name}" for name in (*before, module))
    return median(_importtime(code, module) for _ in range(repeats))


def empty_run_ms(repeats: int) -> tuple[float, float]:
    """Return the milliseconds of a run that collects nothing, without the plugin and with it."""
    with tempfile.TemporaryDirectory() as folder:
        without, with_it = median_seconds(
            [
                lambda: _empty_run(Path(folder), ()),
                lambda: _empty_run(Path(folder), ("-p", PLUGIN)),
            ],
            repeats,
        )
    return without * 1000, with_it * 1000


def _importtime(code: str, module: str) -> float:
    """Return the milliseconds that a module's import takes, with what it imports first."""
    command = [sys.executable, "-X", "importtime", "-c", code]
    ended = subprocess.run(command, capture_output=True, check=True, text=True)
    lines = [line.split("|") for line in ended.stderr.splitlines()]
    (microseconds,) = [total for _, total, name in lines if name.strip() == module]
    return int(microseconds) / 1000


def _empty_run(folder: Path, arguments: Sequence[str]) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    assert ended.returncode == 5, "no test was collected"


def _print(what: str, milliseconds: float) -> None:
    print(f"{what:40} {milliseconds:>8.1f}")


if __name__ == "__main__":
    main()
