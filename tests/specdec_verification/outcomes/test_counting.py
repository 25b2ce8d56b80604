from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.errors import GridTooLargeError, InvalidOutcomesError, InvalidParameterError
from specdec_verification.outcomes.counting import BATCH, Coding, OutcomeCounter, malformed

OUTCOMES = st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple)


def padded(outcomes: list[tuple[int, ...]], longest: int = 3) -> np.ndarray:
    rows = np.full((len(outcomes), longest), -1)
    for row, outcome in zip(rows, outcomes, strict=True):
        row[: len(outcome)] = outcome
    return rows


@pytest.mark.parametrize("vocab_size", [5, 1 << 20], ids=["dense", "sparse"])
@given(st.lists(OUTCOMES, min_size=1, max_size=40))
def test_counts_are_those_of_a_counter(vocab_size: int, outcomes: list[tuple[int, ...]]) -> None:
    counter = OutcomeCounter(Coding(vocab_size, 3))
    counter.add(padded(outcomes))
    counter.add(padded(outcomes[:1]))
    assert counter.counts() == Counter([*outcomes, outcomes[0]])


@given(OUTCOMES)
def test_a_code_stands_for_its_tokens(outcome: tuple[int, ...]) -> None:
    coding = Coding(5, 3)
    (code,) = coding.codes(padded([outcome])).tolist()
    assert 0 <= code < coding.size
    assert coding.tokens(code) == outcome


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint16, np.int64])
def test_any_integers_will_do(dtype: type) -> None:
    counter = OutcomeCounter(Coding(200, 2))
    counter.add(np.array([[100], [7]], dtype=dtype))
    assert counter.counts() == {(7,): 1, (100,): 1}


def test_more_rows_than_a_batch_are_all_counted() -> None:
    counter = OutcomeCounter(Coding(3, 1))
    counter.add(np.arange(3 * BATCH)[:, None] % 3)
    assert counter.counts() == {(0,): BATCH, (1,): BATCH, (2,): BATCH}


@pytest.mark.parametrize("vocab_size", [5, 1 << 20], ids=["dense", "sparse"])
def test_rows_that_came_often_are_counted_as_often(vocab_size: int) -> None:
    """Past 2^53, where a sum of floats would be off."""
    counter = OutcomeCounter(Coding(vocab_size, 3))
    often = np.array([1 << 54, 1, 0, 1])
    counter.add(padded([(1,), (1,), (0, 2), (4, 4, 4)]), often)
    counter.add(padded([(1,), (0, 2)]))
    assert counter.counts() == {(0, 2): 1, (1,): (1 << 54) + 2, (4, 4, 4): 1}


@pytest.mark.parametrize("counts", [np.array([1, -1]), np.array([1])], ids=["negative", "missing"])
def test_counts_that_do_not_fit_are_an_error(counts: np.ndarray) -> None:
    counter = OutcomeCounter(Coding(5, 3))
    with pytest.raises(InvalidOutcomesError, match="expected one a row, none below 0"):
        counter.add(padded([(1,), (2,)]), counts)
    assert counter.counts() == {}


@pytest.mark.parametrize("row", [[-1, -1], [-1, 0], [3, 0], [0, 3], [-2, 0], [0, -2]], ids=str)
def test_a_malformed_row_is_named_and_nothing_of_its_batch_counted(row: list[int]) -> None:
    counter = OutcomeCounter(Coding(3, 2))
    with pytest.raises(InvalidOutcomesError, match=r"row 1 is \["):
        counter.add(np.array([[0, 1], row, [1, 2]]))
    assert counter.counts() == {}


@given(st.lists(st.lists(st.integers(-2, 3), min_size=3, max_size=3), min_size=1, max_size=20))
def test_malformed_says_what_a_loop_would(rows: list[list[int]]) -> None:
    def fits(row: list[int]) -> bool:
        length = row.index(-1) if -1 in row else len(row)
        head, tail = row[:length], row[length:]
        return bool(head) and all(0 <= x < 3 for x in head) and all(x == -1 for x in tail)

    assert malformed(np.array(rows), 3).tolist() == [not fits(row) for row in rows]


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        (np.zeros(3, dtype=int), r"shape \(3,\)"),
        (np.zeros((1, 4), dtype=int), "L at most 3"),
        (np.zeros((1, 0), dtype=int), "L at most 3"),
        (np.zeros((1, 2)), "float64, expected integers"),
    ],
    ids=["flat", "long", "empty", "floats"],
)
def test_an_array_of_another_form_is_an_error(tokens: np.ndarray, said: str) -> None:
    with pytest.raises(InvalidOutcomesError, match=said):
        OutcomeCounter(Coding(5, 3)).add(tokens)


def test_no_rows_change_nothing() -> None:
    counter = OutcomeCounter(Coding(5, 3))
    counter.add(np.zeros((0, 3), dtype=int))
    assert counter.counts() == {}


def test_codes_of_more_than_63_bits_are_an_error() -> None:
    assert Coding(128_000, 3).size < 1 << 63
    with pytest.raises(GridTooLargeError, match="4 tokens of 128000"):
        Coding(128_000, 4)


@pytest.mark.parametrize(("vocab_size", "longest"), [(0, 1), (1, 0), (True, 1)])
def test_sizes_are_positive_integers(vocab_size: int, longest: int) -> None:
    with pytest.raises(InvalidParameterError):
        Coding(vocab_size, longest)


@pytest.mark.parametrize("vocab_size", [4, 30_000], ids=["dense", "sparse"])
@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_counts_whose_sum_does_not_fit_are_an_error(vocab_size: int, dtype: type) -> None:
    counter = OutcomeCounter(Coding(vocab_size, 3))
    counter.add(padded([(1,)]), np.array([1 << 62], dtype=dtype))
    with pytest.raises(InvalidOutcomesError, match=r"9\.223e\+18 outcomes, at most 46116860184"):
        counter.add(padded([(1,)]), np.array([1 << 62], dtype=dtype))
    assert counter.counts() == {(1,): 1 << 62}


def test_a_claim_of_any_length_is_refused_at_once() -> None:
    with pytest.raises(GridTooLargeError, match=r"1000000000 tokens of 3 have 4\^1000000000 codes"):
        Coding(3, 1_000_000_000)
