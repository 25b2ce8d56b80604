from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.distributions import Prob, Row, acceptance_rate
from specdec_core.draws import ReplayedDraws
from specdec_core.instances import Instance
from specdec_core.optimal_acceptance import optimal_acceptance
from specdec_core.rules.greedy_multi_draft import GREEDY_MULTI_DRAFT, top_and_one_drawn
from specdec_core.rules.rule import Rule
from specdec_core.siblings import DraftSet, untried
from specdec_core.tree_builders import top_k
from specdec_grids.generated import RandomInstances

RULE = GREEDY_MULTI_DRAFT


@pytest.mark.parametrize(("k", "kept"), [(1, "2/3"), (2, "1"), (3, "1"), (4, "1")])
def test_the_toy_models_acceptance(
    k: int, kept: str, toy_with: Callable[..., Instance], accepted: Callable[..., Fraction]
) -> None:
    assert accepted(RULE, toy_with({"k": k, "depth": 1})) == Fraction(kept)


def test_the_toy_models_law(toy_law: Callable[..., dict[str, str]]) -> None:
    law = {"0,0|1": "1/9", "0,1|1": "2/9", "1,0|1": "2/9", "1,1|1": "4/9"}
    assert toy_law(RULE, {"k": 2, "depth": 1}) == law


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("number", range(24))
def test_it_keeps_as_much_as_can_be_kept(
    number: int,
    k: int,
    accepted: Callable[..., Fraction],
    shaped: Callable[..., Rule[Any]],
) -> None:
    """``p(T) + sum over the rest of min(p, q)``, ``q`` the draft's row without ``T``."""
    instance = RandomInstances(shaped(RULE, {"k": k, "depth": 1}), 24)[number]
    p, q = instance.target(()), instance.draft(())
    chosen = top_k(q, k - 1)
    if set(q.support) <= set(chosen):
        sets: dict[DraftSet, Prob] = {tuple(sorted(chosen)): Fraction(1)}
        expected = sum(p[token] for token in chosen)
    else:
        rest = untried(q, chosen)
        sets = {tuple(sorted((*chosen, token))): rest[token] for token in rest.support}
        expected = sum(p[token] for token in chosen) + acceptance_rate(p, rest)
    assert accepted(RULE, instance) == optimal_acceptance(p, sets) == expected


def test_the_drawn_sibling_is_tried_first() -> None:
    row = Row([0.25, 0.5, 0.125, 0.125])
    siblings = top_and_one_drawn(row, 3, ReplayedDraws([0.5]))
    assert siblings.tokens == (3, 1, 0)
    assert siblings.draft_probs[0] == Row([0.0, 0.0, 0.5, 0.5])


def test_nothing_is_drawn_if_nothing_is_left() -> None:
    siblings = top_and_one_drawn(Row([0.5, 0.5, 0.0]), 3, ReplayedDraws([]))
    assert siblings.tokens == (0, 1)
