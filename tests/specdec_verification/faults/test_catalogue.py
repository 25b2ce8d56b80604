"""Every planted fault is caught: by the exact law, or, where the law is right, by counting."""

from functools import cache
from typing import Any

import pytest

from specdec_core.rules import Rule
from specdec_grids.generated import RandomInstances
from specdec_verification.exact_count import check_exact_count
from specdec_verification.exact_law import check_exact_law
from specdec_verification.faults import FAULTS, LOOKALIKES
from specdec_verification.results import Labels, Verdict

LAWFUL = [fault for fault in FAULTS if fault.name.endswith("accept_inclusive")]
"""They differ where a draw equals a threshold, which in the law has no mass."""

LAWLESS = [fault for fault in FAULTS if fault not in LAWFUL]
TRIALS = 9


@cache
def verdicts(fault: Rule[Any]) -> tuple[tuple[Verdict, Verdict], ...]:
    """Return what the exact law and the exact count say of a fault, instance by instance."""
    labels = Labels(fault.name, "lossless", "", "", "")
    instances = RandomInstances(fault, TRIALS)
    return tuple(
        (
            check_exact_law(fault, instance, labels).verdict,
            check_exact_count(fault, instance, labels).verdict,
        )
        for instance in instances
    )


def test_every_name_stands_once_and_none_is_a_lookalikes() -> None:
    names = [rule.name for rule in (*FAULTS, *LOOKALIKES)]
    assert len(set(names)) == len(names)


def test_only_an_inclusive_comparison_leaves_the_law_alone() -> None:
    assert [fault.name for fault in LAWFUL] == ["accept_inclusive", "tree_accept_inclusive"]


@pytest.mark.parametrize("fault", LAWLESS, ids=lambda fault: fault.name)
def test_a_planted_fault_fails_by_its_law(fault: Rule[Any]) -> None:
    assert Verdict.FAILED in {by_law for by_law, _ in verdicts(fault)}


@pytest.mark.parametrize("fault", LAWLESS, ids=lambda fault: fault.name)
def test_law_and_counts_fail_on_the_same_instances(fault: Rule[Any]) -> None:
    assert [by_count for _, by_count in verdicts(fault)] == [
        by_law for by_law, _ in verdicts(fault)
    ]


@pytest.mark.parametrize("fault", LAWFUL, ids=lambda fault: fault.name)
def test_an_inclusive_comparison_fails_by_counts_alone(fault: Rule[Any]) -> None:
    by_law, by_count = zip(*verdicts(fault), strict=True)
    assert set(by_law) == {Verdict.PASSED}
    assert Verdict.FAILED in by_count
