"""Laws: bars by prefix, and squares by the tokens before."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from matplotlib.figure import Figure

from specdec_reports.figures.laws import MAX_BARS, has_rows, law_figure, next_tokens, rows_figure
from specdec_verification.results import LawTable, PrefixRow, Run


def said(figure: Figure) -> list[str]:
    """Return the texts inside the panels."""
    return [text.get_text() for panel in figure.axes for text in panel.texts]


def test_the_bars_are_the_probabilities_and_differences_are_said(whole: Run) -> None:
    (panel,) = (figure := law_figure(whole.laws[0])).axes
    expected, observed = ([bar.get_width() for bar in bars] for bars in panel.containers)
    assert expected == [0.25, 0.1875, 0.0625, 0.75, 0.0, 0.75]
    assert observed == [0.25, 0.125, 0.125, 0.75, 0.25, 0.5]
    assert [label.get_text() for label in panel.get_yticklabels()] == [
        *("0", "0,0", "0,1", "1", "1,0", "1,1")
    ]
    assert said(figure)[3] == "1/8  (−1/16)"
    assert said(figure)[9] == "1/4  (ruled out)"


def test_of_many_prefixes_those_are_drawn_that_differ_most() -> None:
    rows = [PrefixRow(str(token), 0.5 / 64, 0.5 / 64) for token in range(64)]
    rows[7] = replace(rows[7], observed=0.5)
    law = LawTable("a", "lossless", "b", "9 paths", 1, tuple(rows), 0, 0.0)
    panel = law_figure(law).axes[0]
    assert len(panel.get_yticklabels()) == MAX_BARS
    assert "7" in [label.get_text() for label in panel.get_yticklabels()]


def test_squares_are_the_laws_of_the_next_token(whole: Run) -> None:
    contexts, expected, observed = next_tokens(whole.laws[0])
    assert contexts == ["", "0", "1"]
    assert expected.tolist() == [[0.25, 0.75], [0.75, 0.25], [0, 1]]
    assert np.allclose(observed, [[0.25, 0.75], [0.5, 0.5], [1 / 3, 2 / 3]], atol=1e-15)
    assert said(rows_figure(whole.laws[0]))[-6:] == ["", "", "−.25", "+.25", "+.33", "−.33"]


def test_what_has_no_row_is_blank_and_not_impossible(whole: Run) -> None:
    law = whole.laws[0]
    cut = replace(law, rows=(*law.rows[:2], law.rows[3]), left_out=3)
    assert has_rows(cut)
    blank = [[False, False], [False, True]]
    assert np.isnan(next_tokens(cut)[1]).tolist() == blank


def test_a_context_that_is_never_reached_has_no_next_token() -> None:
    rows = tuple(PrefixRow(prefix, Fraction(1), Fraction(0)) for prefix in ("0", "0,0"))
    law = LawTable("a", "lossless", "b", "9 paths", 2, rows, 0, 0.0)
    assert np.array_equal(next_tokens(law)[2], [[0], [np.nan]], equal_nan=True)
    assert rows_figure(law).axes
