"""Faults of the books: where an answer ends moves the law, what is said about it does not."""

import pytest

from specdec_verification.faults.loop_book_faults import BOOK_FAULTS
from specdec_verification.faults.loop_fault import LoopFault
from specdec_verification.testbed.checking import LAW, broken_claims

BROKEN = {
    "loop_end_seen_at_last_token": (LAW,),
    "loop_end_seen_and_run_kept": (LAW,),
    "loop_sequence_within_run": (LAW,),
    "loop_first_token_skipped": (LAW,),
    "loop_sequence_before_token": (LAW,),
    "loop_budget_charged_first": (LAW, "progress"),
    "loop_probs_of_whole_run": ("probs",),
    "loop_probs_of_stale_rows": ("probs",),
    "loop_successes_counted": ("counters",),
    "loop_bonus_counted": ("counters",),
    "loop_one_less_counted": ("counters",),
    "loop_whole_run_counted": ("counters",),
    "loop_bonus_dropped": ("bonus",),
}


@pytest.mark.parametrize("planted", BOOK_FAULTS, ids=lambda planted: planted.loop.name)
def test_each_breaks_what_it_should(planted: LoopFault) -> None:
    assert broken_claims(planted.loop, planted.witness) == BROKEN[planted.loop.name]
