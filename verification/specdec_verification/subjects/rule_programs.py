"""A rule as someone's own program: one round of it.

Over draws, a rule is audited as a program is.  With numpy's generator as the source of its draws, a
fault that is planted in a rule becomes a fault of unmodified code: it is followed while it runs,
and never learns that its draws are no numbers.
"""

from typing import Any

from numpy.random import Generator

from specdec_core.draws import Draws
from specdec_core.instances import Instance
from specdec_core.rules import Rule, Verification
from specdec_core.rules.rule import play_round
from specdec_verification.subjects.adapters import Program


class GeneratorDraws:
    """Draws that are a generator's uniforms."""

    def __init__(self, rng: Generator) -> None:
        self._rng = rng

    def uniform(self) -> float:
        """Return the generator's next uniform."""
        return self._rng.random()


def draws_form(rule: Rule[Any]) -> Program:
    """Return a program that plays one round of a rule on the draws that it is given."""

    def emit(instance: Instance, draws: Draws) -> Verification:
        return play_round(rule, instance, draws)

    return emit


def numpy_form(rule: Rule[Any]) -> Program:
    """Return a program that plays one round of a rule, and draws from the generator it is given."""

    def emit(instance: Instance, rng: Generator) -> Verification:
        return play_round(rule, instance, GeneratorDraws(rng))

    return emit
