"""Runs of pytest inside a test, with the plugin found as an installed one is."""

import os
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

import specdec_verification.pytest_plugin.summary  # noqa: F401  (an inner run forgets what it imports)
from specdec_verification.pytest_plugin import messages
from specdec_verification.pytest_plugin.recording import CURRENT, RunningTest

PROJECT = Path(__file__).parents[3] / "pyproject.toml"

SUBJECTS = """
    import random
    import pytest
    from specdec_core.sampling import sample
    from specdec_verification.pytest_plugin import assert_lossless

    def right(instance, draws):
        return [sample(instance.target(()), draws.uniform())]

    def from_draft(instance):
        return random.choices(range(instance.vocab_size), instance.draft(()))

    def breaking(instance):
        if random.random() < 0.25:
            raise RuntimeError("out of pages")
        return random.choices(range(instance.vocab_size), instance.target(()))
"""

STRICT = ("-W", "error", "--strict-markers", "-p", "no:cacheprovider", "test_it.py")
Run = Callable[..., pytest.RunResult]


@pytest.fixture(autouse=True)
def _unexplained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out of messages what takes a second to find out."""
    monkeypatch.setattr(messages, "explainable", lambda found: False)


@pytest.fixture
def running() -> RunningTest:
    """Return the account of a test that has audited nothing yet."""
    return RunningTest("test_sampler.py::test_step")


@pytest.fixture
def outside_of_pytest() -> Iterator[None]:
    """Make it as if no test were running, so that audits are on nobody's account."""
    token = CURRENT.set(None)
    yield
    CURRENT.reset(token)


@pytest.fixture
def installed(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put on the path, also of other processes, the entry points that the project states."""
    entry_points = tomllib.loads(PROJECT.read_text("utf-8"))["project"]["entry-points"]["pytest11"]
    folder = pytester.mkdir("installed") / "specdec_verify-0.dist-info"
    folder.mkdir()
    lines = [f"{name} = {value}" for name, value in entry_points.items()]
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: specdec-verify\nVersion: 0\n")
    (folder / "entry_points.txt").write_text("\n".join(["[pytest11]", *lines, ""]))
    pytester.syspathinsert(folder.parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))


@pytest.fixture
def run(pytester: pytest.Pytester, installed: None) -> Run:
    """Return how a file of tests is run: its text after the subjects, then pytest's arguments."""

    def pytest_on(tests: str, *arguments: str) -> pytest.RunResult:
        pytester.makepyfile(test_it=f"{dedent(SUBJECTS)}\n{dedent(tests)}")
        return pytester.runpytest_inprocess(*STRICT, *arguments)

    return pytest_on


@pytest.fixture
def run_apart(pytester: pytest.Pytester, installed: None) -> Run:
    """Return the same for a process of its own."""

    def pytest_on(tests: str, *arguments: str) -> pytest.RunResult:
        pytester.makepyfile(test_it=f"{dedent(SUBJECTS)}\n{dedent(tests)}")
        return pytester.runpytest_subprocess(*STRICT, *arguments)

    return pytest_on
