"""The page's sections: of what there is, what did not pass first."""

from dataclasses import replace

from specdec_reports.page_sections import sections
from specdec_verification.results import Run


def test_what_did_not_pass_comes_first_and_what_is_longest_last(whole: Run) -> None:
    assert [section.anchor for section in sections(whole)] == [
        *("exceptions", "verdicts", "laws", "trees", "evidence", "examples"),
        *("efficiency", "detection", "diagnoses", "trials", "shapes"),
    ]


def test_what_is_not_there_has_no_section(run: Run, empty: Run) -> None:
    assert list(sections(empty)) == []
    _, uncounted, *_ = sections(replace(run, exceptions=()))
    assert (uncounted.anchor, len(uncounted.tables)) == ("examples", 1)


def test_what_is_said_of_a_failure_stands_with_it_and_else_by_itself(whole: Run) -> None:
    assert [part.head for part in next(sections(whole)).parts] == [
        *("my_rule: diagnosis", "What did not pass")
    ]
    by_anchor = {one.anchor: one for one in sections(replace(whole, exceptions=()))}
    assert [part.kind for part in by_anchor["notes"].parts] == ["text"]


def test_a_table_that_is_cut_says_what_it_leaves_out(whole: Run) -> None:
    laws = next(section for section in sections(whole) if section.anchor == "laws")
    assert [part.kind for part in laws.parts] == ["figure", "figure", "table"]
    assert laws.parts[-1].head.endswith(
        "6 prefixes of up to 2 tokens, 12 paths; 7 that differ by 0 or less are left out"
    )
