"""A rule from outside, checked by one call."""

from pathlib import Path

import pytest

from specdec_core.errors import InvalidParameterError
from specdec_core.rules import rule_named
from specdec_verification.conformance import check_rule, load_rule
from specdec_verification.faults import FAULTS
from specdec_verification.results import Verdict, worst

FAULT = next(fault for fault in FAULTS if fault.name == "recovered_from_target")


def test_a_right_rule_passes_every_check() -> None:
    results = check_rule(rule_named("block_verification"), instances=18, counted=3)
    assert [result.check for result in results].count("exact_law") == 18
    assert [result.check for result in results].count("exact_count") == 3
    assert worst([result.verdict for result in results]) is Verdict.PASSED


def test_a_lossy_rule_is_judged_by_its_own_law() -> None:
    results = check_rule(rule_named("lenience"), instances=18, counted=3)
    assert worst([result.verdict for result in results]) is Verdict.PASSED
    assert {result.labels.claim for result in results} == {"its own law"}
    assert any(
        "its own law lies" in result.detail and "lies 0 from" not in result.detail
        for result in results
    )


def test_a_slip_fails_and_every_result_says_how_to_run_it_again() -> None:
    results = check_rule(FAULT, instances=9, counted=0, reproduce="again")
    assert worst([result.verdict for result in results]) is Verdict.FAILED
    assert {result.labels.reproduce for result in results} == {"again"}


@pytest.mark.parametrize("name", ["TokenRejection", "RULE"])
def test_a_rule_is_loaded_as_a_value_or_a_class(name: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from specdec_core.rules.token_rejection import TokenRejection\nRULE = TokenRejection()\n"
    )
    assert load_rule(f"{tmp_path}/mine.py:{name}") == rule_named("token_rejection")


def test_what_is_no_rule_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("RULE = 7\n")
    with pytest.raises(InvalidParameterError, match="has no 'name', so it is no rule"):
        load_rule(f"{tmp_path}/mine.py:RULE")
