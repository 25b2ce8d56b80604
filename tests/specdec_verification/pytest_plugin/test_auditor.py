import random
import traceback

import pytest

from specdec_core.errors import OpaqueDrawError
from specdec_core.instances import Instance
from specdec_core.rules import rule_named
from specdec_verification.pytest_plugin import Auditor, assert_lossless
from specdec_verification.pytest_plugin.recording import RunningTest
from specdec_verification.results import Verdict

pytestmark = pytest.mark.usefixtures("outside_of_pytest")


def right(instance: Instance) -> list[int]:
    return random.choices(range(instance.vocab_size), instance.target(()))


def from_draft(instance: Instance) -> list[int]:
    return random.choices(range(instance.vocab_size), instance.draft(()))


def test_outside_of_a_test_it_works_as_well(biased: Instance) -> None:
    assert_lossless(right, biased)
    with pytest.raises(AssertionError, match=r"reproduce +assert_lossless\(from_draft\)"):
        assert_lossless(from_draft, biased)


def test_a_rule_can_be_asserted() -> None:
    assert_lossless(rule_named("token_rejection_bonus"))


def test_the_fixture_s_audits_are_its_test_s(running: RunningTest, biased: Instance) -> None:
    auditor = Auditor(running)
    auditor.assert_lossless(right, biased)
    assert auditor.audit(from_draft, biased).verdict is Verdict.FAILED
    with pytest.raises(AssertionError, match="from_draft is not lossless: TV 1/4 on given"):
        auditor.assert_lossless(from_draft, biased)
    assert [one.result.labels.subject for one in running.audits] == [
        "right",
        "from_draft",
        "from_draft",
    ]


def test_a_refusal_comes_without_the_engine_s_frames(biased: Instance) -> None:
    with pytest.raises(OpaqueDrawError) as refused:
        assert_lossless(lambda instance: [random.random()], biased)
    names = [frame.name for frame in traceback.extract_tb(refused.value.__traceback__)]
    assert names[1:] == ["assert_lossless", "_assert_lossless"]
