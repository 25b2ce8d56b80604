"""The command `specdec-verify`, and the one place where everything is put together.

One file a command; what they share is in `console`.  Exit codes: 0 all passed, 1 some failed, 2
usage or bad input, 3 inconclusive.
"""

from specdec_verification.cli.app import main

__all__ = ["main"]
