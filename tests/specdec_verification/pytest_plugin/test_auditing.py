import random
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

from specdec_core.draws import Draws
from specdec_core.errors import InvalidInstanceError, InvalidParameterError, OpaqueDrawError
from specdec_core.instances import Instance, dumps
from specdec_core.rules import rule_named
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.sampling import sample
from specdec_verification.conformance import check_rule
from specdec_verification.faults import FAULTS
from specdec_verification.pytest_plugin.auditing import audit, name_of
from specdec_verification.pytest_plugin.recording import RunningTest
from specdec_verification.pytest_plugin.settings import Settings
from specdec_verification.results import Evidence, Verdict
from specdec_verification.subjects.auditing import case_named


def right(instance: Instance, draws: Draws) -> list[int]:
    return [sample(instance.target(()), draws.uniform())]


def from_draft(instance: Instance, draws: Draws) -> list[int]:
    return [sample(instance.draft(()), draws.uniform())]


def fault(name: str) -> TokenRejection:
    return next(one.rule for one in FAULTS if one.name == name)  # type: ignore[return-value]


def test_without_an_instance_some_two_dozen_are_taken(running: RunningTest) -> None:
    found = audit(right, None, running)
    assert (found.result.verdict, found.audited.instances) == (Verdict.PASSED, 26)
    assert found.case is None
    assert running.audits == [found.audited]
    assert found.audited.seconds > 0


def test_a_given_instance_is_taken_alone(
    running: RunningTest, biased: Instance, tmp_path: Path
) -> None:
    file = tmp_path / "biased.json"
    file.write_text(dumps(biased), encoding="utf-8")
    for given in (biased, file, str(file), case_named("five_tokens")):
        found = audit(from_draft, given, running)
        assert found.result.verdict is Verdict.FAILED
        assert found.audited.instances == 1
    assert running.audits[0].result.total_variation == Fraction(1, 4)
    assert running.audits[2].result.labels.instance == str(file)


def test_an_instance_of_another_kind_is_an_error(running: RunningTest) -> None:
    with pytest.raises(InvalidParameterError, match="instance is 3, expected an Instance"):
        audit(right, 3, running)
    with pytest.raises(InvalidInstanceError, match="cannot be read"):
        audit(right, "nowhere.json", running)


def test_the_first_instance_that_fails_decides(running: RunningTest) -> None:
    found = audit(from_draft, None, running)
    assert found.result.verdict is Verdict.FAILED
    assert found.case is not None
    assert found.case.name == found.result.labels.instance
    assert found.audited.instances < 26


def test_what_cannot_be_followed_leaves_an_inconclusive_audit(running: RunningTest) -> None:
    with pytest.raises(OpaqueDrawError):
        audit(lambda instance: [random.random()], None, running)
    (audited,) = running.audits
    assert audited.result.verdict is Verdict.INCONCLUSIVE
    assert audited.result.labels.subject == "<lambda>"


def test_the_limits_are_the_test_s(biased: Instance) -> None:
    test = RunningTest("", Settings(max_paths=1))
    assert audit(right, biased, test).result.verdict is Verdict.INCONCLUSIVE
    slow = RunningTest("", Settings(max_seconds=1e-9))
    assert audit(own_library, biased, slow).result.verdict is Verdict.INCONCLUSIVE


def own_library(instance: Instance) -> list[int]:
    return random.choices([0, 1], instance.target(()))


def test_a_rule_is_checked_by_its_law_and_its_counts(running: RunningTest) -> None:
    rule = rule_named("token_rejection")
    found = audit(rule, None, running)
    assert found.result.verdict is Verdict.PASSED
    assert found.result.detail == "109 checks passed on 100 instances"
    laws = [one for one in check_rule(rule) if one.evidence is Evidence.EXACT_LAW]
    assert found.audited.paths == sum(one.size for one in laws)


def test_a_planted_fault_fails_where_its_instance_says(running: RunningTest) -> None:
    found = audit(fault("recovered_from_target"), None, running)
    assert found.result.verdict is Verdict.FAILED
    assert found.case is not None
    again = audit(found.subject, found.case, running)
    assert again.result.total_variation == found.result.total_variation
    assert again.result.detail == found.result.detail


@pytest.mark.parametrize("name", ["token_rejection", "lenience"])
def test_a_rule_on_one_instance(running: RunningTest, name: str, biased: Instance) -> None:
    parameters = {"gamma": 1, "lenience": Fraction(1, 2)}
    instance = Instance(biased.target, biased.drafts, parameters)
    found = audit(rule_named(name), instance, running)
    assert found.result.verdict is Verdict.PASSED


def test_what_is_no_subject_is_an_error(running: RunningTest) -> None:
    with pytest.raises(InvalidParameterError, match="subject is 3, expected a function of an"):
        audit(3, None, running)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameterError, match="subject is the class TokenRejection"):
        audit(TokenRejection, None, running)  # type: ignore[arg-type]
    limited = RunningTest("", Settings(max_paths=1))
    with pytest.raises(InvalidParameterError, match="limit functions, but token_rejection is a"):
        audit(rule_named("token_rejection"), None, limited)


def test_a_subject_is_called_as_in_its_own_file() -> None:
    assert name_of(right) == "right"
    assert name_of(rule_named("token_rejection")) == "token_rejection"
    assert name_of(partial(right)) == "partial"
