"""Every fault of a rule is in one family, and can run on what its family is searched over."""

from collections import Counter

import pytest

from specdec_core.errors import InvalidParameterError
from specdec_verification.faults import FAULTS
from specdec_verification.faults.catalogue import AT_THRESHOLDS
from specdec_verification.faults.loop_catalogue import LOOP_FAULTS
from specdec_verification.witnesses.families import FAMILIES, Family, family_of


def test_every_fault_is_in_one_family() -> None:
    held = Counter(fault.name for family in FAMILIES for fault in family.faults)
    assert held == Counter(fault.name for fault in FAULTS)
    assert all(fault in family_of(fault).faults for fault in FAULTS)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_the_faults_of_a_family_take_its_parameters(family: Family) -> None:
    assert all(set(fault.rule.parameters) == set(family.parameters) for fault in family.faults)


def test_a_floor_leaves_out_the_faults_that_leave_the_law_alone() -> None:
    left_out = [
        fault for family in FAMILIES for fault in family.faults if fault not in family.lawless
    ]
    assert left_out == list(AT_THRESHOLDS)


def test_a_fault_of_a_loop_is_in_none() -> None:
    with pytest.raises(InvalidParameterError, match="is in no family of faults of rules"):
        family_of(LOOP_FAULTS[0])
