"""The application: every command, under its name."""

import sys
from typing import NoReturn

import typer
from typer.exceptions import TyperException

from specdec_core.errors import SpecdecError
from specdec_verification.cli.audit import audit
from specdec_verification.cli.check import check
from specdec_verification.cli.console import BAD_INPUT, EXIT_CODES, err
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
    help="Tell whether speculative decoding emits its target model's law.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # which fills the lines of a docstring anew
)
for command in COMMANDS:
    app.command()(command)
app.add_typer(ledger)


def main() -> NoReturn:
    """Run the command, and exit with its code; bad input is one line on standard error."""
    try:
        code = app(standalone_mode=False)
    except SpecdecError as error:
        _end(BAD_INPUT, str(error))
    except TyperException as error:
        _end(BAD_INPUT, error.format_message())
    if code == INTERRUPTED:
        _end(EXIT_CODES[Verdict.INCONCLUSIVE], "interrupted before a verdict: INCONCLUSIVE")
    sys.exit(code or 0)  # a command that returns has passed


def _end(code: int, message: str) -> NoReturn:
    if message:  # a command without arguments has shown its help, and has nothing more to say
        err.print(f"specdec-verify: {message}", style="red")
    sys.exit(code)
