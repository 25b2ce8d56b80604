from fractions import Fraction
from typing import Any

import pytest

from specdec_core.errors import NondeterminismError, OpaqueDrawError
from specdec_grids.resolutions import LeftEndpoints
from specdec_grids.trails import Trail
from specdec_verification.subjects.exact import Execution, exact_law
from specdec_verification.subjects.running import current
from specdec_verification.subjects.streams import (
    MAX_DRAWS,
    Stream,
    StreamDraws,
    as_drawn,
    continuous,
)


def drawn(position: int = 0, kind: str = "uniform", points: int = 4) -> Any:  # noqa: ANN401
    return current().draw(("tests", 3), position, kind, LeftEndpoints(points))


def test_a_name_is_the_same_symbol_within_a_run_and_another_in_the_next() -> None:
    seen = set()

    def same() -> bool:
        seen.add(id(drawn()))
        assert drawn() is drawn()
        assert drawn(1) is not drawn()
        return drawn().symbol() < 0.5

    exact_law(same)
    assert len(seen) > 1


def test_one_place_of_a_stream_serves_one_way() -> None:
    with pytest.raises(OpaqueDrawError, match="draw 1 of the run, of tests as integer"):
        exact_law(lambda: [drawn() is drawn(kind="integer")])
    with pytest.raises(OpaqueDrawError, match="served as uniform"):
        exact_law(lambda: [drawn() is drawn(points=8)], Execution(resolved=as_drawn))


def test_unseeded_streams_are_unlike_within_a_run_and_alike_between_runs() -> None:
    draws = StreamDraws(Trail())
    first = [draws.unseeded("tests") for _ in range(2)]
    draws.begin()
    assert first == [draws.unseeded("tests") for _ in range(2)]
    assert len(set(first)) == 2


def test_a_generator_keeps_its_place_within_a_run() -> None:
    draws, generator = StreamDraws(Trail()), object()
    stream = draws.stream_of(generator, lambda: ("tests", 3))
    stream.take(draws, "uniform")
    assert draws.stream_of(generator, lambda: ("tests", 4)) is stream
    assert stream.position == 1
    draws.begin()
    assert draws.stream_of(generator, lambda: ("tests", 4)).name == ("tests", 4)
    draws.restart(generator, Stream(("tests", 5), 2))
    assert draws.stream_of(generator, lambda: ("tests", 4)).position == 2


def test_a_resolution_is_taken_as_continuous_or_as_it_is() -> None:
    assert as_drawn(LeftEndpoints(4)) == LeftEndpoints(4)
    assert continuous(LeftEndpoints(4)).whole == (0, 1, 1)
    found = exact_law(lambda: drawn().symbol() <= 0.5, Execution(resolved=as_drawn)).law
    assert found[True] == Fraction(3, 4)
    assert exact_law(lambda: drawn().symbol() <= 0.5).law[True] == Fraction(1, 2)


def test_weights_choose_by_inverse_distribution() -> None:
    found = exact_law(lambda: drawn().choose([1, 0, 2, 1, 0])).law
    assert found.probs == {0: Fraction(1, 4), 2: Fraction(1, 2), 3: Fraction(1, 4)}


def test_a_choice_and_a_comparison_of_one_draw_agree() -> None:
    found = exact_law(lambda: (drawn().choose([1, 1]), drawn().symbol() < 0.25)).law
    assert found.probs == {
        (0, True): Fraction(1, 4),
        (0, False): Fraction(1, 4),
        (1, False): Fraction(1, 2),
    }


def test_a_draw_of_an_earlier_run_is_refused() -> None:
    kept: list[Any] = []

    def keep() -> bool:
        kept.append(drawn())
        return kept[0].symbol() < 0.5

    with pytest.raises(NondeterminismError, match="the program keeps"):
        exact_law(keep)


def test_a_loop_that_may_go_on_is_cut_where_it_hardly_ever_comes() -> None:
    def rounds() -> int:
        count = 0
        while drawn(count).symbol() < 0.5:
            count += 1
        return count

    found = exact_law(rounds)
    assert found.law[0] == Fraction(1, 2)
    assert found.law[3] == Fraction(1, 16)
    assert 0 < found.missing < Fraction(1, 1 << 200)


def test_a_loop_that_draws_for_ever_is_abandoned() -> None:
    def endless() -> None:
        count = 0
        while True:
            drawn(count)
            count += 1

    found = exact_law(endless)
    assert found.missing == 1
    assert MAX_DRAWS >= 10_000
