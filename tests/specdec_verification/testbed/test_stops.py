import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_verification.testbed.requests import Limits
from specdec_verification.testbed.stops import Cut, Finish, cut, ended
from specdec_verification.testbed.strategies import limits

STOPS = Limits(4, frozenset({0}), ((2, 1), (3,)))


@pytest.mark.parametrize(
    ("answer", "run", "expected"),
    [
        ((), (1, 0, 1), Cut((1, 0), Finish.STOP_TOKEN)),
        ((2,), (1, 1), Cut((1,), Finish.STOP_SEQUENCE)),
        ((), (2, 1, 0), Cut((2, 1), Finish.STOP_SEQUENCE)),
        ((1, 1), (1, 1, 1), Cut((1, 1), Finish.LENGTH)),
        ((1, 1, 1), (0,), Cut((0,), Finish.STOP_TOKEN)),
        ((1,), (2,), Cut((2,), None)),
    ],
)
def test_a_run_is_kept_as_far_as_the_first_end(
    answer: tuple[int, ...], run: tuple[int, ...], expected: Cut
) -> None:
    assert cut(STOPS, answer, run) == expected


@given(limits(3, 4), st.lists(st.integers(0, 2), min_size=1, max_size=5), st.data())
def test_it_does_not_matter_how_a_run_is_broken(
    limits: Limits, run: list[int], data: st.DataObject
) -> None:
    """FastDeploy PR #7121: a sequence must be found in every split."""
    tokens = tuple(run)
    whole = cut(limits, (), tokens)
    split = data.draw(st.integers(1, len(tokens)))
    first = cut(limits, (), tokens[:split])
    if first.finish is None and tokens[split:]:
        rest = cut(limits, first.tokens, tokens[split:])
        first = Cut(first.tokens + rest.tokens, rest.finish)
    assert first == whole


@given(limits(3, 4), st.lists(st.integers(0, 2), min_size=1, max_size=5))
def test_only_the_last_token_kept_can_end_the_answer(limits: Limits, run: list[int]) -> None:
    kept = cut(limits, (), tuple(run)).tokens
    assert all(ended(limits, kept[:end]) is None for end in range(1, len(kept)))
