from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.errors import InvalidParameterError
from specdec_grids.resolutions import (
    Continuous,
    Interval,
    LatticeAxis,
    LeftEndpoints,
    Midpoints,
    count_below,
)

KINDS = [Midpoints, LeftEndpoints]

intervals = st.builds(
    lambda low, length, denominator: Interval(low, low + length, denominator),
    st.integers(0, 12),
    st.integers(0, 12),
    st.integers(1, 12),
)
ratios = st.tuples(st.integers(-12, 24), st.integers(1, 12))


def points(axis: LatticeAxis) -> list[Fraction]:
    return [Fraction(axis.numerator(i), axis.denominator) for i in range(axis.n)]


def ends(interval: Interval) -> tuple[Fraction, Fraction]:
    return (
        Fraction(interval.low, interval.denominator),
        Fraction(interval.high, interval.denominator),
    )


# Points.


def test_midpoints_stand_between_the_left_endpoints() -> None:
    assert points(Midpoints(2)) == [Fraction(1, 4), Fraction(3, 4)]
    assert points(LeftEndpoints(2)) == [0, Fraction(1, 2)]
    assert points(Midpoints(1)) == [Fraction(1, 2)]
    assert points(LeftEndpoints(1)) == [0]


@pytest.mark.parametrize("kind", KINDS)
def test_many_points_are_numbered_as_one_is(kind: type[Any]) -> None:
    axis = kind(7)
    assert axis.numerator(np.arange(7)).tolist() == [axis.numerator(i) for i in range(7)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [0, -1, 2.0, True, "2", None, Fraction(2)])
def test_an_axis_has_a_positive_number_of_points(kind: type[Any], n: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidParameterError, match="expected a positive integer") as error:
        kind(n)
    assert repr(n) in str(error.value)


# Measures.


@pytest.mark.parametrize("kind", KINDS)
@given(n=st.integers(1, 12), ratio=ratios, inclusive=st.booleans())
def test_below_counts_the_points(
    kind: type[Any], n: int, ratio: tuple[int, int], inclusive: bool
) -> None:
    axis, at = kind(n), Fraction(*ratio)
    expected = sum(point < at or (inclusive and point == at) for point in points(axis))
    assert axis.below(*ratio, inclusive) == (expected, 1)


@given(n=st.integers(1, 12), numerator=st.integers(-5, 30), denominator=st.integers(1, 12))
def test_count_below_counts_integers(n: int, numerator: int, denominator: int) -> None:
    at = Fraction(numerator, denominator)
    assert count_below(numerator, denominator, False, n) == sum(i < at for i in range(n))
    assert count_below(numerator, denominator, True, n) == sum(i <= at for i in range(n))


@given(ratios, st.booleans())
def test_a_continuous_draw_is_below_a_threshold_as_often_as_it_says(
    ratio: tuple[int, int], inclusive: bool
) -> None:
    numerator, denominator = Continuous().below(*ratio, inclusive)
    assert denominator > 0
    assert Fraction(numerator, denominator) == min(max(Fraction(*ratio), Fraction(0)), 1)


@given(st.integers(1, 12), st.integers(1, 6))
def test_on_midpoints_a_threshold_of_the_lattice_counts_itself(n: int, multiple: int) -> None:
    for k in range(n + 1):
        assert Midpoints(n * multiple).below(k, n, False) == (k * multiple, 1)
        assert Midpoints(n * multiple).below(k, n, True) == (k * multiple, 1)


def test_the_whole_has_measure_one_or_the_number_of_points() -> None:
    assert Continuous().whole == (0, 1, 1)
    assert Midpoints(5).whole == LeftEndpoints(5).whole == (0, 5, 1)


# Intervals.


@given(intervals, ratios)
def test_a_cut_parts_an_interval(interval: Interval, ratio: tuple[int, int]) -> None:
    below, above = interval.cut(*ratio)
    (low, high), at = ends(interval), Fraction(*ratio)
    middle = min(max(at, low), high)
    assert ends(below) == (low, middle)
    assert ends(above) == (middle, high)
    assert below.denominator == above.denominator > 0


def test_denominators_do_not_grow_with_the_number_of_cuts() -> None:
    """Else a search through a thousand thresholds would end in numbers of millions of digits."""
    rest = Interval(0, 1, 1)
    for twelfths in range(1, 12):
        _, rest = rest.cut(*Fraction(twelfths, 12).as_integer_ratio())
    assert rest == Interval(11, 12, 12)


@given(intervals)
def test_the_middle_is_as_far_from_either_end(interval: Interval) -> None:
    low, high = ends(interval)
    assert interval.middle - low == high - interval.middle


# Representatives.


@pytest.mark.parametrize("kind", KINDS)
@given(n=st.integers(1, 12), data=st.data())
def test_a_representative_is_a_point_of_the_interval(
    kind: type[Any], n: int, data: st.DataObject
) -> None:
    axis = kind(n)
    low = data.draw(st.integers(0, n - 1))
    high = data.draw(st.integers(low + 1, n))
    assert axis.representative(Interval(low, high, 1)) in points(axis)[low:high]
    assert axis.representative(Interval(3 * low, 3 * high, 3)) in points(axis)[low:high]


@given(intervals)
def test_a_continuous_representative_is_the_middle(interval: Interval) -> None:
    assert Continuous().representative(interval) == interval.middle
