"""The exact check: the law of a round, as fractions, against the law claimed of it.

Every path of the round is followed.  Each outcome is completed to the round's horizon with the
target's own conditional probabilities, and the law that results must be the target's joint law:
on fractions with ``==``, on floats to within `rounding_bound`.  Nothing is risked: both error
rates are zero.
"""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from specdec_core.distributions import Row
from specdec_core.draws import Draws
from specdec_core.instances import Instance, Model
from specdec_core.laws import Law, complete, outside_support, target_joint, total_variation
from specdec_core.models import Context, ContextModel, TableModel, context_key
from specdec_core.rules import Rule
from specdec_core.rules.rule import claimed_model
from specdec_grids.paths import Exploration, exact_law
from specdec_grids.programs import Steps, claimed_joint
from specdec_verification.emissions import (
    RARE,
    Malfunction,
    attempted,
    emitted,
    malfunctioned,
    malfunctions,
    shown,
    tokens_of,
)
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict

MAX_PATHS = 1_000_000
"""Paths of one round; a check that would need more is inconclusive."""

EPSILON = Fraction(1, 1 << 52)
"""Of a double: the relative error of an operation is at most half of it."""


def check_exact_law(
    rule: Rule[Any], instance: Instance, labels: Labels, *, max_paths: int = MAX_PATHS
) -> CheckResult:
    """Check a rule's round against the joint law that it claims over its horizon.

    That is the target's if the rule claims to be lossless, else the rule's own; the detail of a
    lossy rule's result says how far its own law lies from the target's.

    Parameters
    ----------
    rule : Rule
        Its round is followed on every path.
    instance : Instance
        With rows for every context that the round and its completion can reach.
    labels : Labels
        What the result is called.
    max_paths : int
        Past it, the check is inconclusive, unless what was followed fails already.

    Returns
    -------
    CheckResult
        ``PASSED`` if the laws are equal (floating: within `rounding_bound`), ``FAILED`` if they
        are not, ``INCONCLUSIVE`` if too few paths were followed to tell.
    """
    found = exact_law(_emission(rule, instance), max_paths=max_paths)
    broken = malfunctions(found)
    if broken.law:
        return malfunctioned(broken, labels)
    horizon = rule.horizon(instance)
    bound = rounding_bound(instance, horizon)
    result = judge(tokens_of(found), claimed_model(rule, instance), horizon, bound, labels)
    if rule.lossless:
        return result
    loss = total_variation(claimed_joint(rule, instance), target_joint(instance.target, horizon))
    return replace(result, detail=f"{result.detail}; its own law lies {loss} from the target's")


def _emission(rule: Rule[Any], instance: Instance) -> Steps[Context | Malfunction]:
    """Return a round as a program that emits tokens, or the malfunction that came instead."""
    horizon, target = rule.horizon(instance), instance.target

    def verify(proposal: Any, draws: Draws) -> Context | Malfunction:  # noqa: ANN401
        if isinstance(proposal, Malfunction):
            return proposal
        return emitted(
            lambda: rule.verify(proposal, target, draws), instance.vocab_size, longest=horizon
        )

    return Steps((lambda _, draws: attempted(lambda: rule.propose(instance, draws)), verify))


def judge(
    found: Exploration[Context],
    model: ContextModel,
    horizon: int,
    bound: Fraction,
    labels: Labels,
) -> CheckResult:
    """Compare the law of emitted tokens with the joint law of a model, which completes it too."""
    got = Exploration(complete(found.law, model, horizon), found.paths, found.missing)
    return compare(got, target_joint(model, horizon), bound, labels)


def compare(
    found: Exploration[Context], expected: Law[Context], bound: Fraction, labels: Labels
) -> CheckResult:
    """Compare a law that was found with the one that was expected, to within a rounding bound."""
    distance = total_variation(found.law, expected)
    # What was followed exceeds the target by this, and mass that was not followed cannot mend it.
    excess = distance - found.missing / 2
    outside = outside_support(found.law, expected).mass
    # Rounding keeps a zero a zero, so what the law rules out is forgiven by no bound.
    verdict = Verdict.FAILED if outside else _verdict(excess, found.missing, bound)
    return CheckResult(
        check="exact_law",
        labels=labels,
        verdict=verdict,
        evidence=Evidence.EXACT_LAW,
        total_variation=distance if not found.missing else None,
        size=found.paths,
        detail=_detail(verdict, found, expected, bound),
    )


def _verdict(least: Fraction, missing: Fraction, bound: Fraction) -> Verdict:
    """Return what follows from the least total variation that there can be."""
    if least > bound:
        return Verdict.FAILED
    return Verdict.PASSED if least + missing <= bound or not missing else Verdict.INCONCLUSIVE


def rounding_bound(instance: Instance, horizon: int) -> Fraction:
    """Return how far rounding alone can move the joint law over ``horizon`` tokens.

    Zero if every row is exact.  A floating row is the rational numbers that its floats are, and
    comparisons are exact on them, so what rounding moves is this, at each position: rows that do
    not sum to exactly one (the acceptance identity and the last token of an inverse distribution
    are each off by as much), and a residual whose ``V`` entries were subtracted, summed and
    divided in doubles.
    """
    if exact(instance):
        return Fraction(0)
    defect = sum((_defect(model) for model in (instance.target, *instance.drafts)), Fraction(0))
    return horizon * (2 * defect + (instance.vocab_size + 1) * EPSILON)


def exact(instance: Instance) -> bool:
    """Return whether every row of an instance is exact."""
    models = (instance.target, *instance.drafts)
    return all(row.exact for model in models for row in model_rows(model))


def model_rows(model: Model) -> Iterable[Row]:
    """Return every row of a model."""
    return model.table.values() if isinstance(model, TableModel) else (model.row,)


def _defect(model: Model) -> Fraction:
    """Return how far the sum of a model's worst row lies from one."""
    return max(
        abs(1 - sum((Fraction(prob) for prob in row), Fraction(0))) for row in model_rows(model)
    )


def _detail(
    verdict: Verdict, found: Exploration[Context], expected: Law[Context], bound: Fraction
) -> str:
    got, parts = found.law, []
    if found.missing:
        parts.append(
            f"paths of probability {float(found.missing):.3g} were not followed (limit reached, "
            f"or a loop that need not end): {_between(found, expected)}"
        )
    if verdict is Verdict.FAILED:
        difference = first_difference(got, expected, bound, found.missing)
        parts.append(describe(difference, got, expected))
        outside = outside_support(got, expected).mass
        if outside:
            rare = f": {ROUNDED_IN}" if outside < RARE else ""
            parts.append(
                f"probability {shown(outside)} lies on sequences that the target rules out{rare}"
            )
    if verdict is Verdict.PASSED:
        equal = "equal" if not bound else f"equal within the rounding bound {float(bound):.3g}"
        parts.append(f"{equal}: {len(expected)} sequences, {found.paths} paths")
    return "; ".join(parts)


def _between(found: Exploration[Context], expected: Law[Context]) -> str:
    """Say where the total variation lies, wherever the mass that was not followed does."""
    distance, slack = total_variation(found.law, expected), found.missing / 2
    low, high = max(distance - slack, Fraction(0)), min(distance + slack, Fraction(1))
    return f"the total variation lies between {shown(low)} and {shown(high)}"


ROUNDED_IN = (
    "so rarely, it comes of rounding; a row or running sums that do not end at one leave the rest "
    "to their last token, be it ruled out or not"
)


def first_difference(
    got: Law[Context], expected: Law[Context], bound: Fraction, missing: Fraction
) -> Context:
    """Return the shortest, then first, prefix whose probability differs by more than the bound.

    Where ``missing`` probability was not followed, a prefix may fall short by as much.  One that
    the target rules out differs if it has any probability.  If no prefix differs so, many differ
    by less: then it is the sequence that differs most.
    """
    longest = max(map(len, (*got, *expected)), default=0)
    for length in range(1, longest + 1):
        short, right = _first_tokens(got, length), _first_tokens(expected, length)
        prefixes: list[Context] = sorted({*short, *right})
        for prefix in prefixes:
            excess = short[prefix] - right[prefix]
            if max(excess, -excess - missing) > bound or (excess and not right[prefix]):
                return prefix
    return max((*got, *expected), key=lambda tokens: abs(got[tokens] - expected[tokens]))


def describe(prefix: Context, got: Law[Context], expected: Law[Context]) -> str:
    """Say what a prefix's probability is, and what it should be."""
    right, found = (_first_tokens(law, len(prefix))[prefix] for law in (expected, got))
    digits = 6 if f"{float(right):.6g}" != f"{float(found):.6g}" else 17
    return (
        f"first difference at prefix {context_key(prefix)!r}: "
        f"expected {shown(right, digits)}, got {shown(found, digits)}"
    )


def _first_tokens(law: Law[Context], length: int) -> Law[Context]:
    return law.image(lambda tokens: tokens[:length])
