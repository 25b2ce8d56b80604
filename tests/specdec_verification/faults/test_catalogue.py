"""Every planted fault is caught: by the exact law, or, where the law is right, by counting."""

import re
from collections import Counter
from fractions import Fraction
from functools import cache

import pytest

from specdec_grids.generated import RandomInstances
from specdec_verification.faults import FAULTS, LOOKALIKES
from specdec_verification.faults.fault import Fault
from specdec_verification.faults.rounds import Counted, counted, distance

LAWFUL = [fault for fault in FAULTS if fault.name.endswith("accept_inclusive")]
"""They differ where a draw equals a threshold, which in the law has no mass."""

LAWLESS = [fault for fault in FAULTS if fault not in LAWFUL]
TRIALS = 9
IN_A_RULE = (1, 2, 4, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 22)
"""Kinds that two faults of a rule, without a loop around it, belong to."""


@cache
def distances(fault: Fault) -> tuple[tuple[Fraction, Counted], ...]:
    """Return what the exact law and the exact counts say of a fault, instance by instance."""
    instances = RandomInstances(fault.rule, TRIALS)
    return tuple(
        (distance(fault.rule, instance), counted(fault.rule, instance)) for instance in instances
    )


def test_every_name_stands_once_and_none_is_a_lookalikes() -> None:
    names = [rule.name for rule in (*FAULTS, *LOOKALIKES)]
    assert len(set(names)) == len(names)


def test_every_kind_that_lives_in_a_rule_has_two_faults() -> None:
    kinds = Counter(fault.kind for fault in FAULTS)
    assert all(kinds[f"K{number:02}"] >= 2 for number in IN_A_RULE)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_says_what_it_is(fault: Fault) -> None:
    assert re.fullmatch(r"K(0[1-9]|1[0-9]|2[0-3])", fault.kind)
    assert re.fullmatch(
        r"specdec-verify|[\w.-]+/[\w.-]+ ((PR )?#\d+|commit [0-9a-f]{7})", fault.seen
    )
    assert re.fullmatch(r"[A-Z][^.]+\.", fault.mechanism)
    assert fault.rule.name == fault.name
    assert fault.rule.lossless


def test_only_an_inclusive_comparison_leaves_the_law_alone() -> None:
    assert [fault.name for fault in LAWFUL] == ["accept_inclusive", "tree_accept_inclusive"]


@pytest.mark.parametrize("fault", LAWLESS, ids=lambda fault: fault.name)
def test_a_planted_fault_moves_the_law(fault: Fault) -> None:
    assert any(by_law for by_law, _ in distances(fault))


@pytest.mark.parametrize("fault", LAWLESS, ids=lambda fault: fault.name)
def test_counts_between_the_thresholds_are_as_far_off_as_the_law(fault: Fault) -> None:
    assert [by_count.between for _, by_count in distances(fault)] == [
        by_law for by_law, _ in distances(fault)
    ]


@pytest.mark.parametrize("fault", LAWFUL, ids=lambda fault: fault.name)
def test_an_inclusive_comparison_shows_on_the_thresholds_alone(fault: Fault) -> None:
    assert not any(by_law or by_count.between for by_law, by_count in distances(fault))
    assert any(by_count.on for _, by_count in distances(fault))
