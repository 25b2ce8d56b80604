"""The detection matrix: faults by kind, and blanks where nothing was asked."""

from fractions import Fraction

import numpy as np

from specdec_reports.figures.detection import detection_figure
from specdec_verification.results import DetectionRow

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
    first, second = detection_figure(ROWS).axes[:2]
    labels = [[tick.get_text() for tick in panel.get_yticklabels()] for panel in (first, second)]
    assert labels == [["early fault  K01"], ["late fault  K10"]]
    assert [tick.get_text() for tick in first.get_xticklabels()] == [
        *("exact law", "sampled", "claims")
    ]
    drawn = [np.ma.filled(panel.images[0].get_array(), np.nan) for panel in (first, second)]
    assert np.array_equal(drawn, [[[1, np.nan, 0]], [[1, 0.25, np.nan]]], equal_nan=True)
