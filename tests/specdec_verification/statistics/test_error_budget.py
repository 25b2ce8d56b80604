"""The run's error rate: shared equally, or by Holm's procedure."""

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.errors import InvalidParameterError
from specdec_verification.statistics.error_budget import (
    RUN_FALSE_FAIL_RATE,
    ErrorBudget,
    holm,
    log_mean_of,
    log_product,
    rejected_e_values,
)

P_VALUES = st.lists(st.integers(0, 64).map(lambda n: n / 64), max_size=6)


def closed_testing(p_values: list[float], false_fail_rate: float) -> tuple[bool, ...]:
    """Reject what Bonferroni rejects in every set of hypotheses that it belongs to."""
    indices = range(len(p_values))
    sets = [s for size in indices for s in combinations(indices, size + 1)]
    rejected = {s for s in sets if min(p_values[i] for i in s) <= false_fail_rate / len(s)}
    return tuple(all(s in rejected for s in sets if i in s) for i in indices)


def test_holm_steps_down() -> None:
    """Four hypotheses at 1/16: 1/64 <= 1/64, 1/64 <= 1/48, then 3/64 > 1/32 stops the rest."""
    found = holm([3 / 64, 1 / 64, 1 / 64, 4 / 64], false_fail_rate=1 / 16)
    assert found == (False, True, True, False)


def test_the_default_is_once_in_a_billion_runs() -> None:
    assert ErrorBudget(checks=1).per_check == RUN_FALSE_FAIL_RATE == 1e-9


def test_a_run_states_its_rate_once() -> None:
    assert str(ErrorBudget(checks=8)) == (
        "8 checks at 1.25e-10 each: in the chi-square limit a right subject fails the run"
        " with probability 1e-09 at most"
    )


@given(checks=st.integers(1, 10**6), sixteenths=st.integers(1, 15))
def test_the_shares_spend_the_budget(checks: int, sixteenths: int) -> None:
    budget = ErrorBudget(checks=checks, false_fail_rate=sixteenths / 16)
    assert budget.per_check * checks == pytest.approx(budget.false_fail_rate, rel=1e-15)


@given(p_values=P_VALUES, sixteenths=st.integers(1, 15))
def test_holm_is_the_closure_of_bonferroni(p_values: list[float], sixteenths: int) -> None:
    """Holm 1979: the step-down procedure is a shortcut to closed testing."""
    assert holm(p_values, sixteenths / 16) == closed_testing(p_values, sixteenths / 16)


@given(p_values=P_VALUES.filter(bool))
def test_holm_rejects_whatever_the_equal_split_rejects(p_values: list[float]) -> None:
    share = ErrorBudget(checks=len(p_values), false_fail_rate=0.25).per_check
    rejected = holm(p_values, 0.25)
    assert all(rejected[i] for i, p_value in enumerate(p_values) if p_value <= share)


@pytest.mark.parametrize("checks", [0, -1, 2.0, True])
def test_a_budget_needs_a_check(checks: int) -> None:
    with pytest.raises(InvalidParameterError, match="checks is"):
        ErrorBudget(checks=checks)


@pytest.mark.parametrize("rate", [0.0, 1.0, float("nan")])
def test_a_rate_outside_the_open_interval_is_refused(rate: float) -> None:
    with pytest.raises(InvalidParameterError, match="false_fail_rate is"):
        ErrorBudget(checks=1, false_fail_rate=rate)
    with pytest.raises(InvalidParameterError, match="false_fail_rate is"):
        holm([0.5], rate)


@pytest.mark.parametrize("p_value", [-0.1, 1.1, float("nan")])
def test_a_p_value_out_of_range_is_refused(p_value: float) -> None:
    with pytest.raises(InvalidParameterError, match=r"p_values\[1\] is .*, expected 0 to 1"):
        holm([0.5, p_value], 0.1)


def test_an_e_value_must_pay_for_its_company() -> None:
    """Three checks at 3/8: from eight on."""
    log_es = [math.log(8), math.log(7.9), math.inf]
    assert rejected_e_values(log_es, false_fail_rate=3 / 8) == (True, False, True)
    assert rejected_e_values([], false_fail_rate=3 / 8) == ()


@given(e_values=st.lists(st.floats(0.01, 1e6), min_size=1, max_size=6))
def test_products_and_means_are_those_of_the_e_values(e_values: list[float]) -> None:
    log_es = [math.log(e_value) for e_value in e_values]
    assert math.exp(log_product(log_es)) == pytest.approx(math.prod(e_values))
    assert math.exp(log_mean_of(log_es)) == pytest.approx(sum(e_values) / len(e_values))


def test_a_refutation_outweighs_everything() -> None:
    assert log_product([-math.inf, math.inf]) == math.inf
    assert log_mean_of([-5.0, math.inf]) == math.inf
    assert log_mean_of([-math.inf]) == -math.inf


def test_no_number_is_no_e_value() -> None:
    for combine in (log_product, log_mean_of):
        with pytest.raises(InvalidParameterError, match=r"log_e_values\[1\] is nan"):
            combine([0.0, math.nan])
    with pytest.raises(InvalidParameterError, match="nan"):
        rejected_e_values([math.nan], false_fail_rate=0.5)
    with pytest.raises(InvalidParameterError, match="empty"):
        log_mean_of([])
