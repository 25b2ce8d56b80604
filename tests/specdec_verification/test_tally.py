"""A tally: the same of any order, and every position once."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from specdec_verification import tally as tallies
from specdec_verification.plan import Section
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict
from specdec_verification.summaries import summarise
from specdec_verification.tally import EXAMPLES, TRIALS, Position, Tally

CHECKS = ("exact_law", "exact_count", EXAMPLES, *TRIALS)


@pytest.fixture(scope="session")
def varied(found: Callable[..., CheckResult], labels: Labels) -> list[tuple[Position, CheckResult]]:
    """Return results of many kinds, in the order of their plan."""
    return [
        (
            Position(place, number),
            replace(
                found(
                    verdict=list(Verdict)[(place + number) % 3],
                    check=CHECKS[place],
                    labels=replace(labels, parameters=f"V={number % 4}"),
                    total_variation=[Fraction(number, 20), number / 7, None][number % 3],
                    size=number,
                ),
                evidence=list(Evidence)[number % 4],
            ),
        )
        for place in range(5)
        for number in range(12)
    ]


def tally_of(results: list[tuple[Position, CheckResult]]) -> Tally:
    def unused(number: int, line: str) -> CheckResult:
        raise AssertionError

    tally = Tally([Section("p", str(place), 12, unused) for place in range(5)])
    for position, result in results:
        tally.add(position, result)
    return tally


def kept(tally: Tally) -> tuple[object, ...]:
    apart = [tally.of_check(name) for name in (EXAMPLES, *TRIALS)]
    return tally.summary(), tally.exceptions(), apart, tally.verdicts, tally.instances


def test_rows_are_those_of_a_summary_in_order(varied: list[tuple[Position, CheckResult]]) -> None:
    tally = tally_of(varied)
    summed = [result for _, result in varied if result.check in ("exact_law", "exact_count")]
    assert tally.summary() == summarise(summed)
    assert tally.exceptions() == tuple(
        result for _, result in varied if result.verdict is not Verdict.PASSED
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_order_and_any_repetition_keep_the_same(
    data: st.DataObject, varied: list[tuple[Position, CheckResult]]
) -> None:
    shuffled = data.draw(st.permutations(varied))
    again = data.draw(st.lists(st.sampled_from(varied), max_size=5))
    assert kept(tally_of(shuffled + again)) == kept(tally_of(varied))


@pytest.mark.parametrize("limit", [0, 1, 7])
def test_past_a_limit_the_first_exceptions_of_the_plan_are_kept(
    varied: list[tuple[Position, CheckResult]], monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    whole = tally_of(varied).exceptions()
    monkeypatch.setattr(tallies, "MAX_EXCEPTIONS", limit)
    assert tally_of(varied[::-1]).exceptions() == tally_of(varied).exceptions() == whole[:limit]


@given(counted=st.sets(st.integers(0, 11)), later=st.sets(st.integers(0, 11)))
def test_the_missing_are_told_once_though_they_are_counted_meanwhile(
    found: Callable[..., CheckResult], counted: set[int], later: set[int]
) -> None:
    """What is told is in hand: it may be counted at once, or long after the rest was told."""
    tally = tally_of([(Position(2, number), found()) for number in counted])
    told: list[int] = []
    for cells in tally.missing(2):
        told += cells
        for number in later.intersection(cells):
            tally.add(Position(2, number), found())
    assert told == [number for number in range(12) if number not in counted]


def test_a_position_is_there_once_it_was_added(found: Callable[..., CheckResult]) -> None:
    tally, at = tally_of([]), Position(2, 7)
    assert at not in tally
    assert tally.add(at, found())
    assert at in tally
    assert not tally.add(at, found(Verdict.FAILED))
    assert tally.verdicts == {Verdict.PASSED}
    assert not {Position(2, 6), Position(2, 8), Position(1, 7)} & {
        Position(place, number)
        for place in range(5)
        for number in range(12)
        if Position(place, number) in tally
    }
