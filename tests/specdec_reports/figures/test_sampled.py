"""Evidence and power, as curves."""

from dataclasses import replace

from specdec_reports.figures.sampled import evidence_figure, power_figure
from specdec_verification.results import Run


def test_evidence_is_drawn_look_by_look_with_its_threshold(whole: Run) -> None:
    above, below = evidence_figure(whole.evidence[0]).axes
    curve, threshold, infinite = above.lines
    assert list(curve.get_xdata()) == [1000, 2000]
    assert list(curve.get_ydata()) == [-0.25, 4.5]
    assert set(threshold.get_ydata()) == {9.0}
    assert list(infinite.get_xdata()) == [4000]
    assert [list(line.get_ydata()) for line in below.lines] == [
        *([0.125, 0.0625, 0.03125], [0.5, 0.25, 0.125])
    ]


def test_the_law_that_was_ruled_out_at_once_is_drawn_too(whole: Run) -> None:
    curve = whole.evidence[0]
    assert len(evidence_figure(replace(curve, points=curve.points[-1:])).axes[0].lines) == 2


def test_curves_are_told_apart_by_draws_or_by_what_they_are_of(whole: Run) -> None:
    figure = power_figure(whole.power)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        *("400 draws", "4,000 draws, as made")
    ]
    others = (whole.power[0], replace(whole.power[1], instance="8 sequences"))
    named = [text.get_text() for text in power_figure(others).legends[0].get_texts()]
    assert named == [others[0].instance, "8 sequences"]
