"""JUnit: every row a case, what did not pass with its details, whatever stands in them."""

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from specdec_reports.junit import junit
from specdec_verification.results import Run


def cases(run: Run) -> Iterator[ET.Element]:
    return ET.fromstring(junit(run)).iter("testcase")


def test_every_row_is_a_case_and_so_is_every_example_and_trial(whole: Run) -> None:
    assert [case.get("name") for case in cases(whole)] == [
        "token_rejection lossless V=2 gamma=1",
        "token_rejection lossless V=3 gamma=1",
        "token_rejection lossless V=2 gamma=1",
        "token_rejection single path: 2500 of 10000",
        "accept_always a planted fault is caught",
        "accept_always a planted fault is caught",
    ]


def test_what_did_not_pass_says_why_and_how_to_run_it_again(run: Run) -> None:
    failed, passed, open_, *rest = cases(run)
    failure, error = failed.find("failure"), open_.find("error")
    assert failure is not None
    assert failure.get("message") == "FAILED: 999 of 1000 passed, 1 failed"
    assert "FAILED random/3: a | b" in (failure.text or "")
    assert "    specdec-verify 3" in (failure.text or "").splitlines()
    assert error is not None
    assert error.get("type") == "INCONCLUSIVE"
    assert [len(case) for case in (passed, *rest)] == [0, 0, 0]


def test_the_counts_are_those_of_the_cases(whole: Run, empty: Run) -> None:
    (suite,) = ET.fromstring(junit(whole))
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "6", "failures": "1", "errors": "1", "skipped": "0"}
    assert list(cases(empty)) == []
