"""The pytest plugin: exact audits inside one's own tests.

`assert_lossless` fails a test whose subject does not emit its target's law, or about which too
little is known; the `specdec` fixture holds the same, and `audit`, which judges without failing.
The marker ``specdec_lossless`` sets limits, and makes it the claim of a test that all its audits
pass.  pytest imports this at every start, so nothing here imports anything but pytest: the engine
is imported by the first audit.
"""

from specdec_verification.pytest_plugin.auditor import Auditor, assert_lossless

__all__ = ["Auditor", "assert_lossless"]
