"""Acceptance curves: a panel for each rule, its optimum dashed."""

from specdec_reports.figures.acceptance import acceptance_figure
from specdec_verification.results import CurvePoint

POINTS = tuple(
    CurvePoint(subject, subject != "lossy_rule", tv, acceptance, 1 - tv)
    for subject in ("first_rule", "second_rule", "lossy_rule")
    for tv, acceptance in ((0.0, 1.0), (0.5, 0.25))
)


def test_every_rule_has_a_panel_with_its_curve_and_the_optimum() -> None:
    panels = [panel for panel in acceptance_figure(POINTS).axes if panel.get_visible()]
    assert [panel.get_title() for panel in panels] == ["first rule", "second rule", "lossy rule"]
    acceptance, optimum = panels[0].lines
    assert list(acceptance.get_ydata()) == [1.0, 0.25]
    assert list(optimum.get_ydata()) == [1.0, 0.5]


def test_a_lossy_rule_is_told_from_a_lossless_one() -> None:
    first, second, lossy = acceptance_figure(POINTS).axes[:3]
    assert first.lines[0].get_color() == second.lines[0].get_color() != lossy.lines[0].get_color()
