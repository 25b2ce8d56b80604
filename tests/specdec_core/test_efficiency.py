from collections.abc import Callable
from fractions import Fraction

import pytest

from specdec_core.distributions import Prob, Row, acceptance_rate
from specdec_core.efficiency import (
    acceptance_at,
    best_expected_accepted,
    block_efficiency,
    can_improve,
    expected_accepted,
    full_information_bound,
    iid_block_efficiency,
    iid_expected_accepted,
    least_improvement,
    operations_factor,
    walltime_factor,
)
from specdec_core.errors import InvalidParameterError, ShapeError
from specdec_core.instances import Instance
from specdec_core.laws import Law
from specdec_core.models import ConstantModel
from specdec_core.rules.rule import Verification
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_grids.paths import exact_law
from specdec_grids.programs import round_program

TABLE_1 = [
    (".6", 2, "1.53", "1.96"),
    (".7", 3, "1.58", "2.53"),
    (".8", 2, "1.23", "2.44"),
    (".8", 5, "1.63", "3.69"),
    (".9", 2, "1.11", "2.71"),
    (".9", 10, "1.60", "6.86"),
]
"""Leviathan et al. 2023, Table 1: acceptance rate, gamma, operations and speed of free drafts."""


@pytest.mark.parametrize(("rate", "gamma", "operations", "speed"), TABLE_1)
def test_the_numbers_of_leviathans_table_1(
    rate: str, gamma: int, operations: str, speed: str
) -> None:
    assert f"{float(operations_factor(Fraction(rate), gamma, 0)):.2f}" == operations
    assert f"{float(walltime_factor(Fraction(rate), gamma, 0)):.2f}" == speed


def test_the_bounds_of_the_toy_model(toy: Callable[[int], Instance]) -> None:
    """Sun et al. 2024 (arXiv:2403.10444), Section 2: 10/9 by token, 11/9 by block, 12/9 at most."""
    models = toy(2).target, toy(2).draft
    rate = acceptance_rate(models[0](()), models[1](()))
    assert iid_expected_accepted(rate, 2) == Fraction(10, 9)
    assert best_expected_accepted(*models, 2) == Fraction(11, 9)
    assert full_information_bound(*models, 2) == Fraction(12, 9)


@pytest.mark.parametrize(("gamma", "best"), [(0, "0"), (1, "2/3"), (3, "5/3"), (4, "166/81")])
def test_the_best_of_the_toy_model_by_gamma(
    gamma: int, best: str, toy: Callable[[int], Instance]
) -> None:
    assert best_expected_accepted(toy(1).target, toy(1).draft, gamma) == Fraction(best)


@pytest.mark.parametrize("gamma", [1, 2, 3])
def test_the_closed_form_is_what_the_law_of_a_round_says(
    gamma: int, toy: Callable[[int], Instance]
) -> None:
    law = exact_law(round_program(TokenRejectionBonus(), toy(gamma))).law
    rate = Fraction(2, 3)
    assert block_efficiency(law) == iid_block_efficiency(rate, gamma)
    assert expected_accepted(law) == iid_expected_accepted(rate, gamma)
    assert [acceptance_at(law, n) for n in range(1, gamma + 2)] == [
        *(rate**n for n in range(1, gamma + 1)),
        0,
    ]


def test_without_the_bonus_token_it_is_that_of_one_draft_token_less(
    toy: Callable[[int], Instance],
) -> None:
    law = exact_law(round_program(TokenRejection(), toy(2))).law
    assert block_efficiency(law) == iid_block_efficiency(Fraction(2, 3), 1) == Fraction(5, 3)


@pytest.mark.parametrize("gamma", [0, 1, 5])
@pytest.mark.parametrize("rate", [Fraction(0), Fraction(1, 3), Fraction(9, 10)])
def test_the_sum_is_leviathans_equation_1(rate: Fraction, gamma: int) -> None:
    assert iid_block_efficiency(rate, gamma) == (1 - rate ** (gamma + 1)) / (1 - rate)


def test_a_rate_of_one_emits_everything() -> None:
    assert iid_block_efficiency(1, 4) == 5
    assert walltime_factor(1, 4, Fraction(1, 4)) == Fraction(5, 2)
    assert operations_factor(1, 4, Fraction(1, 4)) == Fraction(6, 5)


@pytest.mark.parametrize("cost", [Fraction(1, 10), Fraction(1, 2), Fraction(3, 4)])
@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(1, 2), Fraction(3, 4), Fraction(9, 10)])
def test_some_gamma_is_faster_exactly_if_the_rate_exceeds_the_cost(
    rate: Fraction, cost: Fraction
) -> None:
    """Leviathan et al. 2023, Corollary 3.9."""
    best = max(walltime_factor(rate, gamma, cost) for gamma in range(1, 30))
    assert (best > 1) is can_improve(rate, cost)
    assert best >= least_improvement(rate, cost) == (1 + rate) / (1 + cost)


def test_equal_models_accept_everything_and_disjoint_ones_nothing() -> None:
    one, other = ConstantModel(Row([1, 0])), ConstantModel(Row([0, 1]))
    for bound in (best_expected_accepted, full_information_bound):
        assert bound(one, one, 3) == 3
        assert bound(one, other, 3) == 0


def test_a_law_is_read_by_what_was_accepted() -> None:
    law = Law({Verification((0, 1), None): Fraction(1, 4), Verification((), 1): Fraction(3, 4)})
    assert (expected_accepted(law), block_efficiency(law)) == (Fraction(1, 2), Fraction(5, 4))
    assert acceptance_at(law, 2) == Fraction(1, 4)


@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan"), True, "1/2"])
def test_a_rate_that_is_no_probability_is_refused(rate: Prob) -> None:
    with pytest.raises(InvalidParameterError, match="acceptance_rate is "):
        iid_block_efficiency(rate, 2)


@pytest.mark.parametrize("gamma", [-1, 1.5])
def test_a_gamma_that_is_no_count_is_refused(gamma: int, toy: Callable[[int], Instance]) -> None:
    with pytest.raises(InvalidParameterError, match="gamma is "):
        iid_expected_accepted(0.5, gamma)
    with pytest.raises(InvalidParameterError, match="gamma is "):
        full_information_bound(toy(1).target, toy(1).draft, gamma)


def test_a_negative_cost_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="cost is -1, expected at least 0"):
        walltime_factor(0.5, 2, -1)
    with pytest.raises(InvalidParameterError, match="operations_ratio is -1"):
        operations_factor(0.5, 2, -1)
    with pytest.raises(InvalidParameterError, match="position is 0"):
        acceptance_at(Law({}), 0)


def test_models_of_two_vocabularies_are_refused() -> None:
    with pytest.raises(ShapeError):
        full_information_bound(ConstantModel(Row([1])), ConstantModel(Row([1, 0])), 1)
