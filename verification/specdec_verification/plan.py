"""What a run checks: sections of numbered cells, made one at a time.

A plan is lazy.  Its length is known before anything is built, a cell is made from the section's
name and its number in it, and the name of a cell, such as ``exact_law/token_rejection/random/37``,
is enough to run it alone.  Where two profiles have a section of one name, its cells in the smaller
are the first of those in the larger.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance
from specdec_core.rules import RULES, Rule
from specdec_grids.generated import FloatingInstances, PairInstances, RandomInstances, shapes
from specdec_grids.populations import sample_counts
from specdec_grids.programs import claimed_joint, completed_round
from specdec_verification.contract import EXAMPLES, check_example
from specdec_verification.decode_law import check_decode_law
from specdec_verification.exact_count import check_exact_count
from specdec_verification.exact_law import check_exact_law
from specdec_verification.faults import FAULTS, LOOKALIKES
from specdec_verification.results import CheckResult, Labels
from specdec_verification.statistics.chi_square import check_chi_square, check_g_test
from specdec_verification.statistics.error_budget import ErrorBudget
from specdec_verification.statistics.sampled import Demand
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
    floating : int
        Of those, how many of the first are followed in floats as well.
    decoded : int
        Random instances on which the law of a whole decode loop is found.
    counted : int
        Random instances of each rule that are counted over lattices, too; at least one a shape.
    sampled : int
        Random instances of each rule that are sampled, too.
    draws : int
        Outcomes drawn for each of those.
    measured : int
        Random instances over which the efficiency of each rule is a mean.
    trials : int
        Random instances on which a planted fault may show, and a right rule must not fail.
    """

    name: str
    random: int
    pairs: tuple[tuple[int, int], ...]
    floating: int
    decoded: int
    counted: int
    sampled: int
    draws: int
    measured: int
    trials: int


QUICK = Profile(
    name="quick",
    random=100,
    pairs=((2, 4), (3, 2)),
    floating=9,
    decoded=36,
    counted=9,
    sampled=3,
    draws=100_000,
    measured=30,
    trials=27,
)
FULL = Profile(
    name="full",
    random=700,
    pairs=((2, 12), (3, 4)),
    floating=90,
    decoded=360,
    counted=36,
    sampled=9,
    draws=1_000_000,
    measured=300,
    trials=90,
)
PROFILES = {profile.name: profile for profile in (QUICK, FULL)}

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
        command = f"specdec-verify verify --profile {self.profile}"
        return self.check(number, f"{command} --only {self.name}/{number}")


def plan(profile: Profile, rules: Sequence[Rule[Any]] = RULES) -> tuple[Section, ...]:
    """Return the sections of a profile, in the order in which they are run."""
    budget = budget_of(profile, rules)
    return (
        Section(
            profile.name,
            "contract",
            len(EXAMPLES),
            lambda i, line: check_example(EXAMPLES[i](), line),
        ),
        *(section for rule in rules for section in _law_sections(profile, rule)),
        Section(profile.name, "exact_law/decode/random", profile.decoded, check_decode_law),
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
            if number.isdecimal() and len(number) <= len(str(section.size)):
                at = int(number)
                if at < section.size and str(at) == number:
                    return section, at
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
    def one(number: int, line: str) -> CheckResult:
        instance = instances[number]
        claim = "lossless" if rule.lossless else "its own law"
        labels = Labels(rule.name, claim, f"{family}/{number}", instance.label, line)
        return run_check(rule, instance, labels)

    family = name.rpartition("/")[2]
    return Section(profile.name, name, len(instances), one)


def _sample_sections(profile: Profile, rule: Rule[Any], budget: ErrorBudget) -> Iterator[Section]:
    demand = Demand(budget.per_check, FALSE_PASS_RATE, MAX_TV)
    instances = RandomInstances(rule, profile.sampled)
    for check_name, check in (("g_test", check_g_test), ("chi_square", check_chi_square)):
        name = f"{check_name}/{rule.name}/random"

        def sampled(
            rule: Rule[Any],
            instance: Instance,
            labels: Labels,
            check: Any = check,  # noqa: ANN401
            name: str = name,
        ) -> CheckResult:
            rng = _rng(f"{name}/{labels.instance}")
            counts = sample_counts(completed_round(rule, instance), profile.draws, rng)
            law = claimed_joint(rule, instance)
            result: CheckResult = check(counts.counts, law.probs, demand=demand, labels=labels)
            return result

        yield _section(profile, name, rule, instances, sampled)


def _rng(key: str) -> np.random.Generator:
    """Return a generator of the cell's own, so that running it alone gives the same draws."""
    return np.random.default_rng(list(hashlib.sha256(key.encode()).digest()))


def _trial_sections(profile: Profile) -> Iterator[Section]:
    yield Section(
        profile.name,
        "faults",
        len(FAULTS),
        lambda i, line: check_caught(FAULTS[i], profile.trials, line),
    )
    yield Section(
        profile.name,
        "lookalikes",
        len(LOOKALIKES),
        lambda i, line: check_spared(LOOKALIKES[i], profile.trials, line),
    )
