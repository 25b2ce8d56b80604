"""pytest's hooks and the `specdec` fixture: what the ``pytest11`` entry point registers."""

from collections.abc import Generator
from dataclasses import asdict

import pytest

from specdec_verification.pytest_plugin.auditor import Auditor
from specdec_verification.pytest_plugin.recording import (
    CURRENT,
    PROPERTY,
    AuditLine,
    RunningTest,
    lines_of,
    properties_of,
)
from specdec_verification.pytest_plugin.settings import MARKER, PROFILES, Settings, marked

OPTION = "--specdec-profile"
AUDITS = "specdec_audits"
"""Of a report: what the audits of its test found, as pytest-xdist can send it."""

_RUNNING = pytest.StashKey[RunningTest]()


@pytest.fixture
def specdec(request: pytest.FixtureRequest) -> Auditor:
    """Audit on the account of this test: ``specdec.assert_lossless``, ``specdec.audit``."""
    return Auditor(request.node.stash[_RUNNING])


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that says on how many instances to audit."""
    group = parser.getgroup("specdec", "exact audits of speculative decoding")
    group.addoption(
        OPTION,
        choices=tuple(PROFILES),
        default="quick",
        help="instances of an audit that is given none: some two dozen, or ten times as many",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(profile=None, max_paths=None, max_seconds=None): the test makes exact audits, "
        "and passes only if all of them do; the arguments are their limits.",
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Open a test's account, and close it."""
    test = RunningTest(item.nodeid)
    item.stash[_RUNNING] = test
    token = CURRENT.set(test)
    try:
        return (yield)
    finally:
        CURRENT.reset(token)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Read the test's markers; a test that is run again begins a new account."""
    test = item.stash[_RUNNING]
    test.audits.clear()
    mistake = ""
    try:
        test.settings = marked(Settings(item.config.getoption(OPTION)), item.iter_markers(MARKER))
    except ValueError as error:
        mistake = str(error)
    if mistake:  # out here, so that pytest shows one exception and not two
        pytest.fail(mistake, pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Hold a marked test to its claim, even if it caught what an audit raised."""
    result = yield
    if item.get_closest_marker(MARKER):
        lines = lines_of(item.stash[_RUNNING])
        broken = [line for line in lines if line.verdict != "PASSED"]
        if not lines:
            pytest.fail(f"marked {MARKER}, but nothing was audited", pytrace=False)
        if broken:
            first = broken[0]
            message = f"marked {MARKER}, but {first.subject} is {first.verdict}: {first.detail}"
            pytest.fail(message, pytrace=False)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Give the last report of a test its audits, and JUnit their properties."""
    lines = lines_of(item.stash[_RUNNING]) if call.when == "teardown" else []
    if lines:
        others = [pair for pair in item.user_properties if not pair[0].startswith(PROPERTY)]
        item.user_properties[:] = [*others, *properties_of(lines)]
    report = yield
    if lines:
        vars(report)[AUDITS] = [asdict(line) for line in lines]
    return report


def pytest_terminal_summary(terminalreporter: "pytest.TerminalReporter") -> None:
    """Show a line for every audit of the run, whichever process made it."""
    # The annotation is a string because the first versions of pytest 8 do not export the class.
    reports = [report for group in terminalreporter.stats.values() for report in group]
    audits = [audit for report in reports for audit in getattr(report, AUDITS, ())]
    if not audits:
        return
    from specdec_verification.pytest_plugin.summary import COLOURS, table, total

    lines = sorted((AuditLine(**audit) for audit in audits), key=lambda line: line.test)
    header, *rows = table(lines)
    terminalreporter.section("specdec audits")
    terminalreporter.write_line(header)
    for line, row in zip(lines, rows, strict=True):
        terminalreporter.write_line(row, **{COLOURS[line.verdict]: True})
    terminalreporter.write_line(total(lines, terminalreporter.config.getoption(OPTION)))
