from fractions import Fraction

import numpy as np
import pytest

from specdec_core.distributions import Row, total_variation
from specdec_core.instances import Instance
from specdec_core.models import ConstantModel, TableModel
from specdec_core.rules import RULES, Rule, rule_named
from specdec_grids.generated import RandomInstances
from specdec_verification.dyadic_instances import (
    computes_exactly,
    dyadic_instance,
    threshold_slack,
)

EPSILON = Fraction(1, 1 << 23)
HALVES = Row([Fraction(1, 2), Fraction(1, 2)])
THIRDS = Row([Fraction(1, 3), Fraction(2, 3)])


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_rule_has_such_instances_in_all_its_shapes(rule: Rule) -> None:
    instances = [dyadic_instance(rule, number) for number in range(6)]
    assert all(map(computes_exactly, instances))
    assert instances[5] == dyadic_instance(rule, 5)


def test_the_rows_depend_on_the_context() -> None:
    instance = dyadic_instance(rule_named("token_rejection_bonus"), 7)
    assert isinstance(instance.target, TableModel)
    assert len(set(instance.target.table.values())) > 2


def test_ratios_and_residuals_are_floats() -> None:
    instance = dyadic_instance(rule_named("token_rejection_bonus"), 7)
    assert isinstance(instance.draft, TableModel)
    for context, q in instance.draft.table.items():
        p = instance.target(context)
        numbers = [p[x] / q[x] for x in q.support]
        if p != q:
            numbers += [max(p[x] - q[x], 0) / total_variation(p, q) for x in range(len(p))]
        assert all(Fraction(float(np.float32(float(number)))) == number for number in numbers)


@pytest.mark.parametrize(
    ("target", "draft"),
    [
        (THIRDS, HALVES),
        (HALVES, THIRDS),
        (HALVES, Row([Fraction(3, 4), Fraction(1, 4)])),
        (Row([Fraction(7, 8), Fraction(1, 8)]), HALVES),  # three eighths between them
    ],
)
def test_other_rows_are_told_apart(target: Row, draft: Row) -> None:
    instance = Instance(ConstantModel(target), (ConstantModel(draft),), {"gamma": 1})
    assert not computes_exactly(instance)


def test_one_context_is_enough_to_spoil_it() -> None:
    table = TableModel({(): HALVES, (0,): THIRDS}, "target")
    assert not computes_exactly(Instance(table, (ConstantModel(HALVES),), {"gamma": 1}))


def test_the_slack_is_larger_the_closer_the_rows_lie() -> None:
    near = Row([Fraction(51, 100), Fraction(49, 100)])
    instances = [
        Instance(ConstantModel(target), (ConstantModel(HALVES),), {}) for target in (THIRDS, near)
    ]
    assert [threshold_slack(instance, EPSILON) for instance in instances] == [
        6 * EPSILON * 6,
        6 * EPSILON * 100,
    ]


def test_there_is_no_slack_where_floats_compute_exactly() -> None:
    assert threshold_slack(dyadic_instance(rule_named("token_rejection"), 3), EPSILON) == 0


def test_equal_rows_leave_only_the_sums() -> None:
    instance = Instance(ConstantModel(THIRDS), (ConstantModel(THIRDS),), {})
    assert threshold_slack(instance, EPSILON) == 6 * EPSILON


@pytest.mark.parametrize("number", range(6))
def test_float32_decides_as_fractions_do_outside_the_slack(number: int) -> None:
    """Where ``u`` keeps the slack from ``p / q``, rows and product rounded to float32 agree."""
    instance = RandomInstances(rule_named("token_rejection_bonus"), 6)[number]
    slack = threshold_slack(instance, EPSILON)
    p, q = instance.target(()), instance.draft(())
    for x in q.support:
        ratio = p[x] / q[x]
        for u in (ratio - slack, ratio + slack):
            if 0 <= u < 1:
                product = np.float32(float(u)) * np.float32(float(q[x]))
                assert bool(product < np.float32(float(p[x]))) is (u < ratio)
