from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from specdec_verification.pytest_plugin.recording import (
    Audited,
    RunningTest,
    lines_of,
    properties_of,
    shown_distance,
)
from specdec_verification.pytest_plugin.settings import Settings
from specdec_verification.results import CheckResult, Labels, Verdict

Found = Callable[..., CheckResult]


def test_nothing_audited_has_no_line(running: RunningTest) -> None:
    assert lines_of(running) == []
    assert properties_of([]) == []


def test_audits_of_one_subject_add_up_and_the_worst_decides(
    running: RunningTest, found: Found
) -> None:
    ninth, third = Fraction(1, 9), Fraction(1, 3)
    running.audits += [
        Audited(found(Verdict.PASSED, total_variation=Fraction(1, 2)), 25, 100, 0.5),
        Audited(found(Verdict.FAILED, total_variation=ninth), 1, 10, 0.25),
        Audited(found(Verdict.FAILED, total_variation=third), 1, 10, 0.25),
        Audited(found(Verdict.INCONCLUSIVE, total_variation=None), 1, 7, 1.0),
    ]
    (line,) = lines_of(running)
    assert (line.verdict, line.total_variation) == ("FAILED", "1/3")
    assert (line.instances, line.paths, line.seconds) == (28, 127, 2.0)
    assert line.test == running.nodeid


def test_where_no_distance_is_known_none_is_shown(running: RunningTest, found: Found) -> None:
    running.audits.append(Audited(found(Verdict.FAILED, total_variation=None), 1, 1, 0.0))
    assert lines_of(running)[0].total_variation == ""


def test_every_subject_has_its_own_line_and_properties(
    running: RunningTest, found: Found, labels: Labels
) -> None:
    other = found(Verdict.FAILED, labels=replace(labels, subject="other"))
    running.audits += [Audited(found(), 1, 1, 0.0), Audited(other, 1, 1, 0.0)]
    lines = lines_of(running)
    assert [line.subject for line in lines] == ["subject", "other"]
    properties = dict(properties_of(lines))
    assert properties["specdec_verdict"] == "PASSED"
    assert properties["specdec_verdict_2"] == "FAILED"
    assert len(properties) == 12


def test_the_line_that_reproduces_can_be_pasted() -> None:
    test = RunningTest("test_it.py::test_it[a b]", Settings("full"))
    expected = "python -m pytest 'test_it.py::test_it[a b]' --specdec-profile full"
    assert test.reproduce("step") == expected
    assert RunningTest().reproduce("step") == "assert_lossless(step)"


def test_a_fraction_is_shown_whole_and_a_float_is_rounded() -> None:
    assert shown_distance(Fraction(1, 9)) == "1/9"
    assert shown_distance(1 / 9) == "0.111111"
    assert shown_distance(0) == "0"
