"""The exact law of one round, in the form in which the command prints it."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from specdec_core.instances import Instance
from specdec_core.laws import Law, complete, target_joint, total_variation
from specdec_core.models import Context, context_key
from specdec_core.rules import Rule, Verification
from specdec_grids.paths import Exploration, exact_law
from specdec_grids.programs import Program, round_program
from specdec_verification.exact_law import rounding_bound

Follow: TypeAlias = Callable[[Program[Verification]], Exploration[Verification]]


@dataclass(frozen=True, slots=True)
class RoundLaw:
    """The exact law of one round.

    Attributes
    ----------
    emitted : Law of tuple of int
        Of the tokens that the round emits.
    accepted : Law of int
        Of the number of draft tokens accepted.
    total_variation : Fraction
        Distance of the completed law from the target's joint law, in ``[0, 1]``.
    rounding_bound : Fraction
        How much of that distance rounding alone can make; zero if every row is exact.
    paths : int
        How many were followed.
    """

    emitted: Law[Context]
    accepted: Law[int]
    total_variation: Fraction
    rounding_bound: Fraction
    paths: int

    @property
    def lossless(self) -> bool:
        """Whether the completed law is the target's joint law, up to rounding."""
        return self.total_variation <= self.rounding_bound

    def as_document(self) -> dict[str, Any]:
        """Return the law as a JSON document, fractions as strings."""
        return {
            "law": {
                context_key(tokens): str(self.emitted[tokens]) for tokens in sorted(self.emitted)
            },
            "accepted": {
                str(length): str(self.accepted[length]) for length in sorted(self.accepted)
            },
            "expected_accepted": str(self.accepted.mean(int)),
            "lossless": self.lossless,
            "total_variation": str(self.total_variation),
        }


def round_law(rule: Rule[Any], instance: Instance, follow: Follow = exact_law) -> RoundLaw:
    """Return the exact law of one round of a rule.

    Parameters
    ----------
    rule : Rule
    instance : Instance
    follow : callable
        From a program to its whole law: here and now, unless told otherwise.
    """
    found = follow(round_program(rule, instance))
    emitted = found.law.image(lambda verification: verification.tokens)
    horizon = rule.horizon(instance)
    completed = complete(emitted, instance.target, horizon)
    return RoundLaw(
        emitted=emitted,
        accepted=found.law.image(lambda verification: len(verification.accepted)),
        total_variation=total_variation(completed, target_joint(instance.target, horizon)),
        rounding_bound=rounding_bound(instance, horizon),
        paths=found.paths,
    )
