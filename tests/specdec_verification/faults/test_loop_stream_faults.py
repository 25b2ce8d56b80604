"""Faults of the draws: some move the law, and some only what a seed repeats."""

import pytest

from specdec_verification.faults.loop_fault import LoopFault
from specdec_verification.faults.loop_stream_faults import STREAM_FAULTS
from specdec_verification.testbed.checking import LAW, broken_claims

BROKEN = {
    "loop_reset_at_each_draw": (LAW, "seed"),
    "loop_unseeded_share_stream": (LAW, "seed"),
    "loop_seed_ignored": ("seed",),
    "loop_noise_unfilled": (LAW,),
    "loop_undrafted_draws": ("seed",),
    "loop_seeds_collide": (LAW, "seed"),
    "loop_draft_shares_seed": (LAW, "seed"),
    "loop_draft_stream_restarts": (LAW, "seed"),
    "loop_seed_of_lane": ("seed",),
}


@pytest.mark.parametrize("planted", STREAM_FAULTS, ids=lambda planted: planted.loop.name)
def test_each_breaks_what_it_should(planted: LoopFault) -> None:
    assert broken_claims(planted.loop, planted.witness) == BROKEN[planted.loop.name]
