from fractions import Fraction

import pytest
from hypothesis import given

from specdec_core.distributions import Row
from specdec_core.errors import MissingContextError, ShapeError
from specdec_core.laws import Law, complete, outside_support, target_joint, total_variation
from specdec_core.models import ConstantModel, Context, TableModel
from specdec_grids.paths import exact_law
from specdec_verification import strategies

QUARTER, HALF = Fraction(1, 4), Fraction(1, 2)


def exact(*probs: str) -> Row:
    return Row(map(Fraction, probs))


TWO_LEVEL = TableModel(
    {(): exact("1/4", "3/4"), (0,): exact("4/5", "1/5"), (1,): exact("2/5", "3/5")}
)
TWO_LEVEL_JOINT = Law(
    {
        (0, 0): Fraction(2000, 10_000),
        (0, 1): Fraction(500, 10_000),
        (1, 0): Fraction(3000, 10_000),
        (1, 1): Fraction(4500, 10_000),
    }
)


def test_the_contracts_two_level_target_has_the_contracts_joint_law() -> None:
    """The contract, "Evidence": [2000, 500, 3000, 4500] of 10000."""
    assert target_joint(TWO_LEVEL, 2) == TWO_LEVEL_JOINT


def test_outcomes_of_probability_zero_are_left_out() -> None:
    law = Law({"a": Fraction(1), "b": Fraction(0)})
    assert list(law) == ["a"]
    assert len(law) == 1
    assert law == Law({"a": Fraction(1)})
    assert law["b"] == law["never heard of"] == 0


def test_a_law_is_deaf_to_later_changes_of_the_mapping() -> None:
    probs = {"a": Fraction(1)}
    law = Law(probs)
    probs["a"] = HALF
    assert law["a"] == 1


def test_mass_image_and_mean() -> None:
    law = Law({(0,): QUARTER, (0, 1): HALF, (1, 1): QUARTER})
    assert law.mass == 1
    assert law.image(len) == Law({1: QUARTER, 2: 3 * QUARTER})
    assert law.image(lambda tokens: tokens[0]) == Law({0: 3 * QUARTER, 1: QUARTER})
    assert law.mean(len) == Fraction(7, 4)


def test_the_empty_law_has_no_mass() -> None:
    empty: Law[int] = Law({})
    assert (empty.mass, len(empty), empty.mean(abs)) == (0, 0, 0)
    assert {type(empty.mass), type(empty.mean(abs))} == {Fraction}


def test_the_joint_law_of_no_tokens_is_certain() -> None:
    assert target_joint(TWO_LEVEL, 0) == Law({(): Fraction(1)})


def test_a_joint_law_may_follow_a_context() -> None:
    assert target_joint(TWO_LEVEL, 1, (0,)) == Law({(0,): Fraction(4, 5), (1,): Fraction(1, 5)})


def test_each_outcome_is_completed_from_where_it_ends() -> None:
    law = Law({(): HALF, (0,): QUARTER, (1, 0): QUARTER})
    assert complete(law, TWO_LEVEL, 2) == Law(
        {
            (0, 0): HALF * Fraction(1, 5) + QUARTER * Fraction(4, 5),
            (0, 1): HALF * Fraction(1, 20) + QUARTER * Fraction(1, 5),
            (1, 0): HALF * Fraction(3, 10) + QUARTER,
            (1, 1): HALF * Fraction(9, 20),
        }
    )


def test_outcomes_of_full_length_need_no_row() -> None:
    law = Law({(0, 1): HALF, (1, 1): HALF})
    assert complete(law, TableModel({(0, 0): exact("1", "0")}), 2) == law


def test_only_contexts_that_can_be_reached_are_asked_for() -> None:
    target = TableModel({(): exact("1", "0"), (0,): exact("0", "1")})
    assert target_joint(target, 2) == Law({(0, 1): Fraction(1)})


def test_a_row_that_is_needed_and_missing_is_an_error() -> None:
    with pytest.raises(MissingContextError, match="'1'"):
        target_joint(TableModel({(): exact("1/2", "1/2"), (0,): exact("0", "1")}), 2)


@pytest.mark.parametrize("outcome", [(0, 1, 0), (0, 1, 0, 1)])
def test_an_outcome_too_long_is_refused(outcome: Context) -> None:
    with pytest.raises(ShapeError, match="has more than 2 tokens"):
        complete(Law({(0,): HALF, outcome: HALF}), TWO_LEVEL, 2)


def test_floats_enter_a_law_as_the_rationals_they_are() -> None:
    law = target_joint(ConstantModel(Row([0.1, 0.9])), 1)
    assert law == Law({(0,): Fraction(0.1), (1,): Fraction(0.9)})


@given(strategies.table_models(3, 3))
def test_a_joint_law_is_the_product_of_its_rows(target: TableModel) -> None:
    law = target_joint(target, 3)
    assert law.mass == 1
    for tokens in law:
        first, second, third = tokens
        assert law[tokens] == (
            target(())[first] * target((first,))[second] * target((first, second))[third]
        )


@given(strategies.table_models(2, 3))
def test_completing_in_two_goes_is_completing_in_one(target: TableModel) -> None:
    once = complete(Law({(): HALF, (0,): HALF}), target, 3)
    assert complete(complete(Law({(): HALF, (0,): HALF}), target, 3), target, 3) == once
    joint = target_joint(target, 3)
    assert complete(target_joint(target, 1), target, 3) == joint
    assert joint.image(lambda tokens: tokens[:2]) == target_joint(target, 2)


def test_total_variation_counts_outcomes_of_either_law() -> None:
    one = Law({"a": HALF, "b": HALF})
    other = Law({"b": QUARTER, "c": 3 * QUARTER})
    assert total_variation(one, other) == 3 * QUARTER
    assert total_variation(one, one) == 0
    assert total_variation(one, Law({"d": Fraction(1)})) == 1


@given(strategies.row_pairs(3))
def test_total_variation_of_laws_is_that_of_rows(pair: tuple[Row, Row]) -> None:
    one, other = (target_joint(ConstantModel(row), 1) for row in pair)
    assert total_variation(one, other) == total_variation(other, one)
    assert total_variation(one, other) == sum(abs(p - q) for p, q in zip(*pair, strict=True)) / 2


def test_what_lies_outside_the_support_is_reported_apart() -> None:
    law = Law({(0,): HALF, (1,): QUARTER, (2,): QUARTER})
    expected = Law({(0,): Fraction(1), (1,): Fraction(0)})
    assert outside_support(law, expected) == Law({(1,): QUARTER, (2,): QUARTER})
    assert outside_support(law, law) == Law({})


def test_right_marginals_do_not_make_a_right_joint() -> None:
    """One draw for two positions: each marginal is the target's, and the joint off by 1/2."""
    fair = ConstantModel(exact("1/2", "1/2"))
    shared = exact_law(lambda draws: (int(draws.uniform() < HALF),) * 2).law
    joint = target_joint(fair, 2)
    for position in (0, 1):
        marginal = shared.image(lambda tokens, i=position: tokens[i])
        assert marginal == joint.image(lambda tokens, i=position: tokens[i])
    assert total_variation(shared, joint) == HALF
