"""The figures of a run: what each rule keeps, what each check sees; same run, same bytes."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from specdec_reports.figures import (
    acceptance_figure,
    acceptance_png,
    acceptance_svg,
    detection_figure,
    detection_png,
    detection_svg,
    prefix_figure,
    prefix_png,
    prefix_svg,
)
from specdec_verification.results import CurvePoint, DetectionRow, Run, Verdict

POINTS = tuple(
    CurvePoint(subject, subject != "lossy_rule", tv, acceptance, 1 - tv)
    for subject in ("first_rule", "second_rule", "lossy_rule")
    for tv, acceptance in ((0.0, 1.0), (0.5, 0.25))
)
RUN = Run("0", "quick", Verdict.PASSED, "no check", 0, (), (), (), (), (), POINTS)


def test_every_rule_has_a_panel_with_its_curve_and_the_optimum() -> None:
    panels = [panel for panel in acceptance_figure(RUN).axes if panel.get_visible()]
    assert [panel.get_title() for panel in panels] == ["first rule", "second rule", "lossy rule"]
    acceptance, optimum = panels[0].lines
    assert list(acceptance.get_ydata()) == [1.0, 0.25]
    assert list(optimum.get_ydata()) == [1.0, 0.5]


def test_a_lossy_rule_is_told_from_a_lossless_one() -> None:
    first, second, lossy = acceptance_figure(RUN).axes[:3]
    assert first.lines[0].get_color() == second.lines[0].get_color() != lossy.lines[0].get_color()


def test_one_run_is_drawn_to_the_same_bytes() -> None:
    assert acceptance_svg(RUN) == acceptance_svg(RUN)
    assert acceptance_svg(RUN).startswith(b"<?xml")
    assert b"second rule" in acceptance_svg(RUN)
    assert acceptance_png(RUN).startswith(b"\x89PNG")


ROWS = tuple(
    DetectionRow(subject, kind, "specdec-verify", check, Fraction(1, 4), power, 8)
    for subject, kind, check, power in (
        ("late_fault", "K10", "exact law", 1.0),
        ("late_fault", "K10", "sampled", 0.25),
        ("early_fault", "K01", "exact law", 1.0),
        ("early_fault", "K01", "claims", 0.0),
    )
)


def test_faults_stand_by_kind_and_what_was_not_asked_is_blank() -> None:
    first, second = detection_figure(replace(RUN, detection=ROWS)).axes[:2]
    labels = [[tick.get_text() for tick in panel.get_yticklabels()] for panel in (first, second)]
    assert labels == [["early fault  K01"], ["late fault  K10"]]
    assert [tick.get_text() for tick in first.get_xticklabels()] == [
        *("exact law", "sampled", "claims")
    ]
    drawn = [np.ma.filled(panel.images[0].get_array(), np.nan) for panel in (first, second)]
    assert np.array_equal(drawn, [[[1, np.nan, 0]], [[1, 0.25, np.nan]]], equal_nan=True)


def test_one_matrix_is_drawn_to_the_same_bytes() -> None:
    run = replace(RUN, detection=ROWS)
    assert detection_svg(run) == detection_svg(run)
    assert b"late fault" in detection_svg(run)
    assert detection_png(run).startswith(b"\x89PNG")


def test_what_was_observed_stands_beside_what_was_expected(whole: Run) -> None:
    (panel,) = prefix_figure(whole).axes
    expected, observed = panel.containers[:2]
    assert [bar.get_width() for bar in expected] == [2500, 7500]
    assert [bar.get_width() for bar in observed] == [2500, 7400]
    assert prefix_svg(whole).startswith(b"<?xml")
    assert prefix_png(whole).startswith(b"\x89PNG")
