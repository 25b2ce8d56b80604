"""What there is to look at of a run: laws beside those claimed, trees, evidence and power.

They are of the results that a reader looks at: the first that are no pass, the contract's examples,
and the one instance or sampler that a command was asked about.  No verdict hangs on them.

Not here: how they are drawn (`specdec_reports`).
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance
from specdec_core.models import Context
from specdec_core.rules import Rule
from specdec_verification.cells import cell
from specdec_verification.contract import Example
from specdec_verification.law_tables import law_table, rule_table, sampled_table
from specdec_verification.outcomes.checking import CompletedOutcomes
from specdec_verification.plan import Plan, RuleCells
from specdec_verification.results import (
    CheckResult,
    EvidenceCurve,
    EvidencePoint,
    Labels,
    Run,
    Verdict,
)
from specdec_verification.statistics.completed_draws import MAX_SEQUENCES, joint_law
from specdec_verification.statistics.e_process import detectable_tv
from specdec_verification.statistics.power_curves import g_test_curves, power_curves
from specdec_verification.statistics.sampled import Demand
from specdec_verification.subjects.adapters import Program, followed_on
from specdec_verification.subjects.exact import Execution
from specdec_verification.subjects.samplers import Judged, share_of
from specdec_verification.subjects.sampling import Look, SampledSubject
from specdec_verification.subjects.verdicts import laws_of
from specdec_verification.tree_tables import tree_table

MAX_LAWS = 8
"""Failures of a run whose laws are shown."""


def looked_at(results: Sequence[CheckResult]) -> CheckResult:
    """Return the first result that is no pass, or else one of middling size; there is one."""
    unpassed = [result for result in results if result.verdict is not Verdict.PASSED]
    by_size = sorted(results, key=lambda result: result.size)
    return (unpassed or by_size[len(by_size) // 2 :])[0]


def with_round(run: Run, rule: Rule[Any], instance: Instance, labels: Labels) -> Run:
    """Return a run with the law and the tree of one round added."""
    return replace(
        run,
        laws=(*run.laws, rule_table(rule, instance, labels)),
        trees=(*run.trees, tree_table(rule, instance, labels)),
    )


def with_plan(run: Run, plan: Plan, examples: Iterable[Callable[[], Example]]) -> Run:
    """Return a run of a plan with its first failures, the examples, and what `G` sees."""
    rounds = (round_of(result, plan) for result in run.exceptions)
    for number, (rule, instance, labels) in enumerate(filter(None, rounds)):
        if number < MAX_LAWS:
            run = with_round(run, rule, instance, labels)
    for make in examples:
        example = make()
        labels = Labels(example.rule.name, example.name, example.name.partition(":")[0], "", "")
        run = with_round(run, example.rule, example.instance, labels)
    return replace(run, power=g_test_curves(plan.profile.draws, plan.budget.per_check, "G-test"))


def round_of(result: CheckResult, plan: Plan) -> tuple[Rule[Any], Instance, Labels] | None:
    """Return the rule and the instance of a plan's failure; ``None`` if it is not of a rule."""
    labels = result.labels
    if result.verdict is not Verdict.FAILED:  # what did not end would not end here either
        return None
    try:
        section, number = cell(f"{result.check}/{labels.subject}/{labels.instance}", plan.sections)
    except InvalidParameterError:  # a check on trial, or one that did not end
        return None
    if not isinstance(section.check, RuleCells):
        return None
    return section.check.rule, section.check.instances[number], labels


def with_program(
    run: Run, program: Program, instance: Instance, labels: Labels, execution: Execution
) -> Run:
    """Return a run with the law of a program on an instance added."""
    _, found, claim = followed_on(program, instance, execution)
    laws = laws_of(found, claim)
    table = law_table(laws.got, laws.expected, f"{found.paths:,} paths", labels)
    return replace(run, laws=(*run.laws, table))


def with_sampler(
    run: Run, subject: SampledSubject, judged: Judged, looks: Sequence[Look], demand: Demand
) -> Run:
    """Return a run with the frequencies, the evidence and the power of a sampler added.

    Parameters
    ----------
    run : Run
    subject : SampledSubject
    judged : Judged
        What `judged_sampler` returned.
    looks : sequence of Look
        All that there were.
    demand : Demand
        Of all checks together.
    """
    part, draws = share_of(demand), max((look.draws for look in looks), default=0)
    run = with_looks(run, looks, judged.counts.rejects_from(part), subject.labels)
    if not draws:
        return run
    counts = judged.counts
    return replace(
        run,
        laws=(*run.laws, sampled_table(counts.by_sequence(), subject.target, subject.labels)),
        power=power_curves(counts.detectable(), draws, part, subject.labels),
    )


def with_ledger(
    run: Run,
    subject: SampledSubject,
    counts: Mapping[Context, int],
    looks: Sequence[Look],
    demand: Demand,
) -> Run:
    """Return a run with the frequencies in a ledger added, and the evidence at each look."""
    run = with_looks(run, looks, -math.log10(demand.false_fail_rate), subject.labels)
    completed = CompletedOutcomes(counts, subject.target, subject.horizon)
    return with_outcomes(run, completed, demand, subject.labels)


def with_outcomes(run: Run, completed: CompletedOutcomes, demand: Demand, labels: Labels) -> Run:
    """Return a run with the frequencies of outcomes added, and with what so many are sure to see.

    Without an outcome there is nothing to show, and sequences too many to number have no curve.
    """
    counts, draws = completed.counts, sum(completed.counts.values())
    if not draws:
        return run
    run = replace(run, laws=(*run.laws, sampled_table(counts, completed.target, labels)))
    if completed.sequences > MAX_SEQUENCES:
        return run
    law = joint_law(completed.target, completed.length)
    detectable = partial(detectable_tv, np.array([float(prob) for prob in law.values() if prob]))
    return replace(run, power=power_curves(detectable, draws, demand, labels))


def with_looks(run: Run, looks: Sequence[Look], rejects_from: float, labels: Labels) -> Run:
    """Return a run with the evidence of a sampled check added, look by look."""
    points = tuple(
        EvidencePoint(
            draws=look.draws,
            log10_e=look.log10_e if look.log10_e < float("inf") else None,
            total_variation=look.total_variation,
            min_detectable_tv=look.min_detectable_tv,
        )
        for look in looks
        if look.draws
    )
    curve = EvidenceCurve(labels.subject, labels.claim, labels.instance, rejects_from, points)
    return replace(run, evidence=(*run.evidence, curve)) if points else run
