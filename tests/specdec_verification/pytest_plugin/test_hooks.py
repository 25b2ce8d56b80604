"""The plugin at work in runs of its own."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from specdec_verification.pytest_plugin.hooks import OPTION

pytest_plugins = "pytester"

Run = Callable[..., pytest.RunResult]
EXAMPLE = Path(__file__).parents[3] / "examples" / "pytest_plugin"

PASSING = """
    def test_right():
        assert_lossless(right)
"""
FAILING = """
    def test_draft(specdec):
        specdec.assert_lossless(from_draft)
"""


def test_a_right_subject_passes_and_stands_in_the_summary(run: Run) -> None:
    result = run(PASSING)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "*= specdec audits =*",
            "verdict *TV  instances  paths  seconds  test and subject",
            "PASSED * 26 *test_it.py::test_right right",
            "1 PASSED (--specdec-profile quick)",
        ]
    )


def test_a_wrong_subject_fails_with_what_one_can_act_on(run: Run) -> None:
    result = run(FAILING)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E * AssertionError: from_draft is not lossless: TV *",
            "E * verdict *FAILED (exact law, * paths, * s)",
            "E * instance *(V=* gamma=*)",
            "E * exact TV *",
            "E * what differs *first difference at prefix '*': expected *, got *",
            "E * top cells * tokens * expected * got * got - expected",
            "E * reproduce *python -m pytest test_it.py::test_draft --specdec-profile quick",
            "FAILED * test_it.py::test_draft from_draft",
            "1 FAILED (--specdec-profile quick)",
        ]
    )
    shown = [line for line in result.outlines if line.startswith((">", "test_it.py:"))]
    assert len(shown) == 2, "no frame but the test's own"


def test_a_subject_that_raises_fails_with_the_probability_of_it(run: Run) -> None:
    result = run("def test_it(specdec): specdec.assert_lossless(breaking)")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E * runs of probability 1/4 went wrong",
            "E * the likeliest, of probability 1/4, raised RuntimeError('out of pages') at *",
            "FAILED * - * test_it.py::test_it breaking",
        ]
    )
    result.stdout.no_fnmatch_line("*top cells*")


def test_too_little_evidence_is_no_pass(run: Run) -> None:
    result = run(
        """
        @pytest.mark.specdec_lossless(max_paths=1)
        def test_it(specdec):
            specdec.assert_lossless(right)
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E * right: INCONCLUSIVE is no pass*",
            "E * to decide it *raise max_paths or max_seconds in @pytest.mark.specdec_lossless(*)",
            "INCONCLUSIVE * - * 6 * test_it.py::test_it right",
            "1 INCONCLUSIVE *",
        ]
    )


def test_what_cannot_be_followed_fails_in_the_test_s_own_frame(run: Run) -> None:
    result = run("def test_it(): assert_lossless(lambda instance: [random.random()])")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *OpaqueDrawError: *", "INCONCLUSIVE * <lambda>"])
    shown = [line for line in result.outlines if line.startswith((">", "test_it.py:"))]
    assert len(shown) == 2


def test_an_audit_judges_and_does_not_fail(run: Run) -> None:
    result = run(
        """
        def test_it(specdec):
            found = specdec.audit(from_draft)
            assert found.verdict == "FAILED" and 0 < found.total_variation < 1
        """
    )
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["FAILED * test_it.py::test_it from_draft"])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("pass", "marked specdec_lossless, but nothing was audited"),
        ("specdec.audit(from_draft)", "*from_draft is FAILED: first difference at prefix*"),
        ("pytest.raises(AssertionError, assert_lossless, from_draft)", "*from_draft is FAILED*"),
    ],
)
def test_a_marked_test_is_held_to_its_claim(run: Run, body: str, message: str) -> None:
    result = run(f"@pytest.mark.specdec_lossless\ndef test_it(specdec): {body}")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([message])


def test_a_marked_test_may_be_expected_to_fail(run: Run) -> None:
    result = run(
        """
        @pytest.mark.xfail(raises=AssertionError, strict=True)
        @pytest.mark.specdec_lossless
        def test_it(specdec): specdec.assert_lossless(from_draft)
        """
    )
    result.assert_outcomes(xfailed=1)


def test_a_marker_of_the_module_holds_for_a_method_too(run: Run) -> None:
    result = run(
        """
        import unittest
        pytestmark = pytest.mark.specdec_lossless(max_paths=1)
        class TestIt(unittest.TestCase):
            @pytest.mark.specdec_lossless(max_paths=100)
            def test_closest(self): assert_lossless(right)
            def test_module(self): assert_lossless(right)
        """
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["INCONCLUSIVE *test_module right"])


def test_a_bad_marker_is_one_clear_error(run: Run) -> None:
    result = run(
        """
        @pytest.mark.specdec_lossless(max_path=1)
        def test_it(): pass
        def test_other(): pass
        """
    )
    result.assert_outcomes(errors=1, passed=1)
    message = "specdec_lossless: got 'max_path', expected keywords among profile, max_*"
    result.stdout.fnmatch_lines([message])
    assert sum("got 'max_path'" in line for line in result.outlines) == 2, (
        "once, and in the summary"
    )


def test_a_property_s_examples_are_one_line(run: Run) -> None:
    result = run(
        """
        from hypothesis import given, settings
        from specdec_verification.strategies import instances
        from specdec_core.rules import rule_named

        @settings(max_examples=7, derandomize=True, database=None, deadline=None)
        @given(instances(rule_named("token_rejection_bonus")))
        def test_it(instance): assert_lossless(right, instance)
        """
    )
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["PASSED * 7 * test_it.py::test_it right", "1 PASSED *"])


def test_the_profile_says_how_many_instances(run: Run) -> None:
    result = run(PASSING, OPTION, "full")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["PASSED * 188 *", "1 PASSED (--specdec-profile full)"])


def test_junit_carries_the_verdict(run: Run, pytester: pytest.Pytester) -> None:
    tests = PASSING + FAILING.replace("specdec.", "specdec.audit(right); specdec.")
    run(tests, "--junitxml=junit.xml")
    cases = ElementTree.parse(pytester.path / "junit.xml").getroot().iter("testcase")
    by_name = {
        case.get("name"): {one.get("name"): one.get("value") for one in case.iter("property")}
        for case in cases
    }
    assert by_name["test_right"] == {
        "specdec_subject": "right",
        "specdec_verdict": "PASSED",
        "specdec_total_variation": by_name["test_right"]["specdec_total_variation"],
        "specdec_evidence": "exact law",
        "specdec_instances": "26",
        "specdec_paths": by_name["test_right"]["specdec_paths"],
    }
    assert float(by_name["test_right"]["specdec_total_variation"] or "nan") < 1e-15
    assert by_name["test_draft"]["specdec_verdict"] == "PASSED"
    assert by_name["test_draft"]["specdec_verdict_2"] == "FAILED"
    assert float(by_name["test_draft"]["specdec_total_variation_2"] or "nan") > 0.01


def test_the_summary_is_whole_under_xdist(run_apart: Run, pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    tests = """
        @pytest.mark.parametrize("number", range(4))
        def test_right(specdec, number): specdec.assert_lossless(right)
        def test_draft(specdec): specdec.assert_lossless(from_draft)
        @pytest.mark.specdec_lossless(profile="slow")
        def test_marker(): pass
    """
    result = run_apart(tests, "-n", "2", "--junitxml=junit.xml")
    result.assert_outcomes(passed=4, failed=1, errors=1)
    rows = [
        line.split()[-2] for line in result.outlines if line.endswith((" right", " from_draft"))
    ]
    assert rows == ["test_it.py::test_draft", *(f"test_it.py::test_right[{n}]" for n in range(4))]
    result.stdout.fnmatch_lines(["4 PASSED, 1 FAILED (--specdec-profile quick)"])
    junit = (pytester.path / "junit.xml").read_text("utf-8")
    assert junit.count('name="specdec_verdict" value="PASSED"') == 4


def test_without_audits_there_is_no_summary(run: Run) -> None:
    result = run("def test_it(): pass")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*specdec audits*")


def test_the_plugin_can_be_left_out(run: Run) -> None:
    result = run(PASSING, "-p", "no:specdec")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*specdec audits*")


def test_help_and_markers_name_what_there_is(run: Run) -> None:
    run("", "--help").stdout.fnmatch_lines(["*--specdec-profile={quick,full}*"])
    run("", "--markers").stdout.fnmatch_lines(["@pytest.mark.specdec_lossless(profile=None, *"])


def test_the_example_passes_and_its_slip_fails(installed: None, pytester: pytest.Pytester) -> None:
    files = sorted(EXAMPLE.glob("*.py"))
    assert sum(len(file.read_text("utf-8").splitlines()) for file in files) < 40
    for file in files:
        shutil.copy(file, pytester.path)
    result = pytester.runpytest_inprocess("-W", "error", "--strict-markers")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "E * what differs *first difference at prefix '0': expected 0.666667, got 0.555556",
            "PASSED * test_sampler.py::test_step step",
            "FAILED * test_slip.py::test_step_with_slip step_with_slip",
        ]
    )


def test_the_plugin_starts_without_the_engine() -> None:
    script = (
        "import sys, pytest; old = set(sys.modules);"
        "import specdec_verification.pytest_plugin.hooks;"
        "print(*sorted({name.split('.')[0] for name in set(sys.modules) - old}))"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert set(ended.stdout.decode().split()) <= {
        "specdec_verification",
        "contextvars",
        "_contextvars",
    }
