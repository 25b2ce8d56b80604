"""`specdec-verify report`: every report of a run, from the JSON that it left."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from specdec_core.errors import InvalidParameterError
from specdec_verification.cli.annotations import annotate
from specdec_verification.cli.console import EXIT_CODES, AsJson, show_json
from specdec_verification.cli.runs import require_writable, show_paths, show_run, write_into
from specdec_verification.results import Run


def report(
    results: Annotated[
        Path, typer.Argument(help="What `verify --out` wrote.", metavar="RESULTS.json")
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
    if as_json:
        show_json(_record(run, paths))
        annotate(run.exceptions)
    else:
        show_run(run)
        show_paths(paths)
    raise typer.Exit(EXIT_CODES[run.verdict])


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


def _record(run: Run, paths: list[Path]) -> dict[str, object]:
    counts = Counter[str]()
    for row in run.summary:
        counts.update(passed=row.passed, failed=row.failed, inconclusive=row.inconclusive)
    return {
        "verdict": str(run.verdict),
        "version": run.version,
        "profile": run.profile,
        "budget": run.budget,
        "instances": run.instances,
        **{name: counts[name] for name in ("passed", "failed", "inconclusive")},
        "exceptions": len(run.exceptions),
        "files": list(map(str, paths)),
    }
