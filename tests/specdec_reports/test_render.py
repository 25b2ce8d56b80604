"""Text, Markdown and CSV: the same numbers in each."""

import csv
import io
import re
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_reports import render
from specdec_reports.render import LARGEST, LONG, markdown, text
from specdec_reports.tables import overview_frame, summary_frame
from specdec_verification.results import (
    CheckResult,
    DetectionRow,
    DiagnosisRow,
    EfficiencyRow,
    Naming,
    Run,
)

GOLDEN = """\
# specdec-verify: FAILED

`tiny`, version 0.1.0. The joint law of 1,501 generated instances was found exactly. \
Error budget: 2 checks at 5e-10 each.

## What did not pass

| verdict      | check     | subject         | detail                                            \
| reproduce        |
|:-------------|:----------|:----------------|:--------------------------------------------------\
|:-----------------|
| FAILED       | exact_law | token_rejection | a \\| b \\\\\\| c d           \
                        | specdec-verify 3 |
| INCONCLUSIVE | g_test    | token_rejection | only a total variation of 0.25 is sure to be seen \
| specdec-verify 4 |

## The contract's examples

| claim                      | verdict   | detail                                               |
|:---------------------------|:----------|:-----------------------------------------------------|
| single path: 2500 of 10000 | PASSED    | counted [2500, 7500] of 10000, expected [2500, 7500] |

## Instances that passed, by check

| subject         | claim    | exact_law      | g_test   |
|:----------------|:---------|:---------------|:---------|
| token_rejection | lossless | 1,499 of 1,500 | 0 of 1   |

## The checks on trial

| subject       | claim                     | verdict   | TV   \
| detail                                              |
|:--------------|:--------------------------|:----------|:-----\
|:----------------------------------------------------|
| accept_always | a planted fault is caught | PASSED    | 1/3  \
| caught by exact_law: first difference at prefix '0' |

## Checks by shape of instance

| check     | subject         | claim    | parameters   | evidence   |   instances |   passed \
|   failed |   inconclusive |   paths, points or draws |   largest TV |
|:----------|:----------------|:---------|:-------------|:-----------|------------:|---------:\
|---------:|---------------:|-------------------------:|-------------:|
| exact_law | token_rejection | lossless | V=2 gamma=1  | exact law  |       1,000 |      999 \
|        1 |              0 |                    5,000 |        0.111 |
| exact_law | token_rejection | lossless | V=3 gamma=1  | exact law  |         500 |      500 \
|        0 |              0 |                    9,000 |       0.0625 |
| g_test    | token_rejection | lossless | V=2 gamma=1  | sampled    |           1 |        0 \
|        0 |              1 |                    1,000 |       0.0123 |
"""


def rows_of(table: str, head: str) -> list[list[str]]:
    """Return the cells of the table below a heading, as a Markdown reader splits them."""
    section = table.partition(f"## {head}\n")[2].partition("\n## ")[0]
    return [_cells(line) for line in section.strip().split("\n")]


def _cells(line: str) -> list[str]:
    # A backslash escapes what follows it, so only a bar that none precedes ends a cell.
    return re.findall(r"((?:\\.|[^\\|])*)\|", line.removeprefix("|"))


def test_a_run_as_markdown(run: Run) -> None:
    assert markdown(run) == GOLDEN


def test_what_is_not_there_has_no_section(run: Run) -> None:
    passed = markdown(replace(run, exceptions=(), examples=(), trials=()))
    assert re.findall(r"^## (.*)$", passed, re.MULTILINE) == [
        "Instances that passed, by check",
        "Checks by shape of instance",
    ]


def test_a_run_of_nothing_is_a_report_too(empty: Run) -> None:
    assert markdown(empty).startswith("# specdec-verify: INCONCLUSIVE\n")
    assert render.csv(empty).count("\n") == 1
    assert isinstance(text(summary_frame(empty.summary)), str)


@pytest.mark.parametrize(
    "detail", ["a|b", "a\\|b", "a\\", "a\nb", "a\r\nb", "\n", "|", "\\", "a\u2028b", "a\x0bb", ""]
)
def test_no_detail_breaks_a_table(run: Run, failed: CheckResult, detail: str) -> None:
    table = rows_of(
        markdown(replace(run, exceptions=(replace(failed, detail=detail),))), "What did not pass"
    )
    assert [len(cells) for cells in table] == [5, 5, 5]
    assert table[2][4].strip() == "specdec-verify 3"


@given(detail=st.text(st.sampled_from("ab|\\\n\r\t `*[]<>&:-"), max_size=12))
def test_no_text_breaks_a_table(run: Run, failed: CheckResult, detail: str) -> None:
    table = rows_of(
        markdown(replace(run, exceptions=(replace(failed, detail=detail),))), "What did not pass"
    )
    assert [len(cells) for cells in table] == [5, 5, 5]
    unescaped = re.sub(r"\\(.)", r"\1", table[2][3]).split()
    assert unescaped == detail.split()


def test_what_was_measured_has_a_section(run: Run) -> None:
    row = EfficiencyRow(
        *("token_rejection", "lossless", "toy", 1),
        *(Fraction(2, 3), Fraction(2, 3), Fraction(123, 4567), Fraction(0)),
    )
    measured = replace(run, efficiencies=(row,))
    assert "| token_rejection | lossless | toy      |           1 | 2/3" in markdown(measured)


def test_who_sees_what_has_a_section(run: Run) -> None:
    facts = ("recovered_from_target", "K09", "ShopeeLLM/Spec-RL #14")
    rows = (
        DetectionRow(*facts, "exact law", Fraction(41, 256), 1.0, 80),
        DetectionRow(*facts, "sampled", Fraction(41, 256), 0.5, 100),
        DetectionRow("other", "K08", "specdec-verify", "exact law", Fraction(0), 0.0, 10**30),
    )
    measured = replace(run, detection=rows)
    table = rows_of(markdown(measured), "Which check sees which planted fault")
    filled = [[cell.strip() for cell in cells] for cells in table if cells]
    assert filled[0] == ["kind", "subject", "seen in", "TV", "exact law", "sampled"]
    assert filled[2:4] == [
        ["K08", "other", "specdec-verify", "0", "-", ""],
        ["K09", "recovered_from_target", "ShopeeLLM/Spec-RL #14", "41/256", "seen", "0.5"],
    ]
    assert filled[4] == ["check", "faults", "caught", "median", "max"]
    assert filled[6:] == [
        ["exact law", "2", "1", "5e+29", "1e+30"],
        ["sampled", "1", "0", "100", "100"],
    ]
    assert "planted fault" not in markdown(run).split("## The checks on trial")[0]


def test_what_is_diagnosed_is_counted_and_misses_are_named(run: Run) -> None:
    rows = (
        DiagnosisRow("bonus_from_draft", "K11", "numpy", Naming.ALONE, "bonus_from_draft"),
        DiagnosisRow("accept_always", "K08", "numpy", Naming.NONE, "the law of the first token"),
        DiagnosisRow("accept_always", "K08", "torch", Naming.ALONE, "accept_always"),
    )
    measured = replace(run, diagnoses=rows)
    table = rows_of(markdown(measured), "Which planted fault a diagnosis names")
    filled = [[cell.strip() for cell in cells] for cells in table if cells]
    assert filled[0] == ["draws from", "planted", *map(str, Naming)]
    assert filled[2:4] == [["numpy", "2", "1", "0", "1", "0"], ["torch", "1", "1", "0", "0", "0"]]
    assert filled[4] == ["draws from", "subject", "kind", "the fault is", "named"]
    assert filled[6:] == [
        ["numpy", "accept_always", "K08", "not named", "the law of the first token"]
    ]
    assert "diagnosis names" not in markdown(run)


def test_csv_reads_back_to_the_same_numbers(run: Run) -> None:
    records = list(csv.DictReader(io.StringIO(render.csv(run))))
    assert len(records) == len(run.summary)
    for record, row in zip(records, run.summary, strict=True):
        assert record["parameters"] == row.parameters
        assert record["evidence"] == row.evidence
        assert int(record["size"]) == row.size
        assert float(record["largest_tv"]) == row.largest_tv


def test_csv_quotes_what_would_break_a_line(run: Run) -> None:
    odd = replace(run.summary[0], parameters='a,"b"\nc')
    (record,) = csv.DictReader(io.StringIO(render.csv(replace(run, summary=(odd,)))))
    assert record["parameters"] == odd.parameters


def test_large_counts_are_written_whole(run: Run) -> None:
    huge = replace(run, summary=(replace(run.summary[0], size=10**30),))
    assert f",{10**30}," in render.csv(huge)
    assert f"{10**30:,}" in markdown(huge)


def test_huge_counts_add_up_exactly(run: Run) -> None:
    first, second, _ = run.summary
    huge = replace(run, summary=(replace(first, size=10**30), replace(second, size=1)))
    assert f"{10**30 + 1:,}" in text(overview_frame(huge.summary))


def test_text_is_one_line_a_row(run: Run) -> None:
    lines = text(summary_frame(run.summary)).splitlines()
    assert len(lines) == 4
    assert lines[0].split()[:4] == ["check", "subject", "claim", "parameters"]
    assert "9,000" in lines[2]


def test_a_long_table_is_folded_and_a_short_one_is_not(run: Run) -> None:
    text = markdown(replace(run, summary=run.summary[:1] * (LONG + 1)))
    assert text.count("<details>") == text.count("</details>") == 1
    assert f"<details><summary>{LONG + 1} rows</summary>\n\n| check" in text
    assert "<details>" not in markdown(run)


def test_no_run_makes_more_than_is_shown_and_what_comes_first_stays(
    run: Run, failed: CheckResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert LARGEST < 2**20
    monkeypatch.setattr(render, "LARGEST", 4000)
    long = replace(run, exceptions=(replace(failed, detail="γ" * 2000),))
    text = markdown(replace(long, summary=run.summary * 20))
    assert len(text.encode()) <= 4000
    assert text.startswith("# specdec-verify: FAILED\n")
    assert "single path: 2500 of 10000" in text
    assert text.count("it is in `results.json`") == 2


def test_no_detail_begins_a_tag(run: Run, failed: CheckResult) -> None:
    shown = markdown(replace(run, exceptions=(replace(failed, detail="</details>"),)))
    assert "\\</details>" in shown


def test_laws_trees_and_notes_stand_in_the_markdown(whole: Run) -> None:
    written = markdown(whole)
    assert "**my_rule: diagnosis**\n\nlike \\<nothing> & no one\n" in written
    assert "### my_rule on random/3, 12 paths; 7 prefixes left out\n" in written
    assert re.search(r"\| 1,0 +\| 0 +\| 1/4 +\| 1/4 +\|", written)
    assert re.search(r"\| root +\| 1 +\| 1 +\| 1/4 +\|", written)
    code = replace(whole.notes[0], text="def test():\n    assert 1\n")
    assert "```python\ndef test():" in markdown(replace(whole, notes=(code,)))
