from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.draws import Draws
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance
from specdec_core.sampling import sample
from specdec_verification.results import Labels, Verdict
from specdec_verification.subjects.auditing import (
    MAX_OPEN,
    audit_cases,
    audit_each,
    case_named,
)
from specdec_verification.subjects.cases import Case, cases
from specdec_verification.subjects.exact import DEFAULT, Execution


def right(instance: Instance, draws: Draws) -> list[int]:
    return [sample(instance.target(()), draws.uniform())]


def right_for_two(instance: Instance, draws: Draws) -> list[int]:
    return right(instance, draws) if instance.vocab_size == 2 else [0]


@pytest.fixture
def named(labels: Labels) -> Callable[[Case | None], Labels]:
    """Return labels that name the case."""

    def name(case: Case | None) -> Labels:
        called = "all" if case is None else case.name
        return Labels(labels.subject, labels.claim, called, "", labels.reproduce)

    return name


def test_all_that_pass_are_one_result(named: Any) -> None:  # noqa: ANN401
    found = audit_cases(right, cases(), named, DEFAULT)
    assert found.verdict is Verdict.PASSED
    assert found.labels.instance == "all"
    assert found.size > len(list(cases()))
    assert f"{len(list(cases()))} instances" in found.detail


def test_the_first_that_fails_is_the_result(named: Any) -> None:  # noqa: ANN401
    found = audit_cases(right_for_two, cases(), named, DEFAULT)
    assert found.verdict is Verdict.FAILED
    assert case_named(found.labels.instance).instance.vocab_size == 3


def test_too_little_evidence_is_the_result(named: Any) -> None:  # noqa: ANN401
    found = audit_cases(right, cases(), named, Execution(max_paths=1))
    assert found.verdict is Verdict.INCONCLUSIVE


def test_a_failure_after_a_case_without_a_verdict_is_the_result(named: Any) -> None:  # noqa: ANN401
    def wrong_for_three(instance: Instance, draws: Draws) -> list[int]:
        if instance.vocab_size == 2:
            return right(instance, draws) if draws.uniform() < Fraction(1, 2) else [0]
        return [0]

    two, three = (
        next(case for case in cases() if case.instance.vocab_size == size) for size in (2, 3)
    )
    once = Execution(max_paths=1)  # half the mass is missing, and [0] might come of it or not
    assert audit_cases(wrong_for_three, [two], named, once).verdict is Verdict.INCONCLUSIVE
    found = audit_cases(wrong_for_three, [two, three], named, once)
    assert (found.verdict, found.labels.instance) == (Verdict.FAILED, three.name)


def test_after_some_cases_without_a_verdict_no_other_is_tried(named: Any) -> None:  # noqa: ANN401
    each = list(audit_each(right, cases(), named, Execution(max_paths=1)))
    assert sum(result.verdict is Verdict.INCONCLUSIVE for result in each) == MAX_OPEN


def test_one_case_stands_for_itself(named: Any) -> None:  # noqa: ANN401
    case = case_named("draft_is_target")
    assert audit_cases(right, [case], named, DEFAULT).labels.instance == case.name


def test_an_unknown_case_is_an_error_that_lists_them() -> None:
    with pytest.raises(
        InvalidParameterError, match="no case 'other', expected one of draft_is_target"
    ):
        case_named("other")


def test_the_names_are_listed_in_order() -> None:
    with pytest.raises(InvalidParameterError) as unknown:
        case_named("other")
    names = str(unknown.value).partition("one of ")[2].split(", ")
    assert sorted(names) != names == sorted(names, key=lambda name: (name[:9], len(name), name))
