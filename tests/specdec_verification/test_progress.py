"""Progress: a line a section on a stream, a bar on a terminal."""

import io
from collections.abc import Callable, Sequence

import pytest
from rich.console import Console

from specdec_verification.plan import Section
from specdec_verification.progress import progress
from specdec_verification.results import CheckResult, Verdict

PASSED, FAILED, INCONCLUSIVE = Verdict


@pytest.fixture
def shown(found: Callable[..., CheckResult]) -> Callable[..., str]:
    def told(verdicts: Sequence[Sequence[Verdict]], *, terminal: bool) -> str:
        """Return what is shown of sections that end so."""
        stream = io.StringIO()
        console = Console(file=stream, force_terminal=terminal, width=100, color_system=None)
        sections = [
            Section("tiny", f"section_{i}", len(of_one), lambda number, line: found())
            for i, of_one in enumerate(verdicts)
        ]
        with progress(sections, console) as on_result:
            for section, of_one in zip(sections, verdicts, strict=True):
                for verdict in of_one:
                    on_result(section, found(verdict))
        return stream.getvalue()

    return told


def test_a_stream_gets_one_line_a_section(shown: Callable[..., str]) -> None:
    verdicts = [[PASSED], [PASSED, FAILED, PASSED], [INCONCLUSIVE, INCONCLUSIVE]]
    assert shown(verdicts, terminal=False).splitlines() == [
        "section_0: 1 passed",
        "section_1: 2 passed, 1 failed",
        "section_2: 2 inconclusive",
    ]


def test_a_section_that_has_not_ended_says_nothing(shown: Callable[..., str]) -> None:
    assert shown([[]], terminal=False) == ""


def test_sections_whose_cells_end_out_of_order_are_told_when_they_are_complete(
    found: Callable[..., CheckResult],
) -> None:
    stream = io.StringIO()
    sections = [Section("tiny", name, 2, lambda number, line: found()) for name in "ab"]
    with progress(sections, Console(file=stream, width=100)) as on_result:
        for section, verdict in zip(
            [*sections, *sections[::-1]], [FAILED, INCONCLUSIVE, PASSED, PASSED], strict=True
        ):
            on_result(section, found(verdict))
    assert stream.getvalue().splitlines() == [
        "b: 1 passed, 1 inconclusive",
        "a: 1 passed, 1 failed",
    ]


def test_a_terminal_gets_a_bar_that_counts_every_cell(shown: Callable[..., str]) -> None:
    bar = shown([[PASSED], [PASSED, PASSED]], terminal=True)
    assert "section_1" in bar
    assert "3/3" in bar
    assert "run it again" not in bar


@pytest.mark.parametrize("verdict", [FAILED, INCONCLUSIVE])
def test_a_terminal_gets_what_did_not_pass_at_once(
    shown: Callable[..., str], verdict: Verdict
) -> None:
    assert f"{verdict} run it again" in shown([[PASSED, verdict]], terminal=True)
