"""``python -m specdec_verification.cli`` is the command."""

from specdec_verification.cli.app import main

main()
