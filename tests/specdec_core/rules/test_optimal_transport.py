from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.errors import ProposalMismatchError
from specdec_core.instances import Instance
from specdec_core.models import ConstantModel
from specdec_core.optimal_acceptance import optimal_acceptance
from specdec_core.rules.optimal_transport import (
    OPTIMAL_TRANSPORT_WITH_REPLACEMENT,
    OPTIMAL_TRANSPORT_WITHOUT_REPLACEMENT,
    transport_plan,
)
from specdec_core.rules.rule import Rule
from specdec_core.sibling_trees import SiblingTree
from specdec_core.siblings import WITH_REPLACEMENT, WITHOUT_REPLACEMENT, SiblingLaw, Siblings
from specdec_grids.generated import RandomInstances

WITH, WITHOUT = OPTIMAL_TRANSPORT_WITH_REPLACEMENT, OPTIMAL_TRANSPORT_WITHOUT_REPLACEMENT

both = pytest.mark.parametrize(
    ("rule", "law"),
    [(WITH, WITH_REPLACEMENT), (WITHOUT, WITHOUT_REPLACEMENT)],
    ids=["with", "without"],
)


@pytest.mark.parametrize(
    ("rule", "k", "kept"),
    [(WITH, 1, "2/3"), (WITH, 2, "8/9"), (WITH, 3, "1"), (WITHOUT, 1, "2/3"), (WITHOUT, 2, "1")],
)
def test_the_toy_models_acceptance(
    rule: Rule[Any],
    k: int,
    kept: str,
    toy_with: Callable[..., Instance],
    accepted: Callable[..., Fraction],
) -> None:
    assert accepted(rule, toy_with({"k": k, "depth": 1})) == Fraction(kept)


@both
@pytest.mark.parametrize("number", range(60))
def test_a_generated_round_is_lossless(
    number: int, rule: Rule[Any], law: SiblingLaw, lossless: Callable[..., bool]
) -> None:
    assert lossless(rule, RandomInstances(rule, 60)[number])


@both
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("number", range(12))
def test_acceptance_is_the_optimum(
    number: int,
    k: int,
    rule: Rule[Any],
    law: SiblingLaw,
    accepted: Callable[..., Fraction],
    shaped: Callable[..., Rule[Any]],
) -> None:
    """The flow that is found and the cut that bounds it meet."""
    instance = RandomInstances(shaped(rule, {"k": k, "depth": 1}), 12)[number]
    sets = law.draft_sets(instance.draft(()), k)
    assert accepted(rule, instance) == optimal_acceptance(instance.target(()), sets)


@both
@pytest.mark.parametrize("number", range(6))
def test_three_siblings_are_lossless(
    number: int,
    rule: Rule[Any],
    law: SiblingLaw,
    lossless: Callable[..., bool],
    shaped: Callable[..., Rule[Any]],
) -> None:
    instances = RandomInstances(shaped(rule, {"k": 3, "depth": 1}), 6)
    assert lossless(rule, instances[number])


HALVES = (Row([0.5, 0.5]), Row([0.0, 1.0]))


@pytest.mark.parametrize(
    ("rule", "siblings", "message"),
    [
        (WITH, Siblings((0, 1), HALVES), "sibling 1 was not drawn with replacement"),
        (
            WITHOUT,
            Siblings((0, 1), (HALVES[0], HALVES[0])),
            "sibling 1 was not drawn without replacement",
        ),
    ],
)
def test_siblings_of_another_law_are_refused_before_any_draw(
    rule: Rule[Any], siblings: Siblings, message: str
) -> None:
    tree = SiblingTree((((), siblings),))
    with pytest.raises(ProposalMismatchError, match=message):
        rule.verify(tree, ConstantModel(HALVES[0]), ReplayedDraws([]))


def test_a_draft_set_whose_probability_is_rounded_to_zero_is_all_refused() -> None:
    row = Row([1.0, 1e-200])
    plan = transport_plan(Row([0.5, 0.5]), row, 2, WITH_REPLACEMENT)
    assert plan.kept[(1,)] == Row([0.0, 0.0, 1.0])


def test_where_everything_is_carried_the_correction_is_the_target() -> None:
    row = Row([0.5, 0.5])
    assert transport_plan(row, row, 1, WITH_REPLACEMENT).correction == row
