"""The matrix of faults and checks: every fault is seen, and by whom is no accident."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from specdec_core.laws import Law
from specdec_verification.detection import (
    SAMPLING,
    Sampling,
    detection_rows,
    loop_rows,
    sightings,
    with_detection,
)
from specdec_verification.faults import FAULTS
from specdec_verification.faults.catalogue import AT_THRESHOLDS
from specdec_verification.faults.draw_faults import COARSE_FAULTS
from specdec_verification.faults.fault import Fault
from specdec_verification.faults.loop_catalogue import PLANTED
from specdec_verification.faults.loop_fault import LoopFault
from specdec_verification.results import DetectionRow, Run, Verdict
from specdec_verification.statistics.chi_square import g_terms

FAIR = Law({0: Fraction(1, 2), 1: Fraction(1, 4), 2: Fraction(1, 4)})
RUN = Run("0", "quick", Verdict.PASSED, "no check", 0, (), (), (), ())


def powers(rows: list[DetectionRow]) -> dict[str, float]:
    return {row.check: row.power for row in rows}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_every_fault_of_a_rule_is_seen_by_the_lattice_of_left_endpoints(fault: Fault) -> None:
    rows = list(detection_rows(fault))
    found = powers(rows)
    assert found["left endpoints"] == 1
    by_law = float(fault not in AT_THRESHOLDS)
    assert found["exact law"] == found["midpoints"] == by_law
    assert bool(rows[0].total_variation) is bool(by_law)
    assert all(row.size > 0 for row in rows)


@pytest.mark.parametrize("planted", PLANTED[::6], ids=lambda planted: planted.loop.name)
def test_a_fault_of_a_loop_is_seen_by_its_law_or_its_claims(planted: LoopFault) -> None:
    found = powers(list(loop_rows(planted)))
    assert found["exact law"] + found["claims"] >= 1


@pytest.mark.parametrize("fault", COARSE_FAULTS, ids=lambda fault: fault.name)
def test_a_coarse_fault_is_out_of_reach_of_sampling_unless_it_emits_the_impossible(
    fault: Fault,
) -> None:
    seen = powers(list(detection_rows(fault)))[SAMPLING.name]
    assert seen > 0.99 if fault.name == "accept_in_half_inclusive" else seen < 0.01


def test_a_right_law_fails_at_the_rate_stated_and_no_draw_shows_nothing() -> None:
    assert Sampling(1000, 0.01).power(FAIR, FAIR) == pytest.approx(0.01)
    wrong = Law({0: Fraction(1, 4), 1: Fraction(3, 4)})
    assert Sampling(10**6, 1e-9).power(wrong, FAIR) == pytest.approx(1)


def test_an_outcome_that_cannot_be_is_seen_once_it_is_drawn() -> None:
    certain = Law({0: Fraction(1)})
    wrong = Law({0: Fraction(3, 4), 1: Fraction(1, 4)})
    assert Sampling(2, 0.01).power(wrong, certain) == 1 - Fraction(9, 16)


def test_the_power_is_how_often_a_g_test_really_fails() -> None:
    """A false alarm once in a million runs of this test; the limit law is good to 0.02 here."""
    sampling, trials = Sampling(2000, 0.001), 20_000
    wrong = Law({0: Fraction(1, 2), 1: Fraction(29, 100), 2: Fraction(21, 100)})
    claimed = np.array([float(FAIR[token]) for token in range(3)])
    got = np.array([float(wrong[token]) for token in range(3)])
    counts = np.random.default_rng().multinomial(sampling.draws, got, trials)
    statistics = g_terms(counts, sampling.draws * claimed).sum(axis=-1)
    failed = int((statistics > -2 * np.log(sampling.false_fail_rate)).sum())  # two degrees
    expected = sampling.power(wrong, FAIR)
    low, high = binom.ppf(5e-7, trials, expected - 0.02), binom.isf(5e-7, trials, expected + 0.02)
    assert 0.3 < expected < 0.99
    assert low <= failed <= high


def test_a_run_gets_a_row_for_each_fault_and_check() -> None:
    run = with_detection(RUN, FAULTS[:2], PLANTED[:1])
    assert [row.subject for row in run.detection[::4]] == [
        *(fault.name for fault in FAULTS[:2]),
        PLANTED[0].loop.name,
    ]
    assert len(run.detection) == 2 * 4 + 3
    assert {row.size for row in run.detection if row.check == SAMPLING.name} == {SAMPLING.draws}


def test_a_sighting_says_where_a_fault_shows() -> None:
    sighted = next(iter(sightings()))
    assert (sighted.fault, sighted.shown) == (FAULTS[0], "9/32")
    assert sighted.as_document()["shows"] == "law"
