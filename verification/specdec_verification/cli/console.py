"""What every command writes to: the two streams, and one result with its exit code."""

import json
import os
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from specdec_core.errors import MissingContextError
from specdec_verification.results import CheckResult, Verdict

EXIT_CODES = {Verdict.PASSED: 0, Verdict.FAILED: 1, Verdict.INCONCLUSIVE: 3}
BAD_INPUT = 2
SHOWN_FIRST = ("verdict", "total_variation", "detail")
DIGITS = 6
"""Of a float that a person reads; JSON has them all."""

HEADS = 23
"""Columns that the name of an entry takes, with the space after it."""

EXACT = "every result is exact, so that nothing is risked"
"""The error budget of a run without statistical checks."""

OutDir = Annotated[
    Path | None,
    typer.Option("--out", help="Write the reports into this folder.", metavar="DIR"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")]


class Stream(Console):
    """Plain text, as it comes: what looks like markup in a message is a part of it."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, soft_wrap=True, highlight=False, markup=False, emoji=False)

    def show_entry(self, name: str, text: str, *, whole: bool = False) -> None:
        """Print a name and what there is to say: on a terminal below one another, unless whole."""
        line = f"{name:{HEADS - 1}} {text}"
        if self.file.isatty() and not whole:
            line = textwrap.fill(
                line,
                max(self.width, 2 * HEADS),
                subsequent_indent=" " * HEADS,
                break_long_words=False,
                break_on_hyphens=False,
            )
        self.print(line)

    def on_broken_pipe(self) -> None:
        """Go on when the reader has gone, as with ``| head``: the verdict and the files stand."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())


out = Stream()
err = Stream(stderr=True)


def show_json(document: object) -> None:
    """Print JSON without colour, whatever the terminal or FORCE_COLOR asks for."""
    out.out(json.dumps(document, indent=2), highlight=False)


@contextmanager
def naming(place: str) -> Iterator[None]:
    """Say of a row that an instance lacks which instance, or whose file, it is.

    Raises
    ------
    MissingContextError
    """
    try:
        yield
    except MissingContextError as error:
        raise MissingContextError(f"{place}: {error}") from None


def show_paths(paths: Sequence[Path]) -> None:
    """Print what was written, the page to look at last."""
    for path in sorted(paths, key=lambda path: path.suffix == ".html"):
        out.print(f"wrote {path}")


def finish(
    result: CheckResult,
    as_json: bool = False,
    notes: Mapping[str, str] = MappingProxyType({}),
    files: Sequence[Path] = (),
) -> NoReturn:
    """Print one result, what there is to say of it besides, and what was written; then exit.

    The exit code is that of the verdict.
    """
    from specdec_reports.columns import RESULT
    from specdec_reports.tables import result_record
    from specdec_verification.cli.annotations import annotate

    record = result_record(result)
    if as_json:
        show_json({**record, **notes, **({"files": list(map(str, files))} if files else {})})
    else:
        for name in sorted(record, key=SHOWN_FIRST.__contains__, reverse=True):
            if record[name] != "":
                out.show_entry(RESULT[name], _short(record[name]), whole=name == "reproduce")
        for name, note in notes.items():
            if "\n" in note:
                out.print(f"{name}:\n\n{note}")
            else:
                out.show_entry(name, note)
        show_paths(files)
    annotate([result])
    raise typer.Exit(EXIT_CODES[result.verdict])


def _short(value: object) -> str:
    """Return what a person reads of a value: of a float its first digits, and that it is one."""
    return str(float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value)
