from fractions import Fraction

import pytest

from specdec_core.errors import NondeterminismError
from specdec_grids.trails import Trail
from specdec_verification.subjects.noise import Symbol
from specdec_verification.subjects.streams import StreamDraws


def test_a_draw_keeps_to_what_was_said_of_it() -> None:
    draws = StreamDraws(Trail())
    drawn = draws.draw(("tests",), 0, "uniform")
    assert drawn.untouched
    assert Symbol(drawn, 1, 0) < 0.5
    assert not drawn.untouched
    assert drawn.interval.middle == Fraction(1, 4)
    assert Symbol(drawn, 1, 0) < 0.5
    assert not drawn.raced
    assert drawn.label == "draw 1 of the run, of tests"


def test_a_replayed_draw_is_its_number() -> None:
    drawn = StreamDraws(Trail(), numbers=[0.75]).draw(("tests",), 0, "uniform")
    assert drawn.symbol() == drawn.number == 0.75
    assert drawn.choose([1, 1, 2]) == 2
    assert not drawn.ask("<", 1, 0, 0.5)


def test_a_draw_of_an_earlier_run_is_refused() -> None:
    draws = StreamDraws(Trail())
    kept = draws.draw(("tests",), 0, "uniform")
    draws.begin()
    with pytest.raises(NondeterminismError, match="keeps it from run to run"):
        kept.require_of_this_run()
