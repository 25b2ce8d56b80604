import pytest

from specdec_verification.faults.loop_fault import LoopFault
from specdec_verification.faults.loop_round_faults import ROUND_FAULTS
from specdec_verification.results import Verdict
from specdec_verification.testbed.checking import check_loop


@pytest.mark.parametrize("planted", ROUND_FAULTS, ids=lambda planted: planted.loop.name)
def test_each_moves_the_law_on_its_witness(planted: LoopFault) -> None:
    result = check_loop(planted.loop, planted.witness)
    assert result.verdict is Verdict.FAILED
    assert result.total_variation
