"""The application: every command, under its name."""

import sys
from typing import NoReturn

import typer

from specdec_core.errors import SpecdecError
from specdec_verification.cli.audit import audit
from specdec_verification.cli.check import check
from specdec_verification.cli.console import BAD_INPUT, err
from specdec_verification.cli.law import law
from specdec_verification.cli.listings import rules, subjects
from specdec_verification.cli.verify import verify

COMMANDS = (verify, audit, check, law, rules, subjects)

app = typer.Typer(
    name="specdec-verify",
    help="Tell whether speculative decoding emits its target model's law.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for command in COMMANDS:
    app.command()(command)


def main() -> NoReturn:
    """Run the command; bad input is one line on standard error, and exit code 2."""
    try:
        app()
    except SpecdecError as error:
        err.print(f"specdec-verify: {error}", style="red")
    sys.exit(BAD_INPUT)  # where nothing was raised, the application has exited by itself
