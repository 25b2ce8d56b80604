"""What a planted fault is: the smallest change that reproduces one that was seen."""

from dataclasses import dataclass
from typing import Any

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
        Where: repository and number.
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
