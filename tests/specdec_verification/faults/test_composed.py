"""Plumbing around any rule: with none it is the rule, with a fault the law moves."""

from fractions import Fraction
from typing import Any

import pytest

from specdec_core.draws import ReplayedDraws
from specdec_core.rules import Rule, rule_named
from specdec_grids.generated import RandomInstances
from specdec_grids.paths import paths
from specdec_grids.programs import round_program
from specdec_verification.faults import composed
from specdec_verification.faults.composed import OneDraw, Plumbing, RepeatingDraws
from specdec_verification.faults.rounds import distance

RULES = [
    rule_named(name)
    for name in (
        "token_rejection",
        "token_rejection_bonus",
        "block_verification",
        "recursive_rejection",
        "without_replacement",
        "traversal",
        "greedy_multi_path",
        "lenience",
    )
]
FAULTS = {
    "draws of the draft": composed.DRAWS_OF_THE_DRAFT,
    "one draw": composed.ONE_DRAW,
    "late rows": composed.LATE_ROWS,
    "no context": composed.NO_CONTEXT,
    "half-precision draws": composed.HALF_PRECISION_DRAWS,
    "rounded draws": composed.ROUNDED_DRAWS,
    "bfloat16 rows": composed.BFLOAT16_ROWS,
    "single-precision rows": composed.SINGLE_PRECISION_ROWS,
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_without_a_fault_it_is_the_rule_path_by_path(rule: Rule[Any]) -> None:
    planted = Plumbing().planted_in(rule, "no_fault")
    assert (planted.name, planted.lossless) == ("no_fault", rule.lossless)
    assert (planted.reference, planted.parameters) == (rule.reference, rule.parameters)
    for instance in RandomInstances(rule, 4):
        real = list(paths(round_program(rule, instance)))
        assert list(paths(round_program(planted, instance))) == real


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_fault_moves_the_law_of_every_rule_that_it_is_planted_in(
    rule: Rule[Any], fault: str
) -> None:
    planted = FAULTS[fault].planted_in(rule, "planted")
    assert any(distance(planted, instance) for instance in RandomInstances(rule, 12))


def test_draws_repeat_until_the_record_ends() -> None:
    draws = RepeatingDraws([Fraction(1, 4)], ReplayedDraws([Fraction(1, 2)]))
    assert [draws.uniform(), draws.uniform()] == [Fraction(1, 4), Fraction(1, 2)]


def test_one_draw_is_taken_once() -> None:
    draws = OneDraw(ReplayedDraws([Fraction(1, 4)]))
    assert [draws.uniform(), draws.uniform()] == [Fraction(1, 4)] * 2
