from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.distributions import Prob, Row
from specdec_core.errors import InvalidParameterError, ZeroResidualError
from specdec_core.transforms import Filter, MinP, TopK, TopP, in_sequence, jointly, with_temperature
from specdec_verification import strategies


def exact(*probs: str) -> Row:
    return Row(map(Fraction, probs))


def test_together_and_in_sequence_are_two_laws() -> None:
    """Engines have differed here: top-k 2 and top-p 3/5 of (5, 3, 1, 1) / 10."""
    row = exact("5/10", "3/10", "1/10", "1/10")
    filters = (TopK(2), TopP(Fraction(3, 5)))
    assert jointly(row, filters) == exact("5/8", "3/8", "0", "0")
    assert in_sequence(row, filters) == exact("1", "0", "0", "0")


@pytest.mark.parametrize(
    ("row", "filter_", "filtered"),
    [
        (("6/10", "3/10", "1/10"), TopP(Fraction(9, 10)), ("2/3", "1/3", "0")),
        (("80/100", "15/100", "5/100"), MinP(Fraction(1, 10)), ("16/19", "3/19", "0")),
        (("1/4", "1/2", "1/4"), TopK(1), ("0", "1", "0")),
        (("1/4", "1/2", "1/4"), TopK(2), ("1/3", "2/3", "0")),
        (("1/4", "1/2", "1/4"), TopK(9), ("1/4", "1/2", "1/4")),
        (("1/3", "1/3", "1/3"), TopP(Fraction(1, 3)), ("1", "0", "0")),
        (("1/3", "1/3", "1/3"), TopP(Fraction(1, 2)), ("1/2", "1/2", "0")),
        (("1/2", "0", "1/2"), TopP(1), ("1/2", "0", "1/2")),
        (("1/4", "1/2", "1/4"), MinP(Fraction(1, 2)), ("1/4", "1/2", "1/4")),
        (("1/4", "1/2", "1/4"), MinP(1), ("0", "1", "0")),
        (("0", "1/2", "1/2"), MinP(0), ("0", "1/2", "1/2")),
    ],
    ids=str,
)
def test_a_filter_alone_is_the_same_either_way(
    row: tuple[str, ...], filter_: Filter, filtered: tuple[str, ...]
) -> None:
    assert jointly(exact(*row), [filter_]) == exact(*filtered)
    assert in_sequence(exact(*row), [filter_]) == exact(*filtered)


def test_top_p_keeps_the_token_that_reaches_the_mass_and_no_more() -> None:
    row = exact("1/2", "1/4", "1/4")
    assert TopP(Fraction(1, 2)).kept(row) == {0}
    assert TopP(Fraction(51, 100)).kept(row) == {0, 1}


def test_top_p_of_one_keeps_no_token_that_has_no_mass() -> None:
    assert TopP(1).kept(Row([0.5, 0.0, 0.5 - 1e-10])) == {0, 2}
    assert TopP(1).kept(Row([0.5, 0.5 - 1e-10])) == {0, 1}


def test_without_filters_a_row_is_itself() -> None:
    row = exact("1/4", "3/4")
    assert jointly(row, ()) is row
    assert in_sequence(row, ()) is row


@pytest.mark.parametrize(
    ("temperature", "heated"),
    [
        (1, ("1/4", "1/2", "1/4")),
        (Fraction(1, 2), ("1/6", "2/3", "1/6")),
        (0.5, ("1/6", "2/3", "1/6")),
        (Fraction(1, 3), ("1/10", "8/10", "1/10")),
        (0, ("0", "1", "0")),
    ],
)
def test_an_exact_row_stays_exact_where_the_temperature_is_rational(
    temperature: Prob, heated: tuple[str, ...]
) -> None:
    row = with_temperature(exact("1/4", "1/2", "1/4"), temperature)
    assert row == exact(*heated)
    assert row.exact


def test_another_temperature_takes_roots() -> None:
    """Square roots of (1/5, 4/5) are as 1 to 2."""
    row = with_temperature(exact("1/5", "4/5"), 2)
    assert not row.exact
    assert row == pytest.approx((1 / 3, 2 / 3))


def test_temperature_zero_takes_the_smallest_of_the_likeliest() -> None:
    assert with_temperature(exact("1/5", "2/5", "2/5"), 0) == exact("0", "1", "0")
    assert with_temperature(Row([0.2, 0.4, 0.4]), 0) == Row([0.0, 1.0, 0.0])


def test_a_small_temperature_loses_no_mass() -> None:
    assert with_temperature(Row([0.25, 0.5, 0.25]), 1e-4) == Row([0.0, 1.0, 0.0])


@given(strategies.rows(4), st.integers(1, 5), st.integers(1, 8), st.integers(0, 8))
def test_filters_leave_the_likeliest_and_the_ratios_of_the_rest(
    row: Row, k: int, eighths: int, share: int
) -> None:
    filters = (TopK(k), TopP(Fraction(eighths, 8)), MinP(Fraction(share, 8)))
    for filtered in (jointly(row, filters), in_sequence(row, filters)):
        assert sum(filtered) == 1
        assert filtered.exact
        best = row.index(max(row))
        assert all(filtered[token] * row[best] == row[token] * filtered[best]
                   for token in filtered.support)  # fmt: skip


class Nothing:
    def kept(self, row: Row) -> frozenset[int]:
        return frozenset()


@pytest.mark.parametrize("transform", [jointly, in_sequence])
def test_a_filter_that_keeps_nothing_is_refused(transform: object) -> None:
    assert callable(transform)
    with pytest.raises(ZeroResidualError, match="leave no token"):
        transform(exact("1/2", "1/2"), [Nothing()])


@pytest.mark.parametrize("k", [0, -1, 1.0, True, None])
def test_a_k_that_keeps_nothing_or_is_no_count_is_refused(k: int) -> None:
    """Engines write "off" as 0 or -1; here the filter is left out."""
    with pytest.raises(InvalidParameterError, match="k is "):
        TopK(k)


@pytest.mark.parametrize("mass", [0, -0.1, 1.1, float("nan"), float("inf"), "0.9", True])
def test_a_mass_outside_its_range_is_refused(mass: float) -> None:
    with pytest.raises(InvalidParameterError, match="mass is "):
        TopP(mass)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan"), None])
def test_a_share_outside_its_range_is_refused(share: float) -> None:
    with pytest.raises(InvalidParameterError, match="share is "):
        MinP(share)


@pytest.mark.parametrize("temperature", [-1, -1e-9, float("inf"), float("nan"), None, True])
def test_a_temperature_that_is_none_is_refused(temperature: float) -> None:
    with pytest.raises(InvalidParameterError, match="temperature is "):
        with_temperature(exact("1/2", "1/2"), temperature)
