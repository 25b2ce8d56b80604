"""The catalogue is whole: every kind that lives in a loop, each fault once, with its witness."""

import re
from collections import Counter

import pytest

from specdec_verification.faults import FAULTS, LOOKALIKES
from specdec_verification.faults.fault import Fault
from specdec_verification.faults.loop_catalogue import (
    LOOP_FAULTS,
    LOOP_WITNESSES,
    PLANTED,
    UNSEEN,
    Unseen,
)
from specdec_verification.faults.loop_fault import LoopFault
from specdec_verification.faults.loop_lookalikes import LOOP_LOOKALIKES
from specdec_verification.testbed.loop import ServingLoop

IN_A_LOOP = (2, 3, 4, 5, 6, 7, 8, 10, 13, 17, 18, 19, 20, 21, 23)


def test_every_kind_that_lives_in_a_loop_has_two_faults() -> None:
    kinds = Counter(fault.kind for fault in LOOP_FAULTS)
    assert all(kinds[f"K{number:02}"] >= 2 for number in IN_A_LOOP)


def test_every_name_stands_once() -> None:
    names = [fault.name for fault in LOOP_FAULTS]
    names += [lookalike.loop.name for lookalike in LOOP_LOOKALIKES]
    names += [getattr(rule, "name", "") for rule in (*FAULTS, *LOOKALIKES)]
    assert len(set(names)) == len(names)


def test_every_fault_has_its_witness() -> None:
    assert {fault.name for fault in LOOP_FAULTS} == set(LOOP_WITNESSES)
    assert all(LOOP_WITNESSES[planted.loop.name] is planted.witness for planted in PLANTED)


@pytest.mark.parametrize("entry", [*LOOP_FAULTS, *UNSEEN], ids=lambda entry: entry.seen)
def test_kinds_and_places_are_written_as_they_should_be(entry: Fault | Unseen) -> None:
    assert re.fullmatch(r"K(0[1-9]|1[0-9]|2[0-3])", entry.kind)
    place = r"specdec-verify|[\w.-]+/[\w.-]+ ((PR )?#\d+|commit [0-9a-f]{7})"
    assert re.fullmatch(place, entry.seen)


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.loop.name)
def test_a_fault_is_few_steps_away_from_the_right_loop(planted: LoopFault) -> None:
    right = ServingLoop()
    steps = [name for name in ServingLoop.__slots__ if name != "name"]
    changed = [name for name in steps if getattr(planted.loop, name) != getattr(right, name)]
    assert 1 <= len(changed) <= 2
