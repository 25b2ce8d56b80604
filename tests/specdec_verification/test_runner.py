"""A whole run: what its results add up to, and what an interrupt leaves."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from importlib.metadata import version

import pytest

from specdec_verification import runner
from specdec_verification.plan import Section
from specdec_verification.results import CheckResult, Labels, Run, Verdict
from specdec_verification.runner import run_plan
from specdec_verification.statistics.error_budget import ErrorBudget

PASSED, FAILED, INCONCLUSIVE = Verdict
Told = list[tuple[str, Verdict]]


def sections_of(*results: CheckResult | type[BaseException]) -> tuple[Section, ...]:
    """Return a section for each result, which finds it or raises it."""

    def finding(result: CheckResult | type[BaseException]) -> Callable[[int, str], CheckResult]:
        def check(number: int, line: str) -> CheckResult:
            if isinstance(result, CheckResult):
                return result
            raise result

        return check

    return tuple(Section("tiny", str(i), 1, finding(result)) for i, result in enumerate(results))


def run(sections: Sequence[Section], told: Told | None = None) -> Run:
    def on_result(section: Section, result: CheckResult) -> None:
        if told is not None:
            told.append((section.name, result.verdict))

    return run_plan(sections, "tiny", ErrorBudget(checks=2), on_result)


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        ([PASSED, PASSED], PASSED),
        ([PASSED, FAILED, PASSED], FAILED),
        ([PASSED, INCONCLUSIVE], INCONCLUSIVE),
        ([INCONCLUSIVE, FAILED], FAILED),
        ([], INCONCLUSIVE),
    ],
)
def test_one_cell_decides_the_run(
    found: Callable[..., CheckResult], verdicts: list[Verdict], whole: Verdict
) -> None:
    told: Told = []
    ran = run(sections_of(*map(found, verdicts)), told)
    assert ran.verdict is whole
    assert told == [(str(i), verdict) for i, verdict in enumerate(verdicts)]
    assert [result.verdict for result in ran.exceptions] == [v for v in verdicts if v is not PASSED]


def test_a_run_says_what_it_was(found: Callable[..., CheckResult]) -> None:
    ran = run(sections_of(found()))
    assert (ran.version, ran.profile) == (version("specdec-verify"), "tiny")
    assert ran.budget == str(ErrorBudget(checks=2))


@pytest.mark.parametrize("check", ["contract", "faults", "lookalikes"])
@pytest.mark.parametrize("verdict", Verdict)
def test_examples_and_trials_stand_apart_and_count_for_the_verdict(
    found: Callable[..., CheckResult], check: str, verdict: Verdict
) -> None:
    apart = found(verdict, check=check)
    ran = run(sections_of(apart, found(check="exact_count")))
    assert ran.verdict is verdict
    assert [row.check for row in ran.summary] == ["exact_count"]
    assert (ran.examples or ran.trials) == (apart,)
    assert bool(ran.examples) is (check == "contract")
    assert ran.exceptions == (() if verdict is PASSED else (apart,))


def test_trials_stand_faults_first(found: Callable[..., CheckResult]) -> None:
    ran = run(sections_of(found(check="lookalikes"), found(check="faults")))
    assert [result.check for result in ran.trials] == ["faults", "lookalikes"]


def test_only_laws_that_were_found_are_counted_as_found(found: Callable[..., CheckResult]) -> None:
    ran = run(
        sections_of(
            found(),
            found(FAILED, total_variation=Fraction(1, 4)),
            found(INCONCLUSIVE, total_variation=None),
            found(check="exact_count"),
            found(check="faults"),
        )
    )
    assert ran.instances == 2


def test_results_are_summarised_by_shape(found: Callable[..., CheckResult], labels: Labels) -> None:
    other = replace(labels, parameters="V=3")
    ran = run(sections_of(found(), found(labels=other), found()))
    assert [(row.parameters, row.instances) for row in ran.summary] == [("V=2", 2), ("V=3", 1)]


def test_past_a_limit_failures_are_only_counted(
    found: Callable[..., CheckResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "MAX_EXCEPTIONS", 2)
    ran = run(sections_of(*[found(FAILED)] * 3))
    assert len(ran.exceptions) == 2
    assert ran.summary[0].failed == 3


@pytest.mark.parametrize(("before", "whole"), [(PASSED, INCONCLUSIVE), (FAILED, FAILED)])
def test_an_interrupt_keeps_what_was_found_and_never_passes(
    found: Callable[..., CheckResult], before: Verdict, whole: Verdict
) -> None:
    ran = run(sections_of(found(before), found(), KeyboardInterrupt, found()))
    assert ran.verdict is whole
    assert ran.summary[0].instances == ran.instances == 2


def test_an_interrupt_of_the_first_cell_leaves_an_empty_run() -> None:
    ran = run(sections_of(KeyboardInterrupt))
    assert ran.verdict is INCONCLUSIVE
    assert (ran.summary, ran.examples, ran.trials, ran.exceptions) == ((), (), (), ())


def test_an_interrupt_while_a_result_is_told_is_one_too(found: Callable[..., CheckResult]) -> None:
    def interrupted(section: Section, result: CheckResult) -> None:
        raise KeyboardInterrupt

    ran = run_plan(sections_of(found()), "tiny", ErrorBudget(checks=2), interrupted)
    assert ran.verdict is INCONCLUSIVE


def test_any_other_error_is_no_result(found: Callable[..., CheckResult]) -> None:
    with pytest.raises(ZeroDivisionError):
        run(sections_of(found(), ZeroDivisionError))
