"""A rule from outside, checked by one call."""

from pathlib import Path
from typing import Any

import pytest

from specdec_core.errors import InvalidParameterError
from specdec_core.rules import rule_named
from specdec_grids.generated import shapes
from specdec_verification.conformance import check_rule, load_rule
from specdec_verification.faults import FAULTS
from specdec_verification.results import Verdict, worst

FAULT = next(fault.rule for fault in FAULTS if fault.name == "recovered_from_target")


def test_a_right_rule_passes_every_check() -> None:
    results = check_rule(rule_named("block_verification"), instances=18)
    assert [result.check for result in results].count("exact_law") == 18
    assert [result.check for result in results].count("exact_count") == 9
    assert worst([result.verdict for result in results]) is Verdict.PASSED


def test_a_lossy_rule_is_judged_by_its_own_law() -> None:
    results = check_rule(rule_named("lenience"), instances=18)
    assert worst([result.verdict for result in results]) is Verdict.PASSED
    assert {result.labels.claim for result in results} == {"its own law"}
    assert any(
        "its own law lies" in result.detail and "lies 0 from" not in result.detail
        for result in results
    )


def test_a_slip_fails_and_every_result_says_how_to_run_it_again() -> None:
    results = check_rule(FAULT, instances=9, reproduce="again")
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


def test_every_shape_is_checked_and_counted() -> None:
    rule = rule_named("relaxed_acceptance")
    results = check_rule(rule)
    assert len(results) >= 4 * len(shapes(rule))
    counted = {result.labels.parameters for result in results if result.check == "exact_count"}
    assert len(counted) == len(shapes(rule))


@pytest.mark.parametrize("value", [None, 7, type(FAULT)])
def test_what_is_no_rule_is_refused_by_the_call_too(value: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidParameterError, match="so it is no rule"):
        check_rule(value)


def test_a_class_that_wants_arguments_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("class Rule:\n    def __init__(self, size): ...\n")
    with pytest.raises(InvalidParameterError, match="cannot be made without arguments"):
        load_rule(f"{tmp_path}/mine.py:Rule")
