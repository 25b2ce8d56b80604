"""Power: the published numbers, an independent series, and the way there and back."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, poisson

from specdec_core.errors import InvalidParameterError
from specdec_verification.statistics.power import (
    draws_at,
    draws_needed,
    least_draws,
    min_detectable_tv,
    noncentrality,
    noncentrality_past,
    tv_at,
)

RATES = {"false_fail_rate": 1e-9, "false_pass_rate": 0.01}


def missed(x: float, cells: int, false_fail_rate: float) -> float:
    """Return the miss rate at noncentrality ``x``: a Poisson mixture of central chi-squares."""
    threshold = chi2.isf(false_fail_rate, cells - 1)
    extra = np.arange(int(x) + 400)  # twice the mean and more: what is left out is nothing
    return float(poisson.pmf(extra, x / 2) @ chi2.cdf(threshold, cells - 1 + 2 * extra))


@pytest.mark.parametrize(
    ("cells", "false_fail_rate", "expected"),
    [
        (8, 1e-3, "45.4"),
        (8, 1e-6, "68.5"),
        (8, 1e-9, "89.2"),
        (2, 1e-9, "71.2"),
        (16, 1e-9, "103"),
        (64, 1e-9, "151"),
        (256, 1e-9, "245"),
        (1024, 1e-9, "434"),
        (4096, 1e-9, "812"),
    ],
)
def test_noncentrality_is_as_tabled(cells: int, false_fail_rate: float, expected: str) -> None:
    """METHODS.md, section 3, "Planning", where 245.45 and 434.49 are rounded up."""
    found = noncentrality(cells, false_fail_rate=false_fail_rate, false_pass_rate=0.01)
    assert f"{found:.3g}" == expected


@pytest.mark.parametrize(
    ("tv", "expected"), [(1e-1, "2.23e+03"), (1e-2, "2.23e+05"), (1e-3, "2.23e+07")]
)
def test_draws_needed_are_as_tabled(tv: float, expected: str) -> None:
    """METHODS.md, section 3, column "chi-square/G, fixed N"."""
    assert f"{draws_needed(tv, 8, **RATES):.3g}" == expected


@pytest.mark.parametrize("cells", [2, 3, 8, 64, 4096, 1 << 16])
@pytest.mark.parametrize("false_fail_rate", [1e-3, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("false_pass_rate", [0.5, 0.01, 1e-6, 1e-12])
def test_an_independent_series_brackets_the_root(
    cells: int, false_fail_rate: float, false_pass_rate: float
) -> None:
    found = noncentrality(cells, false_fail_rate=false_fail_rate, false_pass_rate=false_pass_rate)
    below = missed(found * (1 - 1e-6), cells, false_fail_rate)
    above = missed(found * (1 + 1e-6), cells, false_fail_rate)
    assert above < false_pass_rate < below


@pytest.mark.parametrize("cells", [2, 4096])
def test_rates_that_nearly_sum_to_one_need_nearly_nothing(cells: int) -> None:
    found = noncentrality(cells, false_fail_rate=0.5, false_pass_rate=0.499999)
    assert 0 < found < 0.01


def test_one_cell_needs_nothing() -> None:
    assert noncentrality(1, **RATES) == 0


def test_one_cell_sees_only_what_falls_outside() -> None:
    """Half of the mass outside stays unseen in two draws with probability 1/4."""
    assert min_detectable_tv(2, 1, false_fail_rate=0.125, false_pass_rate=0.25) == 0.5
    assert draws_needed(0.5, 1, false_fail_rate=0.125, false_pass_rate=0.25) == 2


@pytest.mark.parametrize("draws", [0, 1, 17])
def test_too_few_draws_see_nothing_short_of_disjoint_supports(draws: int) -> None:
    assert min_detectable_tv(draws, 8, **RATES) == 1


@given(
    tv=st.floats(1e-6, 0.5),
    cells=st.integers(1, 4096),
    false_fail_rate=st.sampled_from([1e-12, 1e-9, 1e-3]),
    false_pass_rate=st.sampled_from([1e-6, 0.01, 0.5]),
)
def test_draws_needed_are_enough_and_one_fewer_are_not(
    tv: float, cells: int, false_fail_rate: float, false_pass_rate: float
) -> None:
    rates = {"false_fail_rate": false_fail_rate, "false_pass_rate": false_pass_rate}
    draws = draws_needed(tv, cells, **rates)
    # Rounding moves a root by some units in the last place, never by a draw in a million.
    assert min_detectable_tv(draws, cells, **rates) <= tv * (1 + 1e-12)
    assert min_detectable_tv(draws - 1, cells, **rates) > tv * (1 - 1e-12)


@given(cells=st.integers(1, 4096), draws=st.integers(1, 10**12))
def test_more_cells_see_less_and_more_draws_see_more(cells: int, draws: int) -> None:
    found = min_detectable_tv(draws, cells, **RATES)
    assert min_detectable_tv(draws, cells + 1, **RATES) >= found
    assert min_detectable_tv(2 * draws, cells, **RATES) <= found


@pytest.mark.parametrize(
    "value", [0.0, 1.0, -0.1, 1.5, float("nan"), float("inf"), True, "0.1", None, Fraction(1, 8)]
)
@pytest.mark.parametrize("name", ["false_fail_rate", "false_pass_rate"])
def test_a_rate_outside_the_open_interval_is_refused(name: str, value: float) -> None:
    with pytest.raises(InvalidParameterError, match=rf"{name} is .*, expected a float in \(0, 1\)"):
        noncentrality(8, **(RATES | {name: value}))


def test_rates_that_a_coin_reaches_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match="sum to 1, expected less than one"):
        noncentrality(8, false_fail_rate=0.25, false_pass_rate=0.75)


@pytest.mark.parametrize("cells", [0, -1])
def test_no_cells_are_refused(cells: int) -> None:
    with pytest.raises(InvalidParameterError, match=f"cells is {cells}, expected at least 1"):
        noncentrality(cells, **RATES)


@pytest.mark.parametrize("count", [8.0, True, "8", None])
def test_a_count_that_is_no_integer_is_refused(count: int) -> None:
    with pytest.raises(InvalidParameterError, match=r"cells is .*, expected an integer"):
        noncentrality(count, **RATES)
    with pytest.raises(InvalidParameterError, match=r"draws is .*, expected an integer"):
        min_detectable_tv(count, 8, **RATES)


def test_negative_draws_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match="draws is -1, expected at least 0"):
        min_detectable_tv(-1, 8, **RATES)


@pytest.mark.parametrize("tv", [0.0, 1.0, -0.5])
def test_a_total_variation_that_needs_no_draws_or_endless_ones_is_refused(tv: float) -> None:
    with pytest.raises(InvalidParameterError, match="tv is"):
        draws_needed(tv, 8, **RATES)


def test_numpy_numbers_are_taken() -> None:
    (cells,) = np.array([8])
    assert draws_needed(np.float64(0.1), cells, **RATES) == draws_needed(0.1, 8, **RATES)


@pytest.mark.parametrize("threshold", [10.0, 60.0, 900.0])
def test_a_threshold_of_ones_own_is_passed_as_often_as_asked(threshold: float) -> None:
    rate = float(chi2.sf(threshold, 7))
    assert missed(noncentrality_past(threshold, 7, 0.01), 8, rate) == pytest.approx(0.01)


def test_a_threshold_that_is_passed_anyway_needs_nothing() -> None:
    assert noncentrality_past(0.0, 7, 0.01) == 0


@pytest.mark.parametrize("needed", [0.0, 1.0, 89.2])
def test_total_variation_and_draws_are_each_others_inverse(needed: float) -> None:
    draws = draws_at(needed, 0.01, 0.01)
    assert tv_at(needed, draws, 0.01) <= 0.01 < tv_at(needed, draws - 1, 0.01)


@pytest.mark.parametrize("enough", [1, 2, 3, 1000, 1 << 20, (1 << 20) + 1])
def test_the_least_draws_are_found(enough: int) -> None:
    assert least_draws(lambda draws: 0.01 if draws >= enough else 1.0, 0.5) == enough
