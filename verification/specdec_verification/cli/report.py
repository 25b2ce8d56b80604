"""`specdec-verify report`: every report of a run, from the JSON that it left."""

from pathlib import Path
from typing import Annotated

import typer

from specdec_core.errors import InvalidParameterError
from specdec_verification.cli.console import AsJson
from specdec_verification.cli.runs import end_run, require_writable, show_run, write_into
from specdec_verification.results import Run


def report(
    results: Annotated[
        Path, typer.Argument(help="What --out of a command wrote.", metavar="RESULTS.json")
    ],
    out_dir: Annotated[
        Path | None,
        typer.Option("--out", help="Write Markdown, CSV, LaTeX, JUnit and HTML into this folder."),
    ] = None,
    figures: Annotated[
        bool, typer.Option("--figures", help="Write the figures too, as SVG and PNG.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show a run again, and write its reports; the exit code is the run's."""
    if figures and out_dir is None:
        raise InvalidParameterError("--figures: expected --out and the folder to write them into")
    run = _read(results)
    paths = [] if out_dir is None else _write(run, out_dir, figures)
    if not as_json:
        show_run(run)
    end_run(run, paths, as_json)


def _read(path: Path) -> Run:
    from specdec_reports.documents import InvalidResultsError, run_from_json

    try:
        return run_from_json(path.read_text("utf-8"))
    except OSError as error:
        raise InvalidParameterError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidParameterError(f"{path}: not UTF-8") from None
    except InvalidResultsError as error:
        raise InvalidParameterError(f"{path}: {error}") from None


def _write(run: Run, folder: Path, figures: bool) -> list[Path]:
    from specdec_reports.writing import figure_files, table_files

    require_writable(folder)
    return write_into(folder, table_files(run) | (figure_files(run) if figures else {}))
