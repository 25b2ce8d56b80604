"""What a run checks: sections of numbered cells, made one at a time.

A plan is lazy.  Its length is known before anything is built, a cell is made from the section's
name and its number in it, and the name of a cell, such as ``exact_law/token_rejection/random/37``,
is enough to run it alone (see `cells`).  A section is a value that another process can be sent: it
holds no function that was made on the way.  Where two profiles have a section of one name, its
cells in the smaller are the first of those in the larger.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from specdec_core.instances import Instance
from specdec_core.rules import RULES, Rule
from specdec_grids.generated import FloatingInstances, PairInstances, RandomInstances, shapes
from specdec_grids.populations import sample_counts
from specdec_grids.programs import claimed_joint, completed_round
from specdec_verification.contract import EXAMPLES, check_example
from specdec_verification.decode_law import (
    check_decode_law,
    check_looped_rule,
    check_merged_decode_law,
)
from specdec_verification.exact_count import check_exact_count
from specdec_verification.exact_law import check_exact_law
from specdec_verification.faults import FAULTS, LOOKALIKES
from specdec_verification.faults.loop_catalogue import PLANTED
from specdec_verification.faults.loop_lookalikes import LOOP_LOOKALIKES
from specdec_verification.profiles import Profile
from specdec_verification.results import CheckResult, Labels
from specdec_verification.statistics.chi_square import check_chi_square, check_g_test
from specdec_verification.statistics.e_process import check_e_process
from specdec_verification.statistics.error_budget import ErrorBudget
from specdec_verification.statistics.sampled import Demand
from specdec_verification.trials import (
    check_caught,
    check_loop_caught,
    check_loop_spared,
    check_spared,
)
from specdec_verification.witnesses import witness_of

Checks = Callable[[int, str], CheckResult]
"""From the number of a cell and the line that reproduces it to what its check finds."""


DECODE_CHECKS: tuple[tuple[str, Checks], ...] = (
    ("random", check_decode_law),
    ("merged", check_merged_decode_law),
    ("rules", check_looped_rule),
)
"""Of decode loops, by the name of their instances."""

SAMPLED_CHECKS: tuple[tuple[str, Callable[..., CheckResult]], ...] = (
    ("e_process", check_e_process),
    ("g_test", check_g_test),
    ("chi_square", check_chi_square),
)
"""Of outcomes, each with draws of its own."""

MAX_TV = 0.05
"""What a sampled check must be able to see; the exact checks beside it see everything."""

FALSE_PASS_RATE = 0.01
"""Of a sampled check, at `MAX_TV`."""


@dataclass(frozen=True, slots=True)
class Section:
    """Cells of one kind: whose profile, a name, how many, and how to make one."""

    profile: str
    name: str
    size: int
    check: Checks

    def run(self, number: int) -> CheckResult:
        """Run one cell."""
        return self.check(number, self.line(number))

    def line(self, number: int) -> str:
        """Return the line that reproduces a cell."""
        return f"specdec-verify verify --profile {self.profile} --only {self.name}/{number}"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run checks, and what that was made of."""

    profile: Profile
    rules: tuple[Rule[Any], ...]
    sections: tuple[Section, ...]

    @property
    def size(self) -> int:
        """How many cells there are."""
        return sum(section.size for section in self.sections)

    @property
    def budget(self) -> ErrorBudget:
        """How the statistical checks share the run's false-fail rate."""
        return budget_of(self.profile, self.rules)


def plan(profile: Profile, rules: Sequence[Rule[Any]] = RULES) -> tuple[Section, ...]:
    """Return the sections of a profile, in the order in which they are run."""
    budget = budget_of(profile, rules)
    return (
        Section(profile.name, "contract", len(EXAMPLES), _example),
        *(section for rule in rules for section in _law_sections(profile, rule)),
        *(
            Section(profile.name, f"exact_law/decode/{family}", profile.decoded, check)
            for family, check in DECODE_CHECKS
        ),
        *(_count_section(profile, rule) for rule in rules),
        *(section for rule in rules for section in _sample_sections(profile, rule, budget)),
        *_trial_sections(profile),
    )


def budget_of(profile: Profile, rules: Sequence[Rule[Any]] = RULES) -> ErrorBudget:
    """Return how a run's statistical checks share its false-fail rate: three a sampled instance."""
    return ErrorBudget(checks=len(SAMPLED_CHECKS) * profile.sampled * len(rules))


def _law_sections(profile: Profile, rule: Rule[Any]) -> Iterator[Section]:
    families: list[tuple[str, Sequence[Instance]]] = [
        ("random", RandomInstances(rule, profile.random)),
        ("floating", FloatingInstances(RandomInstances(rule, profile.floating))),
        *(
            (f"pairs_{vocab_size}_{denominator}", PairInstances(rule, vocab_size, denominator))
            for vocab_size, denominator in profile.pairs
        ),
    ]
    for family, instances in families:
        name = f"exact_law/{rule.name}/{family}"
        yield _section(profile, name, rule, instances, check_exact_law)


def _count_section(profile: Profile, rule: Rule[Any]) -> Section:
    instances = RandomInstances(rule, max(profile.counted, len(shapes(rule))))
    name = f"exact_count/{rule.name}/random"
    return _section(profile, name, rule, instances, check_exact_count)


def _section(
    profile: Profile,
    name: str,
    rule: Rule[Any],
    instances: Sequence[Instance],
    run_check: Callable[[Rule[Any], Instance, Labels], CheckResult],
) -> Section:
    cells = RuleCells(rule, instances, run_check, name.rpartition("/")[2])
    return Section(profile.name, name, len(instances), cells)


@dataclass(frozen=True, slots=True)
class RuleCells:
    """What runs one check of a rule on numbered instances: a value, so another process can too."""

    rule: Rule[Any]
    instances: Sequence[Instance]
    run_check: Callable[[Rule[Any], Instance, Labels], CheckResult]
    family: str

    def __call__(self, number: int, line: str) -> CheckResult:
        """Run the check on one instance; the line is what reproduces it."""
        instance = self.instances[number]
        claim = "lossless" if self.rule.lossless else "its own law"
        name = f"{self.family}/{number}"
        labels = Labels(self.rule.name, claim, name, instance.label, line)
        return self.run_check(self.rule, instance, labels)


def _sample_sections(profile: Profile, rule: Rule[Any], budget: ErrorBudget) -> Iterator[Section]:
    demand = Demand(budget.per_check, FALSE_PASS_RATE, MAX_TV)
    instances = RandomInstances(rule, profile.sampled)
    for check_name, check in SAMPLED_CHECKS:
        name = f"{check_name}/{rule.name}/random"
        sampled = _SampledCheck(check, name, profile.draws, demand)
        yield _section(profile, name, rule, instances, sampled)


@dataclass(frozen=True, slots=True)
class _SampledCheck:
    """A check of outcomes that are drawn for it."""

    check: Callable[..., CheckResult]
    name: str
    draws: int
    demand: Demand

    def __call__(self, rule: Rule[Any], instance: Instance, labels: Labels) -> CheckResult:
        rng = _rng(f"{self.name}/{labels.instance}")
        counts = sample_counts(completed_round(rule, instance), self.draws, rng).counts
        return self.check(
            counts, claimed_joint(rule, instance).probs, demand=self.demand, labels=labels
        )


def _rng(key: str) -> np.random.Generator:
    """Return a generator of the cell's own, so that running it alone gives the same draws."""
    return np.random.default_rng(list(hashlib.sha256(key.encode()).digest()))


def _trial_sections(profile: Profile) -> Iterator[Section]:
    trials: tuple[tuple[str, int, Checks], ...] = (
        ("faults", len(FAULTS), _caught),
        ("lookalikes", len(LOOKALIKES), partial(_spared, profile.trials)),
        ("loop_faults", len(PLANTED), _loop_caught),
        ("loop_lookalikes", len(LOOP_LOOKALIKES), _loop_spared),
    )
    return (Section(profile.name, *trial) for trial in trials)


def _example(number: int, line: str) -> CheckResult:
    return check_example(EXAMPLES[number](), line)


def _caught(number: int, line: str) -> CheckResult:
    return check_caught(FAULTS[number], witness_of(FAULTS[number]), line)


def _spared(trials: int, number: int, line: str) -> CheckResult:
    return check_spared(LOOKALIKES[number], trials, line)


def _loop_caught(number: int, line: str) -> CheckResult:
    return check_loop_caught(PLANTED[number], line)


def _loop_spared(number: int, line: str) -> CheckResult:
    return check_loop_spared(LOOP_LOOKALIKES[number], line)
