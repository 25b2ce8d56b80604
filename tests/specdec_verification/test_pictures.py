"""Pictures: of the results that are looked at, and of no others."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from specdec_core.instances import Instance
from specdec_verification import pictures
from specdec_verification.contract import two_level_tree
from specdec_verification.faults import FAULTS
from specdec_verification.outcomes.checking import CompletedOutcomes
from specdec_verification.pictures import looked_at, round_of, with_looks, with_outcomes, with_plan
from specdec_verification.plan import Plan, plan
from specdec_verification.profiles import QUICK
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict
from specdec_verification.statistics.sampled import Demand
from specdec_verification.subjects.sampling import Look
from specdec_verification.summaries import run_of

DEMAND = Demand(1e-9, 0.01, 0.05)
EMPTY = run_of([], "audit", "nothing")


@pytest.fixture
def result(labels: Labels) -> Callable[..., CheckResult]:
    def made(verdict: Verdict, size: int) -> CheckResult:
        return CheckResult("exact_law", labels, verdict, Evidence.EXACT_LAW, None, size, "")

    return made


def test_what_is_looked_at_is_no_pass_or_of_middling_size(
    result: Callable[..., CheckResult],
) -> None:
    passed = [result(Verdict.PASSED, size) for size in (9, 1, 4)]
    assert looked_at(passed).size == 4
    assert looked_at([*passed, result(Verdict.INCONCLUSIVE, 0)]).size == 0


def test_a_plan_shows_its_first_failures_and_the_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "MAX_LAWS", 2)
    fault = next(fault.rule for fault in FAULTS if fault.name == "tree_sibling_not_removed")
    tiny = replace(QUICK, random=6, draws=1000)
    whole = Plan(tiny, (fault,), plan(tiny, (fault,)))
    section = next(one for one in whole.sections if one.name == f"exact_law/{fault.name}/random")
    results = [section.run(number) for number in range(6)]
    failures = [one for one in results if one.verdict is Verdict.FAILED]
    assert len(failures) > 2
    run = with_plan(run_of(results, "tiny", "nothing"), whole, (two_level_tree,))
    assert [law.instance for law in run.laws] == [
        *(failures[0].labels.instance, failures[1].labels.instance, "two-level tree")
    ]
    assert (
        max(row.distance for row in run.laws[0].rows)
        > 0
        == max(row.distance for row in run.laws[2].rows)
    )
    assert len(run.trees) == 3
    unended = replace(failures[0], verdict=Verdict.INCONCLUSIVE)
    assert round_of(failures[0], whole)
    assert round_of(unended, whole) is None


def test_an_infinite_e_value_is_none_and_what_drew_nothing_has_no_curve(labels: Labels) -> None:
    looks = [Look(0, 0.0, 0.0, 1.0), Look(9, 0.5, float("inf"), 1.0)]
    (curve,) = with_looks(EMPTY, looks, 9.0, labels).evidence
    assert [(point.draws, point.log10_e) for point in curve.points] == [(9, None)]
    assert with_looks(EMPTY, looks[:1], 9.0, labels).evidence == ()


def test_outcomes_are_shown_with_what_so_many_are_sure_to_see(
    labels: Labels, biased: Instance
) -> None:
    outcomes = CompletedOutcomes({(0,): 30_000, (1,): 70_000}, biased.target, 1)
    run = with_outcomes(EMPTY, outcomes, DEMAND, labels)
    assert [(row.expected, row.observed) for row in run.laws[0].rows] == [
        *((Fraction(1, 4), 0.3), (Fraction(3, 4), 0.7))
    ]
    assert [curve.draws for curve in run.power] == [10_000, 100_000, 1_000_000]
    assert with_outcomes(EMPTY, replace(outcomes, counts=Counter()), DEMAND, labels) == EMPTY
