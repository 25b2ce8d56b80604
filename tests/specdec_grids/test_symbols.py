from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.distributions import Row
from specdec_core.draws import Draws
from specdec_core.sampling import sample
from specdec_grids.paths import exact_law, paths
from specdec_grids.resolutions import LeftEndpoints, Midpoints
from specdec_grids.simplex import Simplex

THIRDS = Row([Fraction(1, 3), Fraction(0), Fraction(2, 3)])
SHORT = Row([0.1] * 10)  # the running sums end below one
LONG = Row([0.75, 0.25 + 2.0**-31])  # and here above it
LONG_EARLY = Row([1.0 + 2.0**-31, 2.0**-40, 0.0])  # the second token is never reached


def law_of(program: Callable[[Draws], Any]) -> dict[Any, Fraction]:
    return dict(exact_law(program).law.probs)


def unit(interval: Any) -> tuple[Fraction, Fraction]:  # noqa: ANN401
    low, high, denominator = interval
    return Fraction(low, denominator), Fraction(high, denominator)


# Where a draw lies.


def test_each_answer_makes_the_interval_smaller() -> None:
    def program(draws: Draws) -> tuple[Any, ...]:
        u = draws.uniform()
        seen = [unit(u.interval)]  # type: ignore[attr-defined]
        for threshold in (Fraction(1, 2), Fraction(1, 3), Fraction(3, 4)):
            _ = u < threshold  # type: ignore[operator]
            seen.append(unit(u.interval))  # type: ignore[attr-defined]
        return tuple(seen)

    third, half, most = Fraction(1, 3), Fraction(1, 2), Fraction(3, 4)
    assert list(law_of(program)) == [
        ((0, 1), (0, half), (0, third), (0, third)),
        ((0, 1), (0, half), (third, half), (third, half)),
        ((0, 1), (half, 1), (half, 1), (half, most)),
        ((0, 1), (half, 1), (half, 1), (most, 1)),
    ]


def test_each_draw_has_its_own_interval() -> None:
    def program(draws: Draws) -> tuple[Any, ...]:
        u, v = draws.uniform(), draws.uniform()
        _ = (v < 0.5, u < 0.25, v < 0.75)  # type: ignore[operator]
        return unit(u.interval), unit(v.interval)  # type: ignore[attr-defined]

    half, quarter, most = Fraction(1, 2), Fraction(1, 4), Fraction(3, 4)
    assert set(law_of(program)) == {
        (u, v) for u in [(0, quarter), (quarter, 1)] for v in [(0, half), (half, most), (most, 1)]
    }


def test_the_representative_is_a_number_of_the_interval() -> None:
    def program(draws: Draws) -> Any:  # noqa: ANN401
        u = draws.uniform()
        _ = u < 0.25  # type: ignore[operator]
        return u.representative  # type: ignore[attr-defined]

    assert set(law_of(program)) == {Fraction(1, 8), Fraction(5, 8)}
    on_lattice = exact_law(program, resolution_of=lambda _: Midpoints(4))
    assert set(on_lattice.law) == {Fraction(1, 8), Fraction(5, 8)}
    on_lattice = exact_law(program, resolution_of=lambda _: LeftEndpoints(4))
    assert set(on_lattice.law) == {Fraction(0), Fraction(1, 2)}


# Certain events do not fork.


@pytest.mark.parametrize(
    "question",
    [
        lambda u: u < 1,
        lambda u: u < 0,
        lambda u: u <= 0,
        lambda u: u >= 0,
        lambda u: u > 1,
        lambda u: u * 0 < Fraction(1, 2),
        lambda u: u + 1 < Fraction(1, 2),
        lambda u: sample(Row([Fraction(0), Fraction(1), Fraction(0)]), u),
        lambda u: sample(LONG_EARLY, u),
    ],
)
def test_a_certain_answer_does_not_fork(question: Callable[[Any], Any]) -> None:
    assert exact_law(lambda draws: question(draws.uniform())).paths == 1


def test_an_answer_that_follows_from_earlier_ones_does_not_fork() -> None:
    def program(draws: Draws) -> tuple[Any, ...]:
        u = draws.uniform()
        return (u < 0.5, u < 0.5, u >= 0.5, 2 * u < 1, u <= 0.75, sample(THIRDS, u))  # type: ignore[operator]

    assert law_of(program) == {
        (True, True, False, True, True, 0): Fraction(1, 3),
        (True, True, False, True, True, 2): Fraction(1, 6),
        (False, False, True, False, True, 2): Fraction(1, 4),
        (False, False, True, False, False, 2): Fraction(1, 4),
    }


def test_at_a_left_endpoint_less_and_less_or_equal_differ_by_one_point() -> None:
    def program(draws: Draws) -> tuple[bool, bool]:
        u = draws.uniform()
        return u < Fraction(1, 4), u <= Fraction(1, 4)  # type: ignore[operator,return-value]

    continuous = exact_law(program).law
    assert dict(continuous.probs) == {(True, True): Fraction(1, 4), (False, False): Fraction(3, 4)}
    law = exact_law(program, resolution_of=lambda _: LeftEndpoints(1 << 24)).law
    assert law[(False, True)] == Fraction(1, 1 << 24)
    assert law[(True, True)] == Fraction(1, 4)


# Choosing a token.


@given(st.integers(1, 4), st.integers(1, 5), st.data())
def test_a_token_is_chosen_as_often_as_its_row_says(
    vocab_size: int, denominator: int, data: st.DataObject
) -> None:
    row = data.draw(st.sampled_from(Simplex(vocab_size, denominator)))
    assert law_of(lambda draws: sample(row, draws.uniform())) == {
        token: row[token] for token in row.support
    }


@pytest.mark.parametrize("kind", [Midpoints, LeftEndpoints])
@pytest.mark.parametrize("n", [1, 3, 6, 7])
def test_of_a_lattice_a_token_gets_the_points_of_its_cell(
    n: int, kind: type[Midpoints | LeftEndpoints]
) -> None:
    """A point on the upper end of a cell is the next token's."""
    axis = kind(n)
    points = [Fraction(axis.numerator(i), axis.denominator) for i in range(n)]
    law = exact_law(lambda draws: sample(THIRDS, draws.uniform()), resolution_of=lambda _: axis).law
    assert law[0] == Fraction(sum(point < Fraction(1, 3) for point in points), n)
    assert law[2] == 1 - law[0]


@pytest.mark.parametrize("row", [SHORT, LONG, LONG_EARLY, Row([0.25, 0.0, 0.75])])
def test_of_a_floating_row_the_last_token_takes_what_rounding_leaves(row: Row) -> None:
    sums = [min(Fraction(total), Fraction(1)) for total in row.cumulative]
    last = row.support[-1]
    sums[last:] = [Fraction(1)] * len(sums[last:])
    parts = [high - low for low, high in zip([Fraction(0), *sums], sums, strict=False)]
    assert law_of(lambda draws: sample(row, draws.uniform())) == {
        token: part for token, part in enumerate(parts) if part
    }


def test_what_rounding_leaves_is_no_path_of_its_own() -> None:
    assert exact_law(lambda draws: sample(Row([*SHORT, 0.0]), draws.uniform())).paths == 10


def test_after_a_comparison_only_the_tokens_that_are_left_are_chosen() -> None:
    def program(draws: Draws) -> tuple[bool, int]:
        u = draws.uniform()
        return u < Fraction(1, 2), sample(THIRDS, u)  # type: ignore[operator,return-value]

    assert law_of(program) == {
        (True, 0): Fraction(1, 3),
        (True, 2): Fraction(1, 6),
        (False, 2): Fraction(1, 2),
    }


def test_a_draw_that_chose_a_token_lies_in_the_tokens_cell() -> None:
    assert [
        (path.outcome, *map(unit, path.box))
        for path in paths(lambda draws: sample(THIRDS, draws.uniform()))
    ] == [(0, (0, Fraction(1, 3))), (2, (Fraction(1, 3), 1))]
