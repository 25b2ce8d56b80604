"""What a run checks: sections of numbered cells, made one at a time.

A plan is lazy.  Its length is known before anything is built, a cell is made from the section's
name and its number in it, and the name of a cell, such as ``exact_law/token_rejection/random/137``,
is enough to run it alone.  A larger profile checks more cells of the same sections: those of the
smaller are the first among them.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance
from specdec_core.laws import target_joint
from specdec_core.rules import RULES, Rule
from specdec_grids.generated import PairInstances, RandomInstances
from specdec_grids.populations import sample_counts
from specdec_grids.programs import completed_round
from specdec_verification.chi_square import check_chi_square, check_g_test
from specdec_verification.contract import EXAMPLES, check_example
from specdec_verification.error_budget import ErrorBudget
from specdec_verification.exact_count import check_exact_count
from specdec_verification.exact_law import check_exact_law
from specdec_verification.faults import FAULTS, LOOKALIKES
from specdec_verification.results import CheckResult, Labels
from specdec_verification.sampled import Demand
from specdec_verification.trials import check_caught, check_spared

Checks = Callable[[int, str], CheckResult]
"""From the number of a cell and the line that reproduces it to what its check finds."""


@dataclass(frozen=True, slots=True)
class Profile:
    """How much a run checks.

    Attributes
    ----------
    name : str
    random : int
        Random instances of each rule whose law is found.
    pairs : tuple of (int, int)
        Vocabulary size and denominator of each simplex whose pairs of rows are all checked.
    counted : int
        Random instances of each rule that are counted over lattices, too.
    sampled : int
        Random instances of each rule that are sampled, too.
    draws : int
        Outcomes drawn for each of those.
    trials : int
        Random instances on which a planted fault may show, and a right rule must not fail.
    """

    name: str
    random: int
    pairs: tuple[tuple[int, int], ...]
    counted: int
    sampled: int
    draws: int
    trials: int


QUICK = Profile(
    "quick", random=500, pairs=((2, 4), (3, 2)), counted=36, sampled=3, draws=100_000, trials=27
)
FULL = Profile(
    "full", random=6500, pairs=((2, 12), (3, 4)), counted=360, sampled=9, draws=1_000_000, trials=90
)
PROFILES = {profile.name: profile for profile in (QUICK, FULL)}

MAX_TV = 0.05
"""What a sampled check must be able to see; the exact checks beside it see everything."""

FALSE_PASS_RATE = 0.01
"""Of a sampled check, at `MAX_TV`."""


@dataclass(frozen=True, slots=True)
class Section:
    """Cells of one kind: a name, how many, and how to make one."""

    name: str
    size: int
    check: Checks

    def run(self, number: int) -> CheckResult:
        """Run one cell."""
        return self.check(number, f"specdec-verify verify --only {self.name}/{number}")


def plan(profile: Profile, rules: Sequence[Rule[Any]] = RULES) -> tuple[Section, ...]:
    """Return the sections of a profile, in the order in which they are run."""
    budget = budget_of(profile, rules)
    return (
        Section("contract", len(EXAMPLES), lambda i, line: check_example(EXAMPLES[i](), line)),
        *(section for rule in rules for section in _law_sections(profile, rule)),
        *(_count_section(profile, rule) for rule in rules),
        *(section for rule in rules for section in _sample_sections(profile, rule, budget)),
        *_trial_sections(profile),
    )


def budget_of(profile: Profile, rules: Sequence[Rule[Any]] = RULES) -> ErrorBudget:
    """Return how a run's statistical checks share its false-fail rate: two a sampled instance."""
    return ErrorBudget(checks=2 * profile.sampled * len(rules))


def cell(name: str, sections: Sequence[Section]) -> tuple[Section, int]:
    """Return the section and number that a cell's name stands for.

    Raises
    ------
    InvalidParameterError
        If no section has that name, or the section has no such cell.
    """
    section_name, _, number = name.rpartition("/")
    for section in sections:
        if section.name == section_name:
            if number.isascii() and number.isdigit() and int(number) < section.size:
                return section, int(number)
            raise InvalidParameterError(
                f"cell {name!r}: expected a number from 0 to {section.size - 1} at the end"
            )
    known = ", ".join(section.name for section in sections)
    raise InvalidParameterError(f"cell {name!r}: no such section; there are {known}")


def run(sections: Sequence[Section]) -> Iterator[tuple[Section, CheckResult]]:
    """Run every cell of every section, in order."""
    for section in sections:
        for number in range(section.size):
            yield section, section.run(number)


def _law_sections(profile: Profile, rule: Rule[Any]) -> Iterator[Section]:
    families: list[tuple[str, Sequence[Instance]]] = [
        ("random", RandomInstances(rule, profile.random)),
        *(
            (f"pairs_{vocab_size}_{denominator}", PairInstances(rule, vocab_size, denominator))
            for vocab_size, denominator in profile.pairs
        ),
    ]
    for family, instances in families:
        yield _section("exact_law", rule, family, instances, check_exact_law)


def _count_section(profile: Profile, rule: Rule[Any]) -> Section:
    instances = RandomInstances(rule, profile.counted)
    return _section("exact_count", rule, "random", instances, check_exact_count)


def _section(
    check: str,
    rule: Rule[Any],
    family: str,
    instances: Sequence[Instance],
    run_check: Callable[[Rule[Any], Instance, Labels], CheckResult],
) -> Section:
    def one(number: int, line: str) -> CheckResult:
        instance = instances[number]
        return run_check(rule, instance, _labels(rule, instance, f"{family}/{number}", line))

    return Section(f"{check}/{rule.name}/{family}", len(instances), one)


def _labels(rule: Rule[Any], instance: Instance, number: str, line: str) -> Labels:
    claim = "lossless" if rule.lossless else "its own law"
    return Labels(rule.name, claim, number, instance.label, line)


def _sample_sections(profile: Profile, rule: Rule[Any], budget: ErrorBudget) -> Iterator[Section]:
    demand = Demand(budget.per_check, FALSE_PASS_RATE, MAX_TV)
    instances = RandomInstances(rule, profile.sampled)
    for name, check in (("g_test", check_g_test), ("chi_square", check_chi_square)):

        def sampled(
            rule: Rule[Any],
            instance: Instance,
            labels: Labels,
            check: Any = check,  # noqa: ANN401
        ) -> CheckResult:
            counts = sample_counts(completed_round(rule, instance), profile.draws, _rng(labels))
            law = target_joint(instance.target, rule.horizon(instance))
            result: CheckResult = check(counts.counts, law.probs, demand=demand, labels=labels)
            return result

        yield _section(name, rule, "random", instances, sampled)


def _rng(labels: Labels) -> np.random.Generator:
    """Return a generator of the cell's own, so that running it alone gives the same draws."""
    return np.random.default_rng(list(hashlib.sha256(labels.reproduce.encode()).digest()))


def _trial_sections(profile: Profile) -> Iterator[Section]:
    yield Section(
        "faults", len(FAULTS), lambda i, line: check_caught(FAULTS[i], profile.trials, line)
    )
    yield Section(
        "lookalikes",
        len(LOOKALIKES),
        lambda i, line: check_spared(LOOKALIKES[i], profile.trials, line),
    )
