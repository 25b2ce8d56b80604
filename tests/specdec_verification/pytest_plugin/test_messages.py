import random

from specdec_core.draws import Draws
from specdec_core.instances import Instance
from specdec_core.rules import Verification, rule_named
from specdec_core.sampling import sample
from specdec_verification.faults import FAULTS
from specdec_verification.pytest_plugin.auditing import audit
from specdec_verification.pytest_plugin.messages import message_of
from specdec_verification.pytest_plugin.recording import RunningTest
from specdec_verification.pytest_plugin.settings import Settings


def right(instance: Instance, draws: Draws) -> list[int]:
    return [sample(instance.target(()), draws.uniform())]


def from_draft(instance: Instance, draws: Draws) -> list[int]:
    return [sample(instance.draft(()), draws.uniform())]


def test_a_failure_says_all_in_fractions(running: RunningTest, biased: Instance) -> None:
    lines = message_of(audit(from_draft, biased, running)).splitlines()
    assert lines[0] == "from_draft is not lossless: TV 1/4 on given"
    assert lines[1].startswith("verdict       FAILED (exact law, 2 paths, ")
    assert lines[2:] == [
        "instance      given (V=2 gamma=1)",
        "exact TV      1/4",
        "what differs  first difference at prefix '0': expected 1/4, got 1/2",
        "next token    at the start:",
        "              token  expected  draft  got",
        "                  0       1/4    1/2  1/2",
        "                  1       3/4    1/2  1/2",
        "top cells     tokens  expected  got  got - expected",
        "                   0       1/4  1/2            +1/4",
        "                   1       3/4  1/2            -1/4",
        "reproduce     python -m pytest test_sampler.py::test_step --specdec-profile quick",
    ]


def test_a_function_on_floats_has_the_same_cells(running: RunningTest, biased: Instance) -> None:
    found = audit(lambda one: random.choices([0, 1], one.draft(())), biased, running)
    lines = message_of(found).splitlines()
    # Two tokens are emitted at most, and the second is the target's own.
    assert [line.split()[-4:] for line in lines[-4:-1]] == [
        ["1,0", "3/4", "1/2", "-1/4"],
        ["0,0", "1/8", "1/4", "+1/8"],
        ["0,1", "1/8", "1/4", "+1/8"],
    ]


def test_a_rule_has_its_cells_too(running: RunningTest) -> None:
    found = audit(next(one.rule for one in FAULTS if one.name == "bonus_from_draft"), None, running)
    lines = message_of(found).splitlines()
    assert lines[0].startswith("bonus_from_draft is not lossless: TV ")
    assert any(line.startswith("top cells") for line in lines)


def test_a_lossy_rule_is_held_to_its_own_law(running: RunningTest) -> None:
    class Slipped(type(rule_named("lenience"))):  # type: ignore[misc]
        def verify(self, proposal: object, target: object, draws: Draws) -> Verification:
            return Verification((), 0)

    found = audit(Slipped(), None, running)
    assert message_of(found).startswith("lenience does not follow its own law: TV ")


def test_too_little_evidence_says_what_to_raise(running: RunningTest, biased: Instance) -> None:
    limited = RunningTest(running.nodeid, Settings(max_paths=1))
    message = message_of(audit(right, biased, limited))
    assert message.startswith("right: INCONCLUSIVE is no pass: ")
    assert "raise max_paths or max_seconds in @pytest.mark.specdec_lossless(...)" in message
    assert "top cells" not in message
