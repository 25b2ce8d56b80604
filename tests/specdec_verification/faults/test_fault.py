"""A fault names what it is planted in."""

import pytest

from specdec_core.errors import InvalidParameterError
from specdec_core.rules.token_rejection import TokenRejection
from specdec_verification.faults.fault import Fault, plant
from specdec_verification.faults.loop_catalogue import LOOP_FAULTS


def test_a_fault_of_a_rule_goes_by_the_rules_name() -> None:
    rule = TokenRejection()
    found = plant("K08", "specdec-verify", "For the test.", rule)
    assert found == Fault("token_rejection", "K08", "specdec-verify", "For the test.", rule)
    assert found.rule is rule
    with pytest.raises(InvalidParameterError, match="'token_rejection' lies in a rule"):
        _ = found.loop


def test_a_fault_of_a_loop_has_no_rule() -> None:
    fault = LOOP_FAULTS[0]
    with pytest.raises(InvalidParameterError, match=f"{fault.name!r} lies in a serving loop"):
        _ = fault.rule
