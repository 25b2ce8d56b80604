"""The published verification rules, one a file.

A new rule is its file, a line here, its test, and a line in the changelog; every grid, check,
table and command then picks it up.
"""

from typing import Any

from specdec_core.errors import UnknownRuleError
from specdec_core.rules.deterministic_candidates import DeterministicCandidates
from specdec_core.rules.rule import Rule, Verification, play_round
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus

RULES: tuple[Rule[Any], ...] = (
    TokenRejection(),
    TokenRejectionBonus(),
    DeterministicCandidates(),
)
"""Every rule of this package; each has a proposal type of its own."""


def rule_named(name: str) -> Rule[Any]:
    """Return the rule with that name.

    Raises
    ------
    UnknownRuleError
        Listing the names that exist.
    """
    for rule in RULES:
        if rule.name == name:
            return rule
    known = ", ".join(rule.name for rule in RULES)
    raise UnknownRuleError(f"no rule is called {name!r}; there are {known}")


__all__ = ["RULES", "Rule", "Verification", "play_round", "rule_named"]
