"""Arguments past what can be computed: either the right number, or an error that names them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from specdec_core.errors import InvalidParameterError
from specdec_verification.results import Labels, Verdict
from specdec_verification.statistics import (
    chi_square,
    e_process,
    fit,
    pairs,
    power,
    prefix_e_process,
    regularity,
    relative_entropy,
    split_events,
    tolerance,
    two_sample,
)
from specdec_verification.statistics.sampled import Demand

RATES = {"false_fail_rate": 1e-9, "false_pass_rate": 0.01}
DEMAND = Demand(**RATES, max_tv=0.1)
CHECKS = {
    module.__name__.rpartition(".")[2]: module
    for module in (
        power,
        fit,
        e_process,
        prefix_e_process,
        pairs,
        two_sample,
        split_events,
        relative_entropy,
    )
}


@pytest.mark.parametrize("name", CHECKS)
def test_every_check_refuses_the_same_rates(name: str) -> None:
    """Half of 1.5 is a rate, and so is a third of 2.5; neither of them was asked for."""
    for rate in (1.5, 2.5, 1, True, None, "x", 5e-324, float("nan")):
        for which in RATES:
            rates = {**RATES, which: rate}
            with pytest.raises(InvalidParameterError, match=f"{which} is "):
                CHECKS[name].min_detectable_tv(1000, 8, **rates)
            with pytest.raises(InvalidParameterError, match=f"{which} is "):
                CHECKS[name].draws_needed(0.1, 8, **rates)


@pytest.mark.parametrize("name", CHECKS)
def test_every_check_takes_small_integers_of_numpy(name: str) -> None:
    """Products of 8 bits would wrap around, to something far too small."""
    check = CHECKS[name]
    small = check.min_detectable_tv(np.uint8(200), np.uint8(20), **RATES)
    assert small == check.min_detectable_tv(200, 20, **RATES)
    assert type(small) is float
    assert check.draws_needed(0.3, np.uint8(20), **RATES) == check.draws_needed(0.3, 20, **RATES)


@pytest.mark.parametrize("name", CHECKS)
def test_a_total_variation_that_nobody_draws_for_is_refused(name: str) -> None:
    with pytest.raises(InvalidParameterError, match="tv is 1e-300, expected at least 1e-09"):
        CHECKS[name].draws_needed(1e-300, 8, **RATES)


@pytest.mark.parametrize(
    "ask",
    [
        lambda cells: power.min_detectable_tv(1000, cells, **RATES),
        lambda cells: fit.min_detectable_tv(1000, cells, **RATES),
        lambda cells: e_process.min_detectable_tv(1000, cells, **RATES),
        lambda cells: prefix_e_process.draws_needed(0.1, cells, **RATES),
        lambda cells: pairs.min_detectable_tv(1000, cells, **RATES),
        lambda cells: relative_entropy.min_detectable_tv(1000, cells, **RATES),
        lambda cells: tolerance.min_detectable_tv(1000, cells, tolerance=0.01, demand=DEMAND),
        lambda cells: regularity.min_detectable_ratio(cells, **RATES),
    ],
)
def test_cells_past_the_quantiles_are_refused(ask: Callable[[int], float]) -> None:
    with pytest.raises(InvalidParameterError, match="cells is 1000000000000, expected at most"):
        ask(10**12)


@pytest.mark.parametrize("false_pass_rate", [0.01, 1e-9, 1e-30])
@pytest.mark.parametrize("false_fail_rate", [1e-3, 1e-30, 1e-300])
def test_two_cells_need_what_two_normal_tails_do(
    false_fail_rate: float, false_pass_rate: float
) -> None:
    """At the smallest rates too: of two cells the statistic is a squared normal number."""
    rates = {"false_fail_rate": false_fail_rate, "false_pass_rate": false_pass_rate}
    expected = (norm.isf(false_fail_rate / 2) + norm.isf(false_pass_rate)) ** 2
    assert power.noncentrality(2, **rates) == pytest.approx(expected, rel=1e-6)


def test_a_ratio_that_no_cells_show_is_refused() -> None:
    """And one that many do is found at once."""
    with pytest.raises(InvalidParameterError, match=r"ratio is 0\.9999, expected at most 0\.99"):
        regularity.cells_needed(0.9999, **RATES)
    cells = regularity.cells_needed(0.99, **RATES)
    assert regularity.min_detectable_ratio(cells - 1, **RATES) < 0.99
    assert regularity.min_detectable_ratio(cells, **RATES) >= 0.99


@pytest.mark.parametrize("count", [10**15, 10**30])
@pytest.mark.parametrize("off", [0, 1])
def test_huge_counts_are_judged(count: int, off: int, labels: Labels) -> None:
    law = {0: 0.5, 1: 0.5}
    counts = {0: count, 1: count + off * count // 10**3}
    expected = Verdict.FAILED if off else Verdict.PASSED
    asked: dict[str, Any] = {"demand": DEMAND, "labels": labels}
    for result in (
        chi_square.check_g_test(counts, law, **asked),
        e_process.check_e_process(counts, law, **asked),
        relative_entropy.check_relative_entropy(counts, law, **asked),
        split_events.check_split_event((counts, counts), law, **asked),
    ):
        assert result.verdict is expected


def test_a_tolerance_does_not_forgive_half_of_all_draws_on_a_token_next_to_impossible(
    labels: Labels,
) -> None:
    law = {0: 1e-300, 1: 1.0}
    counts = {0: 10**15, 1: 10**15}
    found = tolerance.check_within(counts, law, tolerance=0.01, demand=DEMAND, labels=labels)
    assert found.verdict is Verdict.FAILED


@pytest.mark.parametrize(("counts", "law"), [([1, 2], {0: 1}), ({0: 1}, [1.0]), (None, {0: 1})])
def test_what_is_no_mapping_is_refused(counts: Any, law: Any, labels: Labels) -> None:  # noqa: ANN401
    with pytest.raises(InvalidParameterError, match="expected a mapping"):
        e_process.check_e_process(counts, law, demand=DEMAND, labels=labels)
