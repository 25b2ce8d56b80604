import gc
import pickle
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from specdec_grids.sums import Sum, collection_paused, merge_sums, totals

found = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.tuples(st.integers(0, 9), st.integers(0, 9)),
        st.integers(1, 9),
        st.sampled_from([2, 3, 4, 6]),
    ),
    unique_by=lambda one: one[1],
)


def added(paths: list[tuple[str, tuple[int, int], int, int]]) -> dict[str, Sum]:
    sums: dict[str, Sum] = {}
    for outcome, place, part, denominator in paths:
        sums.setdefault(outcome, Sum(place)).merge(one := Sum(place))
        one.add(part, denominator)
        sums[outcome].merge(one)
    return sums


@given(paths=found, at=st.integers(0, 5))
def test_pieces_sent_and_merged_are_the_whole_in_its_order(
    paths: list[tuple[str, tuple[int, int], int, int]], at: int
) -> None:
    expected: dict[str, Fraction] = {}
    for outcome, _, part, denominator in sorted(paths, key=lambda one: one[1]):
        expected[outcome] = expected.get(outcome, Fraction(0)) + Fraction(part, denominator)
    sums = added(paths[at:])
    merge_sums(sums, pickle.loads(pickle.dumps(added(paths[:at]))))
    assert list(totals(sums).items()) == list(expected.items())


def test_the_collector_is_left_as_it_was() -> None:
    with collection_paused():
        with collection_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
