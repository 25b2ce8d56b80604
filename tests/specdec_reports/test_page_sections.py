"""The page's sections: of what there is, what did not pass first."""

from dataclasses import replace

from specdec_reports.page_sections import sections
from specdec_verification.results import Run


def test_what_did_not_pass_comes_first_and_what_is_longest_last(whole: Run) -> None:
    assert [section.anchor for section in sections(whole)] == [
        *("exceptions", "examples", "verdicts", "efficiency"),
        *("detection", "diagnoses", "trials", "shapes"),
    ]


def test_what_is_not_there_has_no_section(run: Run, empty: Run) -> None:
    assert [section.anchor for section in sections(empty)] == ["verdicts", "shapes"]
    uncounted = next(iter(sections(replace(run, exceptions=()))))
    assert (uncounted.anchor, len(uncounted.tables)) == ("examples", 1)
