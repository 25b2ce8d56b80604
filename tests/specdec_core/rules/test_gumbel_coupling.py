from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import pytest

from specdec_core.distributions import Prob, Row, acceptance_rate
from specdec_core.efficiency import acceptance_at
from specdec_core.instances import Instance, Parameter
from specdec_core.laws import Law
from specdec_core.rules import Rule
from specdec_core.rules.gumbel_coupling import GumbelCoupling, gumbel_partner
from specdec_core.rules.minhash_coupling import MinhashCoupling
from specdec_core.rules.rule import Verification
from specdec_grids.generated import PairInstances, RandomInstances

Distance: TypeAlias = Callable[[Rule[Any], Instance], Fraction]
Toy: TypeAlias = Callable[[Mapping[str, Parameter]], Instance]
ToyLaw: TypeAlias = Callable[[Rule[Any], Mapping[str, Parameter]], dict[str, str]]

RULE = GumbelCoupling()


BlockLaw: TypeAlias = Callable[[Rule[Any], Instance], Law[Verification]]
Accepted: TypeAlias = Callable[[Rule[Any], Instance], Fraction]


def agreement(p: Row, q: Row, token: int) -> Prob:
    """Daliri, Musco, Suresh 2024: J(x) = 1 / sum_i max(p_i / p_x, q_i / q_x)."""
    if not p[token] or not q[token]:
        return Fraction(0)
    pairs = zip(p, q, strict=True)
    return 1 / sum(max(a / p[token], b / q[token]) for a, b in pairs)


def test_the_toy_models_round(toy_law: ToyLaw) -> None:
    """Sun et al. 2024 (arXiv:2403.10444), Section 2: p = (1/3, 2/3), q = (2/3, 1/3)."""
    assert toy_law(RULE, {"gamma": 2}) == {
        "0,0,0|2": "1/27", "0,0,1|2": "2/27", "0,1|1": "1/9", "0,1,0|2": "1/27", "0,1,1|2": "2/27",
        "1|0": "1/3", "1,0,0|2": "1/27", "1,0,1|2": "2/27", "1,1|1": "1/9", "1,1,0|2": "1/27",
        "1,1,1|2": "2/27",
    }  # fmt: skip


def test_the_toy_model_agrees_two_times_in_three(accepted: Accepted, toy_with: Toy) -> None:
    assert accepted(RULE, toy_with({"gamma": 1})) == Fraction(2, 3)
    assert accepted(RULE, toy_with({"gamma": 2})) == Fraction(10, 9)


def test_a_race_of_three_worked_out_by_hand() -> None:
    """P = (0, 1/2, 1/2), q = (1/2, 1/2, 0); the draft's race was won by token 0, at time s.

    With E_0 = s / 2, nothing is known of E_2, and of E_1 that it is above s / 2.  Both arrive at
    twice their clocks in the target's race, so token 2 wins unless E_1 < E_2.  By the formula, the
    ratios q / p are infinite, 1 and 0; D(r) = 1/2 + max(1, r)/2 + r/2 is 1, 3/2 at r = 0, 1, and
    from 1 on it is 1/2 + r.  Token 1 is overtaken from r = 1: (1/2) (1 / D(1)) = 1/3, and token 2
    from r = 0: (1/2) (1 / (1 * 3/2) + 1 / D(1)) = 2/3.
    """
    p = Row([Fraction(0), Fraction(1, 2), Fraction(1, 2)])
    q = Row([Fraction(1, 2), Fraction(1, 2), Fraction(0)])
    assert gumbel_partner(p, q, 0) == (0, Fraction(1, 3), Fraction(2, 3))


@pytest.mark.parametrize("number", range(0, 225, 3))
def test_it_agrees_no_more_than_can_be_and_no_less_than_minhash(
    number: int, block_law: BlockLaw
) -> None:
    """1 - TV >= Gumbel >= MinHash >= (1 - TV) / (1 + TV)."""
    instance = PairInstances(RULE, 3, 4)[number]
    most = acceptance_rate(instance.target(()), instance.draft(()))
    gumbel = acceptance_at(block_law(RULE, instance), 1)
    minhash = acceptance_at(block_law(MinhashCoupling(), instance), 1)
    assert most >= gumbel >= minhash >= most / (2 - most)


@pytest.mark.parametrize("number", range(60))
def test_the_two_tokens_have_their_joint_law(number: int) -> None:
    """The partner rows, weighted by the draft's row, add up to the target's."""
    instance = RandomInstances(RULE, 60)[number]
    p, q = instance.target(()), instance.draft(())
    joint = {x: [q[x] * prob for prob in gumbel_partner(p, q, x)] for x in q.support}
    for y, prob in enumerate(p):
        assert sum(row[y] for row in joint.values()) == prob
    for x, row in joint.items():
        assert sum(row) == q[x]
        assert row[x] == agreement(p, q, x)


def test_rows_of_two_kinds_do_not_share_a_cached_partner() -> None:
    floats, fractions = Row([0.5, 0.5]), Row([Fraction(1, 2), Fraction(1, 2)])
    assert floats != fractions
    assert not gumbel_partner(floats, floats, 0).exact
    assert gumbel_partner(fractions, fractions, 0).exact


def test_the_smallest_float_is_no_reason_to_divide_by_zero() -> None:
    p, q = Row([5e-324, 1.0, 5e-324]), Row([0.0, 1.0, 0.0])
    assert gumbel_partner(p, q, 1) == (5e-324, 1.0, 5e-324)


def test_without_draft_tokens_a_round_is_one_token(claim_distance: Distance, toy_with: Toy) -> None:
    instance = toy_with({"gamma": 0})
    assert RULE.horizon(instance) == 1
    assert claim_distance(RULE, instance) == 0
