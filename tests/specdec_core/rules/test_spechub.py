from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.distributions import Row, likeliest
from specdec_core.draws import ReplayedDraws
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance
from specdec_core.laws import Law
from specdec_core.optimal_acceptance import optimal_acceptance
from specdec_core.rules.greedy_multi_draft import GREEDY_MULTI_DRAFT
from specdec_core.rules.rule import Rule, Verification
from specdec_core.rules.spechub import SpecHub, hub_pair
from specdec_core.siblings import untried
from specdec_grids.generated import RandomInstances
from specdec_grids.paths import exact_law

RULE = SpecHub()


def test_the_toy_models_law(toy_law: Callable[..., dict[str, str]]) -> None:
    law = {"0,0|1": "1/9", "0,1|1": "2/9", "1,0|1": "2/9", "1,1|1": "4/9"}
    assert toy_law(RULE, {"k": 2, "depth": 1}) == law


def test_the_pairs_have_their_published_law() -> None:
    """``(i, a)`` with ``q(i)``, ``(a, i)`` with ``q(a) q(i) / (1 - q(a))``: here as sets."""
    row = Row([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)])
    law = exact_law(lambda draws: hub_pair(row, draws).tokens).law
    assert law.probs == {(1, 0): Fraction(2, 3), (2, 0): Fraction(1, 3)}


def test_where_the_draft_has_one_token_it_is_the_only_sibling() -> None:
    assert hub_pair(Row([0.0, 1.0]), ReplayedDraws([0.5])).tokens == (1,)


@pytest.mark.parametrize("number", range(40))
def test_it_keeps_what_greedy_multi_draft_and_the_optimum_keep(
    number: int,
    accepted: Callable[..., Fraction],
    block_law: Callable[..., Law[Verification]],
    shaped: Callable[..., Rule[Any]],
) -> None:
    instance = RandomInstances(shaped(RULE, {"k": 2, "depth": 1}), 40)[number]
    p, q = instance.target(()), instance.draft(())
    hub = likeliest(q)
    others = untried(q, (hub,)) if q.support != (hub,) else q
    pairs = {tuple(sorted({hub, other})): others[other] for other in others.support}
    assert accepted(RULE, instance) == optimal_acceptance(p, pairs)
    assert block_law(RULE, instance) == block_law(GREEDY_MULTI_DRAFT, instance)


@pytest.mark.parametrize("k", [1, 3])
def test_a_pair_is_two(k: int, toy_with: Callable[..., Instance]) -> None:
    with pytest.raises(InvalidParameterError, match="'k'"):
        RULE.propose(toy_with({"k": k, "depth": 1}), ReplayedDraws([]))
