from fractions import Fraction
from itertools import product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.distributions import Row
from specdec_core.errors import InvalidParameterError
from specdec_grids.simplex import Simplex, compositions

SIZES = list(product(range(1, 5), range(1, 6)))
every_size = pytest.mark.parametrize(("vocab_size", "denominator"), SIZES)
simplices = st.builds(Simplex, st.integers(1, 6), st.integers(1, 12))


def brute_force(vocab_size: int, denominator: int) -> list[Row]:
    counts = product(range(denominator + 1), repeat=vocab_size)
    return [
        Row(Fraction(part, denominator) for part in parts)
        for parts in counts
        if sum(parts) == denominator
    ]


@every_size
def test_it_is_every_row_in_lexicographic_order(vocab_size: int, denominator: int) -> None:
    assert list(Simplex(vocab_size, denominator)) == brute_force(vocab_size, denominator)


@every_size
def test_its_length_is_a_binomial_coefficient(vocab_size: int, denominator: int) -> None:
    length = comb(denominator + vocab_size - 1, vocab_size - 1)
    assert len(Simplex(vocab_size, denominator)) == length
    assert compositions(denominator, vocab_size) == length


@given(simplices, st.data())
def test_index_of_inverts(simplex: Simplex, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(simplex) - 1))
    assert simplex.index_of(simplex[number]) == number


@given(simplices, st.data())
def test_it_is_indexed_and_sliced_as_a_list_is(simplex: Simplex, data: st.DataObject) -> None:
    size = len(simplex)
    numbers = range(size)
    index = data.draw(st.integers(-size, size - 1))
    assert simplex[index] == simplex[numbers[index]]
    part = data.draw(st.slices(min(size, 30)))
    assert simplex[part] == [simplex[number] for number in numbers[part]]


@pytest.mark.parametrize("index", [6, -7, 100])
def test_there_is_no_row_outside(index: int) -> None:
    with pytest.raises(IndexError):
        Simplex(3, 2)[index]


def test_numbers_never_change() -> None:
    """Reports name rows by these numbers."""
    assert Simplex(3, 6)[13] == Row([Fraction(1, 3), Fraction(0), Fraction(2, 3)])
    assert Simplex(4, 10)[200] == Row(Fraction(tenths, 10) for tenths in (3, 6, 1, 0))
    assert Simplex(2, 4).index_of(Row([Fraction(3, 4), Fraction(1, 4)])) == 3


@pytest.mark.parametrize(
    "row",
    [
        Row([Fraction(1, 4), Fraction(3, 4)]),
        Row([Fraction(1, 2), Fraction(1, 2), Fraction(0)]),
        Row([Fraction(1)]),
        Row([0.25, 0.75]),
    ],
)
def test_a_row_of_another_simplex_has_no_number(row: Row) -> None:
    with pytest.raises(InvalidParameterError, match="is no row of 2 tokens over 2"):
        Simplex(2, 2).index_of(row)


@pytest.mark.parametrize(("vocab_size", "denominator"), [(0, 1), (1, 0), (-1, 2), (2, -1)])
def test_a_simplex_has_a_token_and_a_denominator(vocab_size: int, denominator: int) -> None:
    with pytest.raises(InvalidParameterError, match="expected at least 1"):
        Simplex(vocab_size, denominator)


def test_two_simplices_of_one_size_are_equal() -> None:
    assert Simplex(2, 3) == Simplex(2, 3) != Simplex(3, 2)
    assert Simplex(2, 1)[0] in Simplex(2, 3)
