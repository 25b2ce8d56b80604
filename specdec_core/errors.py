"""Every error that this project raises on purpose.

One root, `SpecdecError`; each class is also the builtin that a caller who has never heard of us
would catch.  A message says what came, what was expected, and where.
"""


class SpecdecError(Exception):
    """Root of every error raised on purpose."""


class InvalidDistributionError(SpecdecError, ValueError):
    """A row is no distribution: an entry is negative or not finite, or the sum is not one."""


class ShapeError(SpecdecError, ValueError):
    """Two arguments do not fit together, such as rows of unequal vocabulary size."""


class InvalidTokenError(SpecdecError, ValueError):
    """A token id is no integer, or lies outside the vocabulary."""


class InvalidTreeError(SpecdecError, ValueError):
    """A token tree is malformed: a parent after its child, or two siblings with one token."""


class InvalidParameterError(SpecdecError, ValueError):
    """A parameter is missing, of the wrong kind, or outside its range."""


class InvalidInstanceError(SpecdecError, ValueError):
    """An instance file does not have the form that `specdec_core.instances` describes."""


class InvalidDrawError(SpecdecError, ValueError):
    """A random input is not a finite number in ``[0, 1)``."""


class InvalidRecordError(SpecdecError, ValueError):
    """An experiment record is malformed, or two records describe different experiments."""


class ZeroResidualError(SpecdecError, ValueError):
    """A residual was asked for where the target nowhere exceeds the draft."""


class MissingContextError(SpecdecError, LookupError):
    """A model was asked for a context that its table does not hold."""


class DrawsExhaustedError(SpecdecError, LookupError):
    """A replay was asked for more draws than were recorded."""


class UnusedDrawsError(SpecdecError, ValueError):
    """A replay ended with recorded draws left over."""


class OpaqueDrawError(SpecdecError, TypeError):
    """A symbolic draw met an operation whose outcome cannot be followed on both sides."""


class NondeterminismError(SpecdecError, RuntimeError):
    """A program asked different questions after the same answers."""


class GridTooLargeError(SpecdecError, ValueError):
    """An enumeration has more points than the stated limit."""


class UnknownRuleError(SpecdecError, KeyError):
    """No rule has that name; the message lists those that exist."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would print the message in quotes


class InvalidScoresError(SpecdecError, ValueError):
    """Rows do not fit what was asked: out of order, missing, extra, or siblings disagree."""


class ProposalMismatchError(SpecdecError, ValueError):
    """A proposal that the rule cannot have made: a token that its row gives no probability."""


class InvalidVectorsError(SpecdecError, ValueError):
    """A file of test vectors cannot be read, or is not the file whose checksum was written."""


class InvalidOutcomesError(SpecdecError, ValueError):
    """A file of outcomes cannot be read, or a record of it is malformed: the message says which."""


class LedgerError(SpecdecError, RuntimeError):
    """A ledger cannot be read or written: nothing of what was being reported was counted."""


class JournalError(SpecdecError, RuntimeError):
    """A run's journal cannot be read or written, or another run wrote it: the message says how."""


class CellLimitError(SpecdecError, RuntimeError):
    """A cell of a run took more time or memory than it was given: the message says which."""


class WorkersLostError(SpecdecError, RuntimeError):
    """An executor lost a worker, or was shut down, before the work that it was given was done."""


class NoCounterexampleError(SpecdecError, LookupError):
    """Of the instances that were tried, a program failed on none; try more of them."""
