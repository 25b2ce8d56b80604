import pytest

from specdec_core.draws import ReplayedDraws
from specdec_core.errors import NondeterminismError
from specdec_verification.testbed.streams import Line, Streams


def test_a_place_has_one_draw() -> None:
    streams = Streams(ReplayedDraws([0.25, 0.5]))
    assert [streams.at((7, 0)), streams.at((7, 1)), streams.at((7, 0))] == [0.25, 0.5, 0.25]
    assert streams.taken == [(7, 0), (7, 1), (7, 0)]


def test_a_line_reads_its_stream_on() -> None:
    streams = Streams(ReplayedDraws([0.25, 0.5, 0.75]))
    line = Line(streams, 7, 3)
    assert [line.uniform(), line.uniform()] == [0.25, 0.5]
    assert (line.index, streams.taken) == (5, [(7, 3), (7, 4)])


def test_a_line_without_a_seed_takes_fresh_draws_of_no_place() -> None:
    streams = Streams(ReplayedDraws([0.25, 0.5]))
    first, second = Line(streams, None, 0), Line(streams, None, 0)
    assert [first.uniform(), second.uniform()] == [0.25, 0.5]
    assert streams.taken == []


def test_a_draw_of_an_earlier_round_is_gone() -> None:
    streams = Streams(ReplayedDraws([0.25]), frozenset({(7, 0)}))
    with pytest.raises(NondeterminismError, match="draw 0 of the stream 7 was taken"):
        streams.at((7, 0))
