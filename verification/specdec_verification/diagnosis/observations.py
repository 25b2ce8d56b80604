"""What a program was seen to emit on one instance, and whether a law known of old is the same.

A run that goes wrong emits no tokens, so the law of what is emitted can fall short of one.  What a
program emits is a part of another law if it exceeds that law nowhere, to within what rounding can
do: whatever the runs that went wrong should have emitted, the law has room for it.  A law that
lacks nothing is a part of another exactly if the two are equal.
"""

from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction

from specdec_core.instances import Instance
from specdec_core.laws import Law, complete, outside_support
from specdec_core.models import Context
from specdec_verification.emissions import Malfunction, checked, tokens_of
from specdec_verification.subjects.adapters import Followed, Program, followed_on
from specdec_verification.subjects.cases import Case
from specdec_verification.subjects.exact import Execution
from specdec_verification.subjects.verdicts import Laws, laws_of, rounding_bound


class Agreement(IntEnum):
    """How far what is emitted is another law's."""

    NONE = 0
    """Not at all."""
    PART = 1
    """As far as runs went right."""
    WHOLE = 2
    """Down to how many runs go wrong."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What a program emits on an instance.

    Attributes
    ----------
    case : Case
        The instance, in fractions if it came so.
    given : Instance
        The rows that the program got.
    emitted : Law of tuple of int
        Of the tokens of one row, as they came; without the runs that went wrong.
    laws : Laws
        Found and claimed, completed; a batch's rows stand one after another.
    length : int
        Tokens in a completed row.
    broken : Fraction
        Probability of the runs that went wrong.
    bound : Fraction
        What rounding, and the paths that were not followed, can make of the total variation.
    missing : Fraction
        Probability of the paths that were not followed.
    """

    case: Case
    given: Instance
    emitted: Law[Context]
    laws: Laws
    length: int
    broken: Fraction
    bound: Fraction
    missing: Fraction

    @property
    def rows(self) -> int:
        """How many rows a run emits: more than one is a batch."""
        return rows_of(self.laws.got, self.length)

    @property
    def right(self) -> bool:
        """Whether the law is the one claimed, and nothing lies outside its support.

        Rounding keeps a zero a zero, so its bound forgives none.
        """
        outside = outside_support(*self.laws).mass
        return self.departure is Agreement.WHOLE and not outside

    @property
    def departure(self) -> Agreement:
        """How far the law agrees with the one claimed."""
        return agreement(self.laws.got, self.laws.expected, self.bound)

    def agreement(self, law: Law[Context]) -> Agreement:
        """Return how far the law agrees with another law of one row.

        Raises
        ------
        MissingContextError
            If the other law is of more tokens, and the instance cannot complete this one to it.
        """
        length = max(map(len, (*law, *self.emitted)), default=1)
        got, other = (complete(each, self.given.target, length) for each in (self.emitted, law))
        return agreement(got, other, self.bound)


def observe(program: Program, case: Case, execution: Execution) -> Observation:
    """Return what a program emits on an instance.

    Raises
    ------
    OpaqueDrawError, NondeterminismError
        If the program cannot be followed.
    MissingContextError, InvalidParameterError, InvalidInstanceError
        If the instance lacks what the program asks of it.
    """
    followed = followed_on(program, case.instance, execution)
    claim, laws = followed.claim, laws_of(followed.found, followed.claim)
    rows = rows_of(laws.got, claim.length)
    missing = followed.found.missing
    bound = rounding_bound(laws.expected, claim, rows) + missing
    emitted = _one_row(followed) if rows == 1 else Law({})
    broken = max(1 - laws.got.mass - bound, Fraction(0))
    return Observation(case, followed.given, emitted, laws, claim.length, broken, bound, missing)


def agreement(got: Law[Context], law: Law[Context], bound: Fraction) -> Agreement:
    """Return whether a law, perhaps a part of one, is another or a part of it.

    >>> half = Law({(0,): Fraction(1, 2)})
    >>> agreement(half, Law({(0,): Fraction(3, 4), (1,): Fraction(1, 4)}), Fraction(0))
    <Agreement.PART: 1>
    >>> agreement(half, half, Fraction(0))
    <Agreement.WHOLE: 2>
    """
    excess = sum((max(got[key] - law[key], Fraction(0)) for key in got), Fraction(0))
    if excess > bound:
        return Agreement.NONE
    return Agreement.WHOLE if law.mass - got.mass <= bound else Agreement.PART


def rows_of(law: Law[Context], length: int) -> int:
    """Return how many rows of a length stand one after another in a law's sequences."""
    return max((len(tokens) // length for tokens in law), default=1)


def _one_row(followed: Followed) -> Law[Context]:
    vocab_size, length = followed.given.vocab_size, followed.claim.length

    def tokens(value: object) -> Context | Malfunction:
        return checked(value, vocab_size, length)

    found = followed.found
    right = tokens_of(type(found)(found.law.image(tokens), found.paths, found.missing))
    law: Law[Context] = right.law
    return law
