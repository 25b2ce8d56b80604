"""Certificates: the tabled radii, and how often they are wrong, exactly."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from specdec_core.errors import InvalidParameterError
from specdec_verification.statistics.certificates import Certificate, certify, draws_needed, radius
from specdec_verification.statistics.sampled import Tally


@pytest.mark.parametrize(
    ("draws", "expected"), [(100_000, "0.0115"), (1_000_000, "0.0036"), (30_000_000, "0.00066")]
)
def test_radii_are_as_tabled(draws: int, expected: str) -> None:
    """Eight cells, confidence 1 - 1e-9, with as many digits as the table has."""
    digits = len(expected.lstrip("0.")) - 1
    assert f"{radius(draws, 8, 1e-9):.{digits}e}" == f"{float(expected):.{digits}e}"


@pytest.mark.parametrize("draws", [10, 100, 1000])
@pytest.mark.parametrize("prob", [0.5, 0.1])
@pytest.mark.parametrize("rate", [0.3, 0.01])
def test_frequencies_of_two_cells_lie_inside(draws: int, prob: float, rate: float) -> None:
    """Summed over every count: the frequencies lie farther off with at most the rate."""
    got = np.arange(draws + 1)
    outside = np.abs(got / draws - prob) > radius(draws, 2, rate)
    assert binom.pmf(got, draws, prob)[outside].sum() <= rate


def test_many_cells_take_the_radius_by_differences() -> None:
    by_differences = math.sqrt(4095 / 10**6) / 2 + math.sqrt(math.log(1e3) / (2 * 10**6))
    assert radius(10**6, 4096, 1e-3) == pytest.approx(by_differences)


def test_a_tally_certifies_its_distance_and_the_radius() -> None:
    tally = Tally({"a": 700_000, "b": 300_000}, {"a": 0.5, "b": 0.5})
    found = certify(tally, 1e-9)
    reach = radius(1_000_000, 3, 1e-9)
    assert found == Certificate(pytest.approx(0.2 + reach), reach, 1_000_000, 1e-9)


def test_no_draws_certify_nothing() -> None:
    assert certify(Tally({}, {"a": 1.0}), 1e-9).total_variation == 1
    assert radius(0, 8, 1e-9) == 1


def test_one_cell_has_no_radius() -> None:
    assert radius(1, 1, 1e-9) == 0


@pytest.mark.parametrize("cells", [2, 8, 4096])
def test_draws_needed_are_enough_and_one_fewer_are_not(cells: int) -> None:
    draws = draws_needed(0.01, cells, 1e-9)
    assert radius(draws, cells, 1e-9) <= 0.01 < radius(draws - 1, cells, 1e-9)


def test_arguments_out_of_range_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match="draws is -1"):
        radius(-1, 8, 1e-9)
    with pytest.raises(InvalidParameterError, match="false_pass_rate is 0"):
        radius(10, 8, 0.0)
