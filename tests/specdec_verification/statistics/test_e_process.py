"""The e-process check: verdicts, looks as often as one likes, and what it can see."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from specdec_core.errors import InvalidDistributionError, InvalidParameterError
from specdec_verification.results import Labels, Risk, Verdict
from specdec_verification.statistics.dirichlet_mixture import log_e_value
from specdec_verification.statistics.e_process import (
    check_e_process,
    detectable_tv,
    draws_needed,
    log_e_of,
    min_detectable_tv,
)
from specdec_verification.statistics.sampled import Demand, Tally

RATES = {"false_fail_rate": 1e-9, "false_pass_rate": 0.01}
DEMAND = Demand(**RATES, max_tv=0.1)
COIN = {0: Fraction(1, 2), 1: Fraction(1, 2)}

CHANCE = 1e-10
"""With which each of the two simulations fails on right code."""


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ({0: 5000, 1: 5000}, Verdict.PASSED),
        ({0: 6000, 1: 4000}, Verdict.FAILED),
        ({0: 50, 1: 50}, Verdict.INCONCLUSIVE),
        ({0: 100}, Verdict.FAILED),
        ({}, Verdict.INCONCLUSIVE),
        ({0: 5000, 1: 5000, 2: 1}, Verdict.FAILED),
    ],
)
def test_verdicts(counts: dict[int, int], verdict: Verdict, labels: Labels) -> None:
    result = check_e_process(counts, COIN, demand=DEMAND, labels=labels)
    assert result.verdict is verdict
    assert result.check == "e_process"


def test_the_risk_is_that_of_the_demand(labels: Labels) -> None:
    result = check_e_process({0: 5000, 1: 5000}, COIN, demand=DEMAND, labels=labels)
    assert result.risk == Risk(1e-9, 0.01, min_detectable_tv(10_000, 2, **RATES), 10_000)


def test_an_outcome_that_the_law_rules_out_is_named(labels: Labels) -> None:
    result = check_e_process({0: 1, "x": 3}, {0: 1}, demand=DEMAND, labels=labels)
    assert result.detail == "got 'x' 3 times, and the law rules it out"


def test_the_e_value_of_a_tally_is_that_of_its_lawful_outcomes() -> None:
    tally = Tally({"a": 3, "c": 5}, {"a": Fraction(1, 4), "b": 0, "c": Fraction(3, 4)})
    assert log_e_of(tally) == float(log_e_value([3, 5], [0.25, 0.75]))
    assert log_e_of(Tally({"b": 1}, {"a": 1, "b": 0})) == math.inf


def test_a_right_sampler_survives_every_look() -> None:
    """Ville: 3000 runs at rate 0.05, looked at after each of 60 batches."""
    rng, rate, runs = np.random.default_rng(), 0.05, 3000
    law = np.array([0.5, 0.3, 0.15, 0.05])
    counts = np.zeros((runs, 4), dtype=np.int64)
    failed = np.zeros(runs, dtype=bool)
    for look in range(60):
        counts += rng.multinomial(1 + 4 * look**2, law, size=runs)
        failed |= log_e_value(counts, law) >= -math.log(rate)
    assert failed.sum() <= binom.isf(CHANCE, runs, rate)


@pytest.mark.parametrize("cells", [2, 8, 64])
def test_a_wrong_law_is_missed_as_rarely_as_planned(cells: int) -> None:
    """One look at the planned draws, in the direction that is hardest to see."""
    rng, runs, tv = np.random.default_rng(), 1000, 0.01
    draws = draws_needed(tv, cells, **RATES)
    law = (1 + 2 * tv * np.where(np.arange(cells) < cells // 2, 1, -1)) / cells
    found = log_e_value(rng.multinomial(draws, law, size=runs), np.full(cells, 1 / cells))
    missed = int((found < -math.log(1e-9)).sum())
    assert missed <= binom.isf(CHANCE, runs, RATES["false_pass_rate"])


@pytest.mark.parametrize("tv", [0.1, 0.01, 0.001])
def test_planned_draws_are_near_the_tabled_ones(tv: float) -> None:
    """99 % of the runs need 26 / tv**2 draws, by simulation; one look needs 5 % more."""
    assert draws_needed(tv, 8, **RATES) * tv**2 == pytest.approx(26, rel=0.06)


@pytest.mark.parametrize("cells", [1, 2, 8, 4096])
@pytest.mark.parametrize("tv", [0.5, 0.03])
def test_draws_needed_are_enough_and_one_fewer_are_not(tv: float, cells: int) -> None:
    draws = draws_needed(tv, cells, **RATES)
    assert min_detectable_tv(draws, cells, **RATES) <= tv
    assert min_detectable_tv(draws - 1, cells, **RATES) > tv


def test_no_draw_sees_nothing() -> None:
    assert min_detectable_tv(0, 8, **RATES) == 1
    assert detectable_tv(np.full(8, 1 / 8), 0, DEMAND) == 1


def test_common_outcomes_hide_nothing() -> None:
    law = np.full(8, 1 / 8)
    assert detectable_tv(law, 10_000, DEMAND) == min_detectable_tv(10_000, 8, **RATES)


def test_what_rare_outcomes_can_hide_is_added() -> None:
    """Ten that expect ten draws each: they are one cell, at the threshold of all twelve."""
    law = np.array([0.5, 0.49, *[0.001] * 10])
    found = detectable_tv(law, 10_000, DEMAND) - 0.01
    assert 1 < found / min_detectable_tv(10_000, 12, **RATES) < 1.1
    assert detectable_tv(np.full(4096, 1 / 4096), 10_000, DEMAND) == 1


def test_mass_that_leaves_one_outcome_for_many_rare_ones_is_no_broken_promise() -> None:
    """A direction in which the approximation is far too hopeful, were rare cells taken as common.

    A thousand cells expect three draws each.  What `min_detectable_tv` says of so many cells is
    missed one time in four; what is claimed is larger by all that they hold.
    """
    law = np.array([0.5, *[0.5 / 1000] * 1000])
    draws = 6000
    hopeful = min_detectable_tv(draws, len(law), **RATES)
    assert hopeful < 0.2
    assert detectable_tv(law, draws, DEMAND) > 0.5


def test_one_outcome_hides_what_few_draws_miss() -> None:
    assert detectable_tv(np.array([1.0]), 2, DEMAND) == pytest.approx(0.9)


@pytest.mark.parametrize(
    "wrong", [{"draws": -1}, {"cells": 0}, {"false_fail_rate": 0.0}, {"false_pass_rate": 1.0}]
)
def test_arguments_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    arguments = {"draws": 10, "cells": 2, **RATES, **wrong}
    with pytest.raises(InvalidParameterError, match=rf"{next(iter(wrong))} is"):
        min_detectable_tv(**arguments)


def test_what_counts_nothing_or_is_no_law_is_refused(labels: Labels) -> None:
    with pytest.raises(InvalidParameterError, match="counts"):
        check_e_process({0: -1}, COIN, demand=DEMAND, labels=labels)
    with pytest.raises(InvalidDistributionError, match="expected_law"):
        check_e_process({0: 1}, {0: 0.5}, demand=DEMAND, labels=labels)
