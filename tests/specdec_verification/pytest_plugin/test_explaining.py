"""What a failure is like, and the smallest instance that shows it."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.draws import Draws
from specdec_core.instances import Instance, loads
from specdec_core.rules import Verification, rule_named
from specdec_core.sampling import sample
from specdec_verification.faults import FAULTS
from specdec_verification.pytest_plugin import explaining, messages
from specdec_verification.pytest_plugin.auditing import Found, audit
from specdec_verification.pytest_plugin.explaining import diagnosis_of, explainable, smallest_of
from specdec_verification.pytest_plugin.recording import RunningTest
from specdec_verification.results import Verdict
from specdec_verification.subjects.cases import cases
from specdec_verification.subjects.rule_programs import draws_form

RULE = next(fault.rule for fault in FAULTS if fault.name == "recovered_from_target")


@pytest.fixture
def slipped(running: RunningTest) -> Found:
    """Return the failed audit of a planted slip."""
    return audit(draws_form(RULE), None, running)


def test_a_slip_is_named_and_shrunk_in_the_message(
    slipped: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "explainable", explaining.explainable)
    message = messages.message_of(slipped)
    diagnosis, _, smallest = message.partition("diagnosis")[2].partition("smallest")
    assert "behaves exactly like: a rejected token is replaced from the target" in diagnosis
    assert "(recovered_from_target, K09, seen in " in diagnosis
    lines = [line.strip() for line in smallest.splitlines()]
    assert (
        lines[0]
        == "assert_lossless(emit, specdec_core.instances.loads(TEXT)), V=2 gamma=1, TEXT is"
    )
    failing = loads("".join(lines[1:-4]))
    assert audit(slipped.subject, failing, RunningTest()).result.verdict is Verdict.FAILED
    assert [line.split() for line in lines[-4:-1]] == [
        ["tokens", "expected", "emitted"],
        ["0,0", "1/2", "3/4"],
        ["1,0", "1/2", "1/4"],
    ]


def test_on_an_instance_of_one_s_own_nothing_is_shrunk(
    running: RunningTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "explainable", explaining.explainable)
    own = next(case for case in cases() if case.name == "witness")
    found = audit(draws_form(RULE), own, running)
    message = messages.message_of(found)
    assert "on the one instance tried, behaves exactly like" in message
    assert "smallest" not in message
    monkeypatch.setattr(explaining, "MAX_PATHS", found.audited.paths - 1)
    assert diagnosis_of(found).startswith("not looked for past ")


def test_when_time_is_up_no_further_instance_is_run(
    slipped: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explaining, "SECONDS", 0)
    assert smallest_of(slipped) == ["no failure within 0 seconds"]
    assert "on all 1 instances tried; on 1 of them no more is known" in diagnosis_of(slipped)


def test_a_rule_is_explained_as_a_program_is(running: RunningTest) -> None:
    found = audit(RULE, None, running)
    assert explainable(found)
    assert "recovered_from_target" in diagnosis_of(found)
    assert "V=2 gamma=1" in smallest_of(found)[0]


def test_what_has_another_law_to_follow_is_not_explained(running: RunningTest) -> None:
    class Slipped(type(rule_named("lenience"))):  # type: ignore[misc]
        def verify(self, proposal: object, target: object, draws: Draws) -> Verification:
            return Verification((), 0)

    assert not explainable(audit(Slipped(), None, running))


@given(st.just(0))
def test_inside_a_property_nothing_is_explained(ignored: int) -> None:
    def step(instance: Instance, draws: Draws) -> list[int]:
        return [sample(instance.draft(()), draws.uniform())]

    assert not explainable(audit(step, next(iter(cases())), RunningTest()))


def test_what_cannot_be_followed_is_said(running: RunningTest) -> None:
    def step(instance: Instance) -> list[int]:
        if instance.vocab_size == 2 and math.sin(random.random()) > 0.5:
            return [0]
        return random.choices(range(instance.vocab_size), instance.draft(()))

    three = next(case for case in cases() if case.name == "draft_without_zeros")
    assert "float of a draw" in smallest_of(audit(step, three, running))[0]
