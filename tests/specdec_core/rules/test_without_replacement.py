from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.distributions import Row, acceptance_rate, residual
from specdec_core.draws import ReplayedDraws
from specdec_core.instances import Instance
from specdec_core.models import ConstantModel
from specdec_core.rules.rule import Rule
from specdec_core.rules.without_replacement import WITHOUT_REPLACEMENT_REJECTION
from specdec_core.siblings import untried
from specdec_grids.generated import RandomInstances, pick
from specdec_grids.simplex import Simplex

RULE = WITHOUT_REPLACEMENT_REJECTION


@pytest.mark.parametrize("k", [2, 3])
def test_the_toy_models_law(k: int, toy_law: Callable[..., dict[str, str]]) -> None:
    """Both tokens are tried, so one is always kept; a third sibling there is not."""
    law = {"0,0|1": "1/9", "0,1|1": "2/9", "1,0|1": "2/9", "1,1|1": "4/9"}
    assert toy_law(RULE, {"k": k, "depth": 1}) == law


@pytest.mark.parametrize("number", range(30))
def test_two_siblings_have_the_closed_form_acceptance(
    number: int, accepted: Callable[..., Fraction]
) -> None:
    """``a + sum_x [q - p]+(x) a(p', q_x)``: the residual against the row without ``x``."""
    simplex = Simplex(4, 6)
    p, q = pick(simplex, f"target {number}"), pick(simplex, f"draft {number}")
    expected = acceptance_rate(p, q) + sum(
        (q[x] - p[x]) * acceptance_rate(residual(p, q), untried(q, (x,)))
        for x in q.support
        if q[x] > p[x] and q.support != (x,)
    )
    instance = Instance(ConstantModel(p), (ConstantModel(q),), {"k": 2, "depth": 1})
    assert accepted(RULE, instance) == expected


@pytest.mark.parametrize("number", range(24))
def test_three_siblings_are_lossless(
    number: int, lossless: Callable[..., bool], shaped: Callable[..., Rule[Any]]
) -> None:
    instances = RandomInstances(shaped(RULE, {"k": 3, "depth": 1}), 24)
    assert lossless(RULE, instances[number])


def test_there_are_no_more_siblings_than_the_draft_has_tokens() -> None:
    row = Row([Fraction(1, 2), Fraction(0), Fraction(1, 2)])
    siblings = RULE.draw_siblings(row, 3, ReplayedDraws([0.75, 0.0]))
    assert siblings.tokens == (2, 0)
    assert siblings.draft_probs == (row, Row([1, 0, 0]))
