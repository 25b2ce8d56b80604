"""Counts of a right sampler pass in every format, and those of a slipped one fail."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path

import numpy as np

from specdec_core.distributions import Row
from specdec_core.instances import Instance
from specdec_core.models import ConstantModel, TableModel
from specdec_core.rules import rule_named
from specdec_grids.populations import sample_counts
from specdec_grids.programs import Program, round_program
from specdec_verification.dyadic_instances import dyadic_instance
from specdec_verification.faults import FAULTS
from specdec_verification.outcomes.checking import check_outcomes, complete_counts
from specdec_verification.results import Evidence, Labels, Verdict
from specdec_verification.statistics.sampled import Demand

Write = Callable[[Path, Instance, Mapping[tuple[int, ...], int]], Path]
RULE = rule_named("token_rejection_bonus")
INSTANCE = dyadic_instance(RULE, 4)
DEMAND = Demand(false_fail_rate=1e-9, false_pass_rate=0.01, max_tv=0.1)
(FAULT,) = [fault.rule for fault in FAULTS if fault.name == "recovered_from_target"]


def drawn(program: Program, size: int) -> dict[tuple[int, ...], int]:
    found = sample_counts(lambda draws: program(draws).tokens, size, np.random.default_rng(5))
    return dict(found.counts)


def test_a_right_sampler_passes_and_a_slipped_one_fails(
    write: Write, tmp_path: Path, labels: Labels
) -> None:
    verdicts = []
    for rule in (RULE, FAULT):
        path = write(tmp_path, INSTANCE, drawn(round_program(rule, INSTANCE), 20_000))
        rng = np.random.default_rng(1)
        verdicts.append(check_outcomes(path, rng, demand=DEMAND, labels=labels).verdict)
    assert verdicts == [Verdict.PASSED, Verdict.FAILED]


def test_too_few_outcomes_are_inconclusive(write: Write, tmp_path: Path, labels: Labels) -> None:
    path = write(tmp_path, INSTANCE, drawn(round_program(RULE, INSTANCE), 50))
    found = check_outcomes(path, np.random.default_rng(1), demand=DEMAND, labels=labels)
    assert (found.verdict, found.evidence) == (Verdict.INCONCLUSIVE, Evidence.SAMPLED)
    assert found.size == 50


def test_one_outcome_that_the_target_rules_out_fails(tmp_path: Path, labels: Labels) -> None:
    half, certain = Row([Fraction(1, 2), Fraction(1, 2)]), Row([Fraction(1), Fraction(0)])
    target = TableModel({(): certain, (0,): half}, "target")
    instance = Instance(target, (ConstantModel(half),), {"gamma": 1})
    path = tmp_path / "counts.csv"
    path.write_text("tokens,count\n0 1,500000\n0 0,500000\n1,1\n")
    found = check_outcomes(
        path, np.random.default_rng(1), demand=DEMAND, labels=labels, instance=instance
    )
    assert found.verdict is Verdict.FAILED
    assert "got (1, 0) 1 times, and the law rules it out" in found.detail


def test_many_sequences_are_judged_prefix_by_prefix(tmp_path: Path, labels: Labels) -> None:
    """Seventeen tokens, three positions: 4913 sequences."""
    even = ConstantModel(Row([Fraction(1, 17)] * 17))
    instance = Instance(even, (even,), {"gamma": 2})
    rng = np.random.default_rng(2)
    tokens = rng.integers(17, size=(20_000, 3))
    verdicts = []
    for slip in (0, 1):
        tokens[:, 2] = np.where(rng.random(20_000) < 0.1 * slip, 3, tokens[:, 2])
        path = tmp_path / "outcomes.npz"
        np.savez(path, tokens=tokens)
        found = check_outcomes(path, rng, demand=DEMAND, labels=labels, instance=instance)
        verdicts.append((found.check, found.verdict))
    assert verdicts == [
        ("prefix_e_process", Verdict.INCONCLUSIVE),
        ("prefix_e_process", Verdict.FAILED),
    ]


def test_completing_keeps_every_draw_and_the_whole_ones_as_they_are() -> None:
    counts = {(0,): 1000, (1, 2): 7, (0, 1, 1): 3}
    whole = complete_counts(counts, INSTANCE.target, 3, np.random.default_rng(1))
    assert sum(whole.values()) == 1010
    assert {len(outcome) for outcome in whole} == {3}
    assert sum(count for outcome, count in whole.items() if outcome[0] == 0) == 1003


def test_a_missing_row_is_an_outcome_of_probability_zero() -> None:
    certain = TableModel({(): Row([Fraction(1), Fraction(0)])}, "target")
    assert complete_counts({(1,): 5}, certain, 3, np.random.default_rng(1)) == {(1, 0, 0): 5}
