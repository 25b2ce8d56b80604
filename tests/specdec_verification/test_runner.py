"""A whole run: what its results add up to, wherever they come from, and what an end leaves."""

import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from functools import partial
from importlib.metadata import version
from itertools import islice
from pathlib import Path

import pytest

from specdec_core.rules.token_rejection import TokenRejection
from specdec_verification import runner, tally
from specdec_verification.journal import Journal
from specdec_verification.plan import Plan, Section, plan
from specdec_verification.profiles import Profile
from specdec_verification.results import CheckResult, Labels, Run, Verdict
from specdec_verification.runner import run_plan
from specdec_verification.units import run_unit
from specdec_verification.workers import Workers, processes

RULES = (TokenRejection(),)
TINY = Profile(
    "tiny",
    random=7,
    pairs=((2, 2),),
    floating=2,
    decoded=1,
    counted=2,
    sampled=2,
    draws=20_000,
    measured=2,
    trials=3,
)
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

    return run_plan(plan_of(sections), on_result)


def plan_of(sections: Sequence[Section]) -> Plan:
    return Plan(TINY, RULES, tuple(sections))


def of_rules() -> Plan:
    """Return the sections of a plan that are about its rule, not about the checks on trial."""
    return plan_of([one for one in plan(TINY, RULES) if one.name.count("/") == 2])


def die(number: int, line: str) -> CheckResult:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def ignore(section: Section, result: CheckResult) -> None:
    pass


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
    assert ran.budget == str(plan_of(()).budget)


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
    monkeypatch.setattr(tally, "MAX_EXCEPTIONS", 2)
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

    ran = run_plan(plan_of(sections_of(found())), interrupted)
    assert ran.verdict is INCONCLUSIVE


def test_a_run_whose_workers_lose_a_cell_is_inconclusive(
    found: Callable[..., CheckResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "finish_units", lambda units, _: islice(map(run_unit, units), 1))
    ran = run_plan(
        plan_of(sections_of(found(), found())), lambda *_: None, workers=Workers(Executor, 1)
    )
    assert (ran.verdict, ran.instances) == (INCONCLUSIVE, 1)


def test_any_other_error_is_that_cell_s_result(found: Callable[..., CheckResult]) -> None:
    ran = run(sections_of(found(), ZeroDivisionError, found()))
    assert ran.verdict is INCONCLUSIVE
    assert [(row.instances, row.inconclusive) for row in ran.summary] == [(2, 0), (1, 1)]
    assert [one.detail[:24] for one in ran.exceptions] == ["raised ZeroDivisionError"]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_run_by_any_executor_is_the_same(count: int) -> None:
    alone = run_plan(of_rules(), ignore)
    threads = Workers(partial(ThreadPoolExecutor, count), count)
    assert run_plan(of_rules(), ignore, workers=threads) == alone
    assert alone.verdict is PASSED


def test_a_run_by_processes_is_the_same_but_for_the_cell_that_kills_them() -> None:
    whole = of_rules()
    poisoned = Section("tiny", "exact_law/poison/random", 1, die)
    ran = run_plan(
        plan_of([*whole.sections[:2], poisoned, *whole.sections[2:]]), ignore, workers=processes(2)
    )
    alone = run_plan(whole, ignore)
    assert ran.verdict is INCONCLUSIVE
    (lost,) = ran.exceptions
    assert "--only exact_law/poison/random/0" in lost.labels.reproduce
    others = tuple(row for row in ran.summary if row.subject != "poison")
    assert replace(ran, summary=others, exceptions=(), verdict=PASSED) == alone


def test_an_interrupt_of_a_run_by_workers_keeps_what_was_found(
    found: Callable[..., CheckResult],
) -> None:
    told: list[CheckResult] = []

    def interrupted(section: Section, result: CheckResult) -> None:
        told.append(result)
        if len(told) == 3:
            raise KeyboardInterrupt

    workers = Workers(partial(ThreadPoolExecutor, 2), 2)
    ran = run_plan(plan_of(sections_of(*[found()] * 40)), interrupted, workers=workers)
    assert ran.verdict is INCONCLUSIVE
    assert ran.summary[0].instances == 3


@pytest.mark.parametrize("stop", [1, 8, 20])
def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path, stop: int) -> None:
    def interrupted(section: Section, result: CheckResult) -> None:
        told.append(result)
        if len(told) == stop:
            raise KeyboardInterrupt

    told: list[CheckResult] = []
    whole, path = of_rules(), tmp_path / "journal"
    with Journal(path, whole) as journal:
        assert run_plan(whole, interrupted, journal=journal).verdict is INCONCLUSIVE
    with Journal(path, whole) as journal:
        assert run_plan(whole, ignore, journal=journal) == run_plan(whole, ignore)
        cells = [position for position, _ in journal.results()]
    assert len(set(cells)) == len(cells) == sum(section.size for section in whole.sections)


def test_a_finished_run_is_not_run_again(found: Callable[..., CheckResult], tmp_path: Path) -> None:
    done = plan_of(sections_of(found(), found(FAILED)))
    never = plan_of(sections_of(AssertionError, AssertionError))
    with Journal(tmp_path / "journal", done) as journal:
        ran = run_plan(done, ignore, journal=journal)
    with Journal(tmp_path / "journal", never) as journal:
        assert run_plan(never, ignore, journal=journal) == ran
