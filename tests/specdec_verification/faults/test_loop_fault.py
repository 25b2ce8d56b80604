from specdec_verification.faults.fault import Fault, plant
from specdec_verification.faults.loop_cases import PLAIN
from specdec_verification.faults.loop_fault import LoopFault
from specdec_verification.testbed.loop import ServingLoop


def test_a_fault_is_named_as_its_loop_is() -> None:
    loop = ServingLoop("loop_example")
    planted = LoopFault(plant("K01", "who/what #1", "What happens.", loop), PLAIN)
    assert planted.fault == Fault("loop_example", "K01", "who/what #1", "What happens.", loop)
    assert planted.loop is loop
