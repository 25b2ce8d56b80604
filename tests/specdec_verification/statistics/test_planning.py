"""Plans: what a claim costs, in draws and seconds, and on what to spend them."""

import numpy as np
import pytest

from specdec_core.errors import InvalidParameterError
from specdec_verification.results import Labels
from specdec_verification.statistics import fit
from specdec_verification.statistics.planning import (
    measured_rate,
    own_rate,
    plan_draws,
    spread_power,
)
from specdec_verification.statistics.sampled import Demand

DEMAND = Demand(false_fail_rate=1e-9, false_pass_rate=0.01, max_tv=1e-3)


def test_the_first_need_is_that_of_the_samplers_check() -> None:
    plan = plan_draws(DEMAND, 8, 1e6)
    expected = fit.draws_needed(1e-3, 8, false_fail_rate=1e-9, false_pass_rate=0.01)
    assert plan.draws == expected
    assert plan.seconds == expected / 1e6


def test_every_need_is_stated() -> None:
    lines = str(plan_draws(DEMAND, 8, 1e6)).splitlines()
    assert lines[0] == (
        "to see a total variation of 0.001 over 8 cells, false-fail rate 1e-09, power 0.99:"
    )
    assert [line.split()[0] for line in lines[1:-1]] == [
        "fit",
        "g_test",
        "e_process",
        "relative_entropy",
        "split_event",
        "two_sample",
        "certificate",
    ]
    assert lines[-1].endswith("s for fit at 1e+06 draws/s")


def test_the_witness_is_named(labels: Labels) -> None:
    assert str(plan_draws(DEMAND, 8, 1e6, labels)).endswith("spend them on instance (V=2)")


def test_rates_are_measured() -> None:
    asked: list[int] = []

    def draw(n: int, rng: np.random.Generator) -> np.ndarray:
        asked.append(n)
        return rng.integers(0, 2, size=n)

    rate = measured_rate(draw, [0.5, 0.5], np.random.default_rng())
    assert rate > asked[0] / 60
    assert own_rate(8, np.random.default_rng()) > 1000


def test_one_witness_sees_what_twenty_fixtures_do_not() -> None:
    assert spread_power(0.002, 4_000_000, 20, 8, 1e-9) < 1e-6
    assert spread_power(0.002, 6_000_000, 1, 8, 1e-9) > 0.99


def test_what_cannot_be_planned_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="cells is 1, expected at least 2"):
        plan_draws(DEMAND, 1, 1e6)
    with pytest.raises(InvalidParameterError, match="draws_per_second is 0"):
        plan_draws(DEMAND, 8, 0.0)
    with pytest.raises(InvalidParameterError, match="instances is 0"):
        spread_power(0.1, 100, 0, 8, 1e-9)


@pytest.mark.parametrize(
    ("demand", "cells", "said"),
    [
        (Demand(1e-9, 0.01, 1e-200), 8, "max_tv is 1e-200, expected at least 1e-09"),
        (Demand(1e-40, 0.01, 0.1), 8, "false_fail_rate is .*, expected at least 1e-30"),
        (DEMAND, 10**15, "cells is 1000000000000000, expected at most 1000000"),
    ],
)
def test_what_no_double_can_tell_is_refused(demand: Demand, cells: int, said: str) -> None:
    with pytest.raises(InvalidParameterError, match=said):
        plan_draws(demand, cells, 1e6)


@pytest.mark.parametrize(
    ("demand", "cells"), [(Demand(1e-30, 1e-30, 1e-9), 2), (DEMAND, 10**6)], ids=["rates", "cells"]
)
def test_the_furthest_plans_are_plans(demand: Demand, cells: int) -> None:
    needs = plan_draws(demand, cells, 1e6).needs
    assert all(need.draws > 1 / demand.max_tv**2 for need in needs if need.check != "certificate")


def test_a_rate_without_end_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="draws_per_second is inf"):
        plan_draws(DEMAND, 8, float("inf"))


def test_the_rate_of_very_many_cells_takes_no_memory_of_theirs() -> None:
    assert own_rate(10**15, np.random.default_rng()) > 0
