"""Counts by prefix, as bars."""

from specdec_reports.figures.prefixes import prefix_figure
from specdec_verification.results import Run


def test_what_was_observed_stands_beside_what_was_expected(whole: Run) -> None:
    (panel,) = prefix_figure(whole.prefix_counts).axes
    expected, observed = panel.containers[:2]
    assert [bar.get_width() for bar in expected] == [2500, 7500]
    assert [bar.get_width() for bar in observed] == [2500, 7400]
