"""Trees: as thick as what goes along, and nothing on top of anything else."""

import pytest

from specdec_reports.figures.trees import Layout, tree_figure
from specdec_verification.results import Run


def test_every_end_has_a_slot_of_its_own(whole: Run) -> None:
    layout = Layout(whole.trees[0])
    ends = [
        layout.places["0,1"].slot,
        layout.places["1"].slot,
        *(place.slot for place in layout.exits.values()),
    ]
    assert sorted(ends) == list(range(layout.slots)) == [0, 1, 2, 3]
    assert layout.height == 2


def test_edges_are_as_thick_as_what_goes_along_them(whole: Run) -> None:
    (panel,) = tree_figure(whole.trees[0]).axes
    texts = [text.get_text() for text in panel.texts]
    assert texts[:5] == ["residual 1/4", "1/2", "residual 1/3", "1/6 of 1/2", "1/4"]
    widths = [line.get_linewidth() for line in panel.lines if line.get_linestyle() == "-"]
    assert widths == pytest.approx([3.5, 3.5 / 3, 1.75], rel=1e-12)
