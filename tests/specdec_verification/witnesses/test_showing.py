"""Every fault of a rule has a witness, with the parameters that its rule takes."""

import pytest

from specdec_core.errors import InvalidParameterError
from specdec_verification.faults import FAULTS
from specdec_verification.faults.fault import Fault
from specdec_verification.faults.loop_catalogue import LOOP_FAULTS
from specdec_verification.witnesses import witness_of


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_every_fault_of_a_rule_has_a_witness_that_suits_it(fault: Fault) -> None:
    found = witness_of(fault)
    assert fault.rule.horizon(found) >= 2
    assert set(fault.rule.parameters) <= set(found.parameters)


def test_a_fault_of_a_loop_is_in_no_family() -> None:
    with pytest.raises(InvalidParameterError, match="is in no family of faults of rules"):
        witness_of(LOOP_FAULTS[0])
