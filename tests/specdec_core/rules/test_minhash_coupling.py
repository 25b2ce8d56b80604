from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import pytest

from specdec_core.distributions import Prob, Row
from specdec_core.instances import Instance, Parameter
from specdec_core.rules import Rule
from specdec_core.rules.minhash_coupling import MinhashCoupling, minhash_partner
from specdec_grids.generated import RandomInstances

Distance: TypeAlias = Callable[[Rule[Any], Instance], Fraction]
Toy: TypeAlias = Callable[[Mapping[str, Parameter]], Instance]
ToyLaw: TypeAlias = Callable[[Rule[Any], Mapping[str, Parameter]], dict[str, str]]

RULE = MinhashCoupling()


Accepted: TypeAlias = Callable[[Rule[Any], Instance], Fraction]


def agreement(p: Row, q: Row, token: int) -> Prob:
    """Daliri, Musco, Suresh 2024: J = [min + (p - q)+ q + (q - p)+ p](x) / sum max."""
    a, b = p[token], q[token]
    points = sum(max(pair) for pair in zip(p, q, strict=True))
    return (min(a, b) + max(a - b, 0) * b + max(b - a, 0) * a) / points


def test_the_toy_models_round(toy_law: ToyLaw) -> None:
    """Sun et al. 2024 (arXiv:2403.10444), Section 2: p = (1/3, 2/3), q = (2/3, 1/3)."""
    assert toy_law(RULE, {"gamma": 1}) == {
        "0,0|1": "1/9",
        "0,1|1": "2/9",
        "1|0": "1/3",
        "1,0|1": "1/9",
        "1,1|1": "2/9",
    }


def test_the_toy_model_agrees_two_times_in_three(accepted: Accepted, toy_with: Toy) -> None:
    assert accepted(RULE, toy_with({"gamma": 1})) == Fraction(2, 3)
    assert accepted(RULE, toy_with({"gamma": 2})) == Fraction(10, 9)


def test_disjoint_rows_agree_never() -> None:
    p, q = Row([Fraction(1), Fraction(0)]), Row([Fraction(0), Fraction(1)])
    assert minhash_partner(p, q, 1) == (1, 0)


@pytest.mark.parametrize("number", range(60))
def test_the_two_tokens_have_their_joint_law(number: int) -> None:
    """The partner rows, weighted by the draft's row, add up to the target's."""
    instance = RandomInstances(RULE, 60)[number]
    p, q = instance.target(()), instance.draft(())
    joint = {x: [q[x] * prob for prob in minhash_partner(p, q, x)] for x in q.support}
    for y, prob in enumerate(p):
        assert sum(row[y] for row in joint.values()) == prob
    for x, row in joint.items():
        assert sum(row) == q[x]
        assert row[x] == agreement(p, q, x)


def test_rows_of_two_kinds_do_not_share_a_cached_partner() -> None:
    floats, fractions = Row([0.5, 0.5]), Row([Fraction(1, 2), Fraction(1, 2)])
    assert floats != fractions
    assert not minhash_partner(floats, floats, 0).exact
    assert minhash_partner(fractions, fractions, 0).exact


def test_without_draft_tokens_a_round_is_one_token(claim_distance: Distance, toy_with: Toy) -> None:
    instance = toy_with({"gamma": 0})
    assert RULE.horizon(instance) == 1
    assert claim_distance(RULE, instance) == 0
