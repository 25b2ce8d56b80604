"""Acceptance lengths: the exact law of the rule declared, and a slower rule, lossless as well."""

from collections.abc import Callable
from fractions import Fraction

from specdec_core.instances import Instance
from specdec_core.rules import rule_named
from specdec_verification.results import Labels, Verdict
from specdec_verification.statistics.acceptance import (
    DeclaredRound,
    acceptance_law,
    check_acceptance_lengths,
)
from specdec_verification.statistics.sampled import Demand

DEMAND = Demand(false_fail_rate=1e-9, false_pass_rate=0.01, max_tv=0.1)


def test_the_toy_model(toy: Callable[[int], Instance]) -> None:
    """Sun et al. 2024 (arXiv:2403.10444), Section 2: 10/9 tokens are kept of two, and 11/9."""
    means = [
        acceptance_law(DeclaredRound(rule_named(name), toy(2))).mean(int)
        for name in ("token_rejection_bonus", "block_verification")
    ]
    assert means == [Fraction(10, 9), Fraction(11, 9)]


def verdict_of(name: str, counts: dict[int, int], instance: Instance, labels: Labels) -> Verdict:
    return check_acceptance_lengths(
        counts,
        DeclaredRound(rule_named(name), instance),
        planned_draws=sum(counts.values()),
        demand=DEMAND,
        labels=labels,
    ).verdict


def test_a_lossless_rule_that_keeps_too_little_is_not_the_one_declared(
    toy: Callable[[int], Instance], labels: Labels
) -> None:
    """Counts in proportion to the law of token rejection, declared as it, and as another rule."""
    law = acceptance_law(DeclaredRound(rule_named("token_rejection_bonus"), toy(2)))
    counts = {length: int(9000 * prob) for length, prob in law.probs.items()}
    assert verdict_of("token_rejection_bonus", counts, toy(2), labels) is Verdict.PASSED
    assert verdict_of("block_verification", counts, toy(2), labels) is Verdict.FAILED


def test_more_tokens_than_were_drafted_fail_at_once(
    toy: Callable[[int], Instance], labels: Labels
) -> None:
    assert verdict_of("token_rejection", {2: 1}, toy(1), labels) is Verdict.FAILED


def test_few_rounds_are_inconclusive(toy: Callable[[int], Instance], labels: Labels) -> None:
    assert verdict_of("token_rejection", {0: 1, 1: 2}, toy(1), labels) is Verdict.INCONCLUSIVE
