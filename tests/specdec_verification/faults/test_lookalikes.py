"""Every right rule that looks wrong is spared, by both exact checks."""

from typing import Any

import pytest

from specdec_core.rules import Rule
from specdec_grids.generated import RandomInstances
from specdec_verification.exact_count import check_exact_count
from specdec_verification.exact_law import check_exact_law
from specdec_verification.faults import LOOKALIKES
from specdec_verification.results import Labels, Verdict

TRIALS = 9


@pytest.mark.parametrize("rule", LOOKALIKES, ids=lambda rule: rule.name)
def test_a_right_rule_passes_by_its_law(rule: Rule[Any], labels: Labels) -> None:
    results = [check_exact_law(rule, instance, labels) for instance in RandomInstances(rule, 36)]
    assert {(result.verdict, result.total_variation) for result in results} == {(Verdict.PASSED, 0)}


@pytest.mark.parametrize("rule", LOOKALIKES, ids=lambda rule: rule.name)
def test_a_right_rule_passes_by_its_counts(rule: Rule[Any], labels: Labels) -> None:
    instances = RandomInstances(rule, TRIALS)
    results = [check_exact_count(rule, instance, labels) for instance in instances]
    assert {result.verdict for result in results} == {Verdict.PASSED}
