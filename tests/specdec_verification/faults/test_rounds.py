"""A planted fault's round, whole: malfunctions count in full."""

from fractions import Fraction
from typing import Any

import pytest

from specdec_core.instances import Instance
from specdec_core.rules import Rule, rule_named
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_grids.generated import RandomInstances
from specdec_grids.paths import exact_law, paths
from specdec_grids.programs import claimed_joint, completed_round
from specdec_verification.emissions import Malfunction
from specdec_verification.faults import path_slips as path
from specdec_verification.faults.path_slips import SlippedPathRule
from specdec_verification.faults.recovery_slips import bonus_within_window
from specdec_verification.faults.rounds import (
    attempted_round,
    counted,
    distance,
    expected_round,
)

RULES = [rule_named(name) for name in ("token_rejection_bonus", "lenience", "sequoia")]
SHORT = SlippedPathRule("short", end_accepted_with=bonus_within_window)
INCLUSIVE = SlippedPathRule("inclusive", accept_with=path.accept_inclusive)


def raising(instance: Instance, draws: Any) -> Any:  # noqa: ANN401
    raise RuntimeError("no draft")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_round_in_which_nothing_goes_wrong_is_the_completed_round(rule: Rule[Any]) -> None:
    for instance in RandomInstances(rule, 3):
        real = list(paths(completed_round(rule, instance)))
        assert list(paths(attempted_round(rule, instance))) == real
        assert distance(rule, instance) == 0
        assert expected_round(rule, instance).probs == claimed_joint(rule, instance).probs


def test_what_goes_wrong_counts_in_full(biased: Instance) -> None:
    """Two tokens, and a window of one: after a draft token 0, token 1 cannot be found."""
    found = exact_law(attempted_round(SHORT, biased)).law
    wrong = [outcome for outcome in found if isinstance(outcome, Malfunction)]
    assert sum(found[outcome] for outcome in wrong) == Fraction(1, 8)
    assert distance(SHORT, biased) == Fraction(1, 8)


def test_a_draft_that_raises_is_all_of_the_law(biased: Instance) -> None:
    assert distance(SlippedPathRule("raising", propose_with=raising), biased) == 1


def test_an_inclusive_test_shows_on_the_thresholds_alone(biased: Instance) -> None:
    found = counted(INCLUSIVE, biased)
    assert (distance(INCLUSIVE, biased), found.between) == (0, 0)
    assert found.on > 0
    assert counted(TokenRejectionBonus(), biased).on == 0


def test_counts_between_thresholds_are_the_law(biased: Instance) -> None:
    assert counted(SHORT, biased).between == distance(SHORT, biased)
