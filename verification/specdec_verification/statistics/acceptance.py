"""Acceptance lengths: how many draft tokens a sampler keeps, against the rule that it declares.

A sampler can emit the target's law and still not be the rule that it says it is: one that rejects
too often is lossless, and slow.  The law of the number of draft tokens kept in a round is exact for
every rule, by following its paths, and has at most one cell more than there are draft tokens; so
few draws are enough.

What the check can see, and the draws that it needs, are those of `fit` at so many cells:
`fit.min_detectable_tv` and `fit.draws_needed`.

Not here: how much is kept on the mean, without a claim (see `efficiencies`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from specdec_core.instances import Instance
from specdec_core.laws import Law
from specdec_core.rules import Rule
from specdec_grids.paths import exact_law
from specdec_grids.programs import round_program
from specdec_verification.results import CheckResult, Labels
from specdec_verification.statistics.fit import check_fit
from specdec_verification.statistics.sampled import Demand


@dataclass(frozen=True, slots=True)
class DeclaredRound:
    """What a sampler says that it runs.

    Attributes
    ----------
    rule : Rule
    instance : Instance
    """

    rule: Rule[Any]
    instance: Instance


def acceptance_law(declared: DeclaredRound) -> Law[int]:
    """Return the exact law of the number of draft tokens that a round keeps.

    Examples
    --------
    Target (1/3, 2/3), draft (2/3, 1/3): the first token is kept with probability 2/3.

    >>> from fractions import Fraction
    >>> from specdec_core.distributions import Row
    >>> from specdec_core.models import ConstantModel
    >>> from specdec_core.rules import rule_named
    >>> target = ConstantModel(Row([Fraction(1, 3), Fraction(2, 3)]))
    >>> draft = ConstantModel(Row([Fraction(2, 3), Fraction(1, 3)]))
    >>> instance = Instance(target, (draft,), {"gamma": 1})
    >>> law = acceptance_law(DeclaredRound(rule_named("token_rejection"), instance))
    >>> {length: str(law[length]) for length in sorted(law)}
    {0: '1/3', 1: '2/3'}
    """
    law = exact_law(round_program(declared.rule, declared.instance)).law
    return law.image(lambda verification: len(verification.accepted))


def check_acceptance_lengths(
    counts: Mapping[int, int],
    declared: DeclaredRound,
    *,
    planned_draws: int,
    demand: Demand,
    labels: Labels,
) -> CheckResult:
    """Check how many draft tokens were kept against the exact law of the rule declared.

    Parameters
    ----------
    counts : mapping of int to int
        How often each number of draft tokens was kept, recovered and bonus tokens apart.
    declared : DeclaredRound
        The rule, on the instance that was run.
    planned_draws : int
        As `fit.check_fit` takes it.
    demand : Demand
        Both error rates, and the total variation of the lengths that a pass must rule out.
    labels : Labels
        What the result is called.
    """
    law = acceptance_law(declared).probs
    return check_fit(counts, law, planned_draws=planned_draws, demand=demand, labels=labels)
