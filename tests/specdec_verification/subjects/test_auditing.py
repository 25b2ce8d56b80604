from collections.abc import Callable
from typing import Any

import pytest

from specdec_core.draws import Draws
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance
from specdec_core.sampling import sample
from specdec_verification.results import Labels, Verdict
from specdec_verification.subjects.auditing import audit_cases, case_named
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
