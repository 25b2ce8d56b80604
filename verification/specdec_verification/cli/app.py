"""The application: every command, under its name."""

import sys
import traceback
from importlib.metadata import version
from typing import Annotated, NoReturn

import typer
from typer.exceptions import TyperException

from specdec_core.errors import SpecdecError
from specdec_verification.cli.audit import audit
from specdec_verification.cli.check import check
from specdec_verification.cli.console import BAD_INPUT, EXIT_CODES, err, out
from specdec_verification.cli.doctor import doctor
from specdec_verification.cli.faults import faults
from specdec_verification.cli.law import law
from specdec_verification.cli.ledger import ledger
from specdec_verification.cli.listings import rules, subjects
from specdec_verification.cli.plan import plan
from specdec_verification.cli.report import report
from specdec_verification.cli.sample import sample
from specdec_verification.cli.vectors import vectors
from specdec_verification.cli.verify import verify
from specdec_verification.results import Verdict

INTERRUPTED = 130
"""What typer makes of Ctrl-C."""

COMMANDS = (
    *(verify, audit, check, sample, report),
    *(plan, law, vectors, rules, subjects, faults, doctor),
)

app = typer.Typer(
    name="specdec-verify",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # which fills the lines of a docstring anew
)
for command in COMMANDS:
    app.command()(command)
app.add_typer(ledger)


DEBUG = "--debug"


def _version(asked: bool) -> None:
    if asked:
        out.print(version("specdec-verify"))
        raise typer.Exit


@app.callback()
def options(
    asked_version: Annotated[
        bool,
        typer.Option("--version", help="Print the version, and stop.", callback=_version),
    ] = False,
    debug: Annotated[
        bool, typer.Option(DEBUG, help="Show the traceback of an error; stands anywhere.")
    ] = False,
) -> None:
    """Tell whether speculative decoding emits its target model's law."""


def main() -> NoReturn:
    """Run the command, and exit with its code; an error is one line on standard error."""
    arguments = [argument for argument in sys.argv[1:] if argument != DEBUG]
    debug = len(arguments) < len(sys.argv[1:])
    try:
        code = app(arguments, standalone_mode=False)
    except TyperException as error:
        _end(BAD_INPUT, error.format_message())
    except Exception as error:  # an error of ours is no verdict: its code must not be that of one
        if debug:
            traceback.print_exc()
        _end(BAD_INPUT, _said(error))
    if code == INTERRUPTED:
        _end(EXIT_CODES[Verdict.INCONCLUSIVE], "interrupted before a verdict: INCONCLUSIVE")
    sys.exit(code or 0)  # a command that returns has passed


def _said(error: Exception) -> str:
    """Return an error in one line; what is not one of ours was not expected."""
    from specdec_verification.cells import described

    return str(error) if isinstance(error, SpecdecError) else f"{described(error)}; see {DEBUG}"


def _end(code: int, message: str) -> NoReturn:
    if message:  # a command without arguments has shown its help, and has nothing more to say
        err.print(f"specdec-verify: {message}", style="red")
    sys.exit(code)
