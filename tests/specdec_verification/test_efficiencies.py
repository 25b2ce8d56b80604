"""How much of its draft each rule keeps."""

from fractions import Fraction
from typing import Any

import pytest

from specdec_core.rules import RULES, Rule, rule_named
from specdec_verification.efficiencies import (
    CURVE_STEPS,
    acceptance_curve,
    efficiency,
    efficiency_rows,
    random_instance,
    toy,
)

LOSSLESS = [rule for rule in RULES if rule.lossless]


@pytest.mark.parametrize(
    ("name", "accepted"),
    [
        ("token_rejection_bonus", "10/9"),
        ("block_verification", "11/9"),
        ("hierarchical_naive", "4/3"),
        ("exact_match", "52/81"),
        ("recursive_rejection", "7/9"),
        ("without_replacement", "1"),
        ("greedy_multi_path", "131/81"),
    ],
)
def test_the_toy_has_the_numbers_of_the_papers(name: str, accepted: str) -> None:
    """Block Verification (Sun et al. 2024), Section 2, and the rules' own papers."""
    rule = rule_named(name)
    assert efficiency(rule, toy(rule)).expected_accepted == Fraction(accepted)


@pytest.mark.parametrize("rule", LOSSLESS, ids=lambda rule: rule.name)
def test_no_lossless_rule_keeps_more_than_the_optimum(rule: Rule[Any]) -> None:
    for number in range(6):
        found = efficiency(rule, random_instance(rule, number))
        assert found.acceptance <= found.optimum
        assert found.distance == 0


@pytest.mark.parametrize(
    "name",
    [
        "token_rejection",
        "block_verification",
        "spechub",
        "greedy_multi_draft",
        "optimal_transport_with_replacement",
        "optimal_transport_without_replacement",
        "deterministic_candidates",
    ],
)
def test_some_rules_attain_the_optimum_of_their_draft(name: str) -> None:
    rule = rule_named(name)
    for number in range(9):
        found = efficiency(rule, random_instance(rule, number))
        assert found.acceptance == found.optimum


def test_random_instances_are_the_same_for_every_rule() -> None:
    one, other = (rule_named(name) for name in ("token_rejection_bonus", "block_verification"))
    assert random_instance(one, 5) == random_instance(other, 5)


def test_a_row_for_each_family_of_instances() -> None:
    on_toy, on_random = efficiency_rows(rule_named("lenience"), 3)
    assert (on_toy.family, on_toy.instances, on_toy.claim) == ("toy", 1, "its own law")
    assert (on_random.family, on_random.instances) == ("random", 3)
    assert on_toy.distance > 0


def test_a_curve_begins_where_the_draft_is_the_target() -> None:
    points = list(acceptance_curve(rule_named("token_rejection")))
    assert len(points) == CURVE_STEPS + 1
    assert (points[0].draft_tv, points[0].acceptance) == (0, 1)
    for point in points:
        assert point.acceptance == pytest.approx(1 - point.draft_tv)
        assert point.acceptance == point.optimum
