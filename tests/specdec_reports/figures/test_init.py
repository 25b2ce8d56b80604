"""The figures of a run: of what there is, and the same bytes for the same run."""

from dataclasses import replace

from specdec_reports.figures import drawings
from specdec_reports.figures.drawing import png, svg
from specdec_verification.results import Run


def test_there_is_a_figure_of_everything_that_there_is(run: Run, whole: Run) -> None:
    assert list(drawings(run)) == []
    assert [drawing.name for drawing in drawings(whole)] == [
        *("law-1", "rows-1", "tree-1", "evidence-1", "power-1"),
        *("acceptance", "detection", "prefixes"),
    ]


def test_one_run_is_drawn_to_the_same_bytes(whole: Run) -> None:
    law, _, tree, *_ = drawings(whole)
    for drawing in (law, tree):
        first = svg(drawing)
        svg.cache_clear()
        assert svg(drawing) == first
        assert first.startswith(b"<?xml")
    assert png(law).startswith(b"\x89PNG")


def test_the_alternative_says_where_the_laws_differ_most(whole: Run) -> None:
    law, *_ = drawings(whole)
    assert "They differ most at 1,0: expected 0, observed 0.25." in law.alt
    same = tuple(replace(row, observed=row.expected) for row in whole.laws[0].rows)
    equal = replace(whole, laws=(replace(whole.laws[0], rows=same),))
    assert "They are equal at every prefix." in next(drawings(equal)).alt
