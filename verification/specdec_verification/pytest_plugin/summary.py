"""The table of all audits of a run, on the terminal."""

from collections import Counter
from collections.abc import Iterable

from specdec_verification.pytest_plugin.recording import AuditLine

HEADER = ("verdict", "TV", "instances", "paths", "seconds", "test and subject")
COLOURS = {"PASSED": "green", "FAILED": "red", "INCONCLUSIVE": "yellow"}


def table(lines: Iterable[AuditLine]) -> list[str]:
    """Return the header and a row for each line, numbers to the right."""
    rows = [HEADER, *map(_row, lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [_aligned(row, widths) for row in rows]


def total(lines: Iterable[AuditLine], profile: str) -> str:
    """Return how many audits ended how, in one line."""
    ended = Counter(line.verdict for line in lines)
    counts = ", ".join(f"{ended[verdict]} {verdict}" for verdict in COLOURS if ended[verdict])
    return f"{counts} (--specdec-profile {profile})"


def _row(line: AuditLine) -> tuple[str, ...]:
    return (
        line.verdict,
        line.total_variation or "-",
        str(line.instances),
        str(line.paths),
        f"{line.seconds:.2f}",
        f"{line.test} {line.subject}",
    )


def _aligned(row: tuple[str, ...], widths: list[int]) -> str:
    first, *numbers, last = row
    right = (f"{text:>{width}}" for text, width in zip(numbers, widths[1:], strict=False))
    return "  ".join((f"{first:{widths[0]}}", *right, last))
