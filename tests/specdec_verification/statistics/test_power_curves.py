"""Power curves: what the checks state, read the other way."""

import numpy as np
import pytest
from scipy.stats import chi2, ncx2

from specdec_verification.results import Labels
from specdec_verification.statistics.power_curves import CELLS, POWERS, g_test_curves, power_curves
from specdec_verification.statistics.sampled import Demand


def test_a_curve_is_the_power_of_the_noncentral_chi_square() -> None:
    for curve, cells in zip(g_test_curves(100_000, 1e-6, "G-test"), CELLS, strict=True):
        threshold = chi2.isf(1e-6, cells - 1)
        tvs = np.array([point.total_variation for point in curve.points])
        powers = ncx2.sf(threshold, cells - 1, 4 * curve.draws * tvs**2)
        assert powers == pytest.approx(POWERS, rel=1e-6)


def test_ten_times_the_draws_see_less_and_what_is_not_seen_has_no_point(labels: Labels) -> None:
    def detectable(draws: int, demand: Demand) -> float:
        return min(1.0, 40 / (draws * demand.false_pass_rate))

    demand = Demand(0.001, 0.1, 0.5)
    few, made, many = power_curves(detectable, 1000, demand, labels)
    assert [(curve.draws, curve.drawn) for curve in (few, made, many)] == [
        *((100, False), (1000, True), (10_000, False))
    ]
    assert few.points[-1].power < made.points[-1].power < many.points[-1].power
    assert all(point.total_variation < 1 for point in few.points)
    assert power_curves(detectable, 0, demand, labels) == ()


def test_a_check_that_fails_right_laws_more_often_than_a_height_has_no_point_there(
    labels: Labels,
) -> None:
    demand = Demand(0.05, 0.1, 0.5)
    curves = power_curves(lambda draws, demand: demand.false_pass_rate, 1000, demand, labels)
    assert [point.power for point in curves[1].points] == [seen for seen in POWERS if seen > 0.05]
