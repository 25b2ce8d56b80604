"""What a planted fault is: the smallest change that reproduces one that was seen."""

from dataclasses import dataclass
from typing import Any

from specdec_core.errors import InvalidParameterError
from specdec_core.rules import Rule
from specdec_verification.testbed.loop import ServingLoop


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault, planted.

    Attributes
    ----------
    name : str
        Lower case, words joined by underscores.
    kind : str
        ``"K01"`` to ``"K23"``.
    seen : str
        Where: repository and number, or ``"specdec-verify"`` if here alone.
    mechanism : str
        One sentence.
    planted : Rule or ServingLoop
        With the fault in it.
    """

    name: str
    kind: str
    seen: str
    mechanism: str
    planted: Rule[Any] | ServingLoop

    @property
    def rule(self) -> Rule[Any]:
        """The rule with the fault in it.

        Raises
        ------
        InvalidParameterError
            If the fault lies in a serving loop.
        """
        if isinstance(self.planted, ServingLoop):
            raise InvalidParameterError(
                f"fault {self.name!r} lies in a serving loop, not in a rule"
            )
        return self.planted

    @property
    def loop(self) -> ServingLoop:
        """The serving loop with the fault in it.

        Raises
        ------
        InvalidParameterError
            If the fault lies in a rule.
        """
        if not isinstance(self.planted, ServingLoop):
            raise InvalidParameterError(
                f"fault {self.name!r} lies in a rule, not in a serving loop"
            )
        return self.planted


def plant(kind: str, seen: str, mechanism: str, planted: Rule[Any] | ServingLoop) -> Fault:
    """Return the fault of a rule or a serving loop, under its own name."""
    return Fault(planted.name, kind, seen, mechanism, planted)
