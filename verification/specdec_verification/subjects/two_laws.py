"""Two exact laws compared: a program with speculation, and the same one without.

The reference is executed exactly like the subject, so nothing of what it does (filters of the
logits, end tokens, caps on the length) has to be defined a second time.
"""

from dataclasses import dataclass
from fractions import Fraction

from specdec_core.errors import InvalidParameterError
from specdec_core.laws import Law
from specdec_core.models import Context
from specdec_verification.emissions import (
    Malfunction,
    checked,
    malfunctioned,
    malfunctions,
    tokens_of,
)
from specdec_verification.exact_law import compare
from specdec_verification.results import CheckResult, Labels
from specdec_verification.subjects.curves import Item
from specdec_verification.subjects.exact import DEFAULT, Emit, Execution, exact_law
from specdec_verification.subjects.verdicts import ROUNDINGS, readable


@dataclass(frozen=True, slots=True)
class Emissions:
    """What two programs emit, for a comparison of their laws.

    Attributes
    ----------
    vocab_size : int
        Of the tokens that they return.
    length : int
        How many tokens they return at most.
    """

    vocab_size: int
    length: int

    def bound(self, epsilon: Fraction) -> Fraction:
        """Return how far rounding alone can move the two laws apart.

        At each position, and in each of the two programs, a threshold is off by at most
        `ROUNDINGS` times epsilon, and the row that a token is drawn from by epsilon for each of
        its ``V`` entries.
        """
        return 2 * self.length * (self.vocab_size + ROUNDINGS) * epsilon


def check_same_law(
    emit: Emit,
    reference: Emit,
    emissions: Emissions,
    labels: Labels,
    execution: Execution = DEFAULT,
) -> CheckResult:
    """Check the exact law of what a program emits against that of another program.

    Parameters
    ----------
    emit, reference : callable
        As `exact_law` takes them; each returns tokens.
    emissions : Emissions
    labels : Labels
        What the result is called.
    execution : Execution
        For both.

    Raises
    ------
    InvalidParameterError
        If the reference goes wrong, or has more paths than are to be followed.
    """
    expected = _reference_law(reference, emissions, execution)
    found = exact_law(emit, execution)
    outcomes = type(found)(_checked(found.law, emissions), found.paths, found.missing)
    broken = malfunctions(outcomes)
    if broken.law:
        return malfunctioned(broken, labels)
    bound = emissions.bound(execution.epsilon)
    return readable(compare(tokens_of(outcomes), expected, bound, labels))


def _reference_law(reference: Emit, emissions: Emissions, execution: Execution) -> Law[Context]:
    found = exact_law(reference, execution)
    law = _checked(found.law, emissions)
    broken = next((one for one in law if isinstance(one, Malfunction)), None)
    if broken is not None:
        raise InvalidParameterError(f"the reference went wrong: {broken.reason}")
    if found.missing:
        raise InvalidParameterError(f"the reference has more than {found.paths} paths")
    return law


def _checked(law: Law[Item], emissions: Emissions) -> Law[Item]:
    def one(value: Item) -> Item:
        if isinstance(value, Malfunction):
            return value
        return checked(value, emissions.vocab_size, emissions.length)

    return law.image(one)
