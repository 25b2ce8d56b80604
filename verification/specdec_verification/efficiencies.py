"""How much of the draft a rule keeps, beside the most that any rule could keep of it.

The numbers come from the exact law of a round.  *Acceptance* is the probability that a draft token
is kept at the first position; its *optimum* is the greatest that any rule which emits the target's
row could have, given the law of the draft set (`specdec_core.optimal_acceptance`).  A lossy rule
can lie above it: that is what it pays for.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from specdec_core.distributions import Prob, Row, total_variation
from specdec_core.efficiency import acceptance_at, expected_accepted
from specdec_core.instances import Instance, Parameter
from specdec_core.laws import Law, target_joint
from specdec_core.laws import total_variation as law_distance
from specdec_core.models import ConstantModel
from specdec_core.optimal_acceptance import optimal_acceptance
from specdec_core.rules import Rule
from specdec_core.sibling_trees import SiblingTree
from specdec_core.siblings import DraftSet
from specdec_core.trees import ROOT, DraftTree
from specdec_grids.generated import VOCAB_SIZES, hashed_instance
from specdec_grids.paths import exact_law
from specdec_grids.programs import claimed_joint, round_program
from specdec_grids.simplex import Simplex
from specdec_verification.results import CurvePoint, EfficiencyRow, Run

TOY_TARGET = Row([Fraction(1, 3), Fraction(2, 3)])
TOY_DRAFT = Row([Fraction(2, 3), Fraction(1, 3)])
"""The toy model of Sun et al. 2024, "Block Verification", Section 2, in every context."""

CURVE_TARGET = Row([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)])
CURVE_DRAFT = Row([Fraction(0), Fraction(1, 4), Fraction(3, 4)])
"""A curve's draft moves from the target's row to this one in equal steps."""

CURVE_STEPS = 12

RANDOM_DENOMINATOR = 12
"""Of the rows of random instances."""


@dataclass(frozen=True, slots=True)
class Efficiency:
    """What a round keeps of its draft.

    Attributes
    ----------
    expected_accepted : Fraction
        Mean number of draft tokens kept.
    acceptance : Fraction
        Probability that one is kept at the first position.
    optimum : Fraction or float
        The greatest acceptance possible with this draft at no loss.
    distance : Fraction
        Total variation of the claimed joint law from the target's; zero if lossless.
    """

    expected_accepted: Fraction
    acceptance: Fraction
    optimum: Prob
    distance: Fraction


def efficiency(rule: Rule[Any], instance: Instance) -> Efficiency:
    """Return what a rule keeps of its draft on an instance, exactly."""
    law = exact_law(round_program(rule, instance)).law
    target = target_joint(instance.target, rule.horizon(instance))
    return Efficiency(
        expected_accepted=expected_accepted(law),
        acceptance=acceptance_at(law, 1),
        optimum=optimal_acceptance(instance.target(()), draft_sets(rule, instance).probs),
        distance=law_distance(claimed_joint(rule, instance), target),
    )


def draft_sets(rule: Rule[Any], instance: Instance) -> Law[DraftSet]:
    """Return the law of the distinct candidates that a rule proposes for the first position."""
    proposals = exact_law(lambda draws: candidates(rule.propose(instance, draws)))
    return proposals.law


def candidates(proposal: Any) -> DraftSet:  # noqa: ANN401  (every rule has a proposal of its own)
    """Return the distinct candidates for the first position, ascending."""
    match proposal:
        case DraftTree():
            return tuple(sorted(proposal.token(node) for node in proposal.children(ROOT)))
        case SiblingTree():
            return proposal.children(()).draft_set
        case tuple():
            return tuple(sorted({token for path in proposal for token in candidates(path)}))
    # Other proposals are paths, or hold a path or a tree beside what else their rule needs.
    for name in ("path", "tree"):
        if hasattr(proposal, name):
            return candidates(getattr(proposal, name))
    first: DraftSet = proposal.tokens[:1]
    return first


def efficiency_rows(rule: Rule[Any], instances: int) -> tuple[EfficiencyRow, EfficiencyRow]:
    """Return a rule's efficiency on the toy model, and its mean over random instances."""
    random = [random_instance(rule, number) for number in range(instances)]
    return _mean(rule, "toy", [toy(rule)]), _mean(rule, "random", random)


def toy(rule: Rule[Any]) -> Instance:
    """Return the toy model, at a rule's usual parameters."""
    return _constant(TOY_TARGET, TOY_DRAFT, usual_parameters(rule))


def random_instance(rule: Rule[Any], number: int) -> Instance:
    """Return an instance with the same rows for every rule, so that means can be compared."""
    simplex = Simplex(VOCAB_SIZES[number % len(VOCAB_SIZES)], RANDOM_DENOMINATOR)
    return hashed_instance(rule, usual_parameters(rule), simplex, f"efficiency/{number}")


def usual_parameters(rule: Rule[Any]) -> dict[str, Parameter]:
    """Return two draft tokens, as the papers' examples have, or a rule's first parameters."""
    return {
        name: 2 if name == "gamma" and 2 in values else values[0]
        for name, values in rule.parameters.items()
    }


def acceptance_curve(rule: Rule[Any]) -> Iterator[CurvePoint]:
    """Yield a rule's acceptance as the draft moves away from the target."""
    parameters = {name: values[0] for name, values in rule.parameters.items()}
    for step in range(CURVE_STEPS + 1):
        share = Fraction(step, CURVE_STEPS)
        pairs = zip(CURVE_TARGET, CURVE_DRAFT, strict=True)
        draft = Row((1 - share) * p + share * q for p, q in pairs)
        found = efficiency(rule, _constant(CURVE_TARGET, draft, parameters))
        yield CurvePoint(
            rule.name,
            rule.lossless,
            float(total_variation(CURVE_TARGET, draft)),
            float(found.acceptance),
            float(found.optimum),
        )


def _constant(target: Row, draft: Row, parameters: Mapping[str, Parameter]) -> Instance:
    drafters = parameters.get("drafters", 1)
    assert isinstance(drafters, int), "a number of drafters is an integer"
    return Instance(ConstantModel(target), (ConstantModel(draft),) * drafters, parameters)


def _mean(rule: Rule[Any], family: str, instances: Iterable[Instance]) -> EfficiencyRow:
    found = [efficiency(rule, instance) for instance in instances]
    count = len(found)
    return EfficiencyRow(
        subject=rule.name,
        claim="lossless" if rule.lossless else "its own law",
        family=family,
        instances=count,
        expected_accepted=sum((one.expected_accepted for one in found), Fraction(0)) / count,
        acceptance=sum((one.acceptance for one in found), Fraction(0)) / count,
        optimum=sum((Fraction(one.optimum) for one in found), Fraction(0)) / count,
        distance=sum((one.distance for one in found), Fraction(0)) / count,
    )


def with_efficiencies(run: Run, rules: Sequence[Rule[Any]], instances: int) -> Run:
    """Return a run with what each rule keeps of its draft added."""
    return replace(
        run,
        efficiencies=tuple(row for rule in rules for row in efficiency_rows(rule, instances)),
        curves=tuple(point for rule in rules for point in acceptance_curve(rule)),
    )
