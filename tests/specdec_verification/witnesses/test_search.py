"""The search finds an instance that shows all, the same one each time, and improves on it."""

from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

import pytest

from specdec_core.errors import InvalidParameterError, MissingContextError
from specdec_core.instances import dumps
from specdec_grids.generated import contexts
from specdec_verification.faults.catalogue import AT_THRESHOLDS
from specdec_verification.faults.rounds import distance
from specdec_verification.witnesses.families import FAMILIES
from specdec_verification.witnesses.search import Effort, find, floor

PATH, LENIENCE = FAMILIES[0], FAMILIES[-1]
SMALL = replace(
    PATH,
    faults=PATH.faults[:6],
    vocab_size=2,
    denominator=4,
    parameters=MappingProxyType({"gamma": 2}),
)
FEW = Effort(points=40, moves=60)
REACHED = tuple(contexts(2, 3))


def test_the_same_effort_finds_the_same_witness() -> None:
    once, again = find(SMALL, FEW), find(SMALL, FEW)
    assert once == again
    assert dumps(once.instance) == dumps(again.instance)


def test_a_witness_shows_every_fault_that_can_be_shown() -> None:
    found = find(SMALL, FEW)
    apart = {fault.name: distance(fault.rule, found.instance) for fault in SMALL.lawless}
    assert found.floor == min(apart.values()) == apart[found.faintest]
    assert floor(SMALL.lawless, found.instance)[0] == found.floor


def test_moves_improve_on_what_points_found() -> None:
    by_points, by_moves = find(LENIENCE, Effort(10, 0)), find(LENIENCE, Effort(10, 200))
    assert 0 < by_points.floor < by_moves.floor


def test_rows_stay_in_the_simplex_and_none_is_beyond_the_round() -> None:
    instance = find(SMALL, FEW).instance
    rows = [model(context) for model in (instance.target, instance.draft) for context in REACHED]
    assert all((4 * Fraction(prob)).denominator == 1 for row in rows for prob in row)
    with pytest.raises(MissingContextError):
        instance.target((0, 0, 0))


def test_too_little_effort_is_an_error() -> None:
    hidden = replace(SMALL, faults=(*SMALL.faults, *PATH.faults), vocab_size=2, denominator=1)
    with pytest.raises(InvalidParameterError, match="40 points, and none shows every fault of "):
        find(hidden, FEW)


def test_a_fault_at_thresholds_is_not_waited_for() -> None:
    assert AT_THRESHOLDS[0] in SMALL.faults
    assert AT_THRESHOLDS[0] not in SMALL.lawless
