import pytest

from specdec_core.errors import InvalidParameterError
from specdec_verification.testbed.grammar import Grammar


def test_a_token_moves_the_state_and_with_it_the_mask() -> None:
    grammar = Grammar(((1, 0), (None, 0)))
    assert grammar.allowed(0) == {0, 1}
    assert grammar.allowed(grammar.after(0, 0)) == {1}


def test_a_token_that_is_not_allowed_leaves_the_state() -> None:
    assert Grammar(((1, 0), (None, 0))).after(1, 0) == 1


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        ((), "moves is empty"),
        (((0,), (None,)), r"moves\[1\] is \(None,\), expected at least one token"),
        (((2,),), r"moves\[0\] is \(2,\), expected states 0 to 0"),
    ],
)
def test_what_is_no_automaton_is_refused(
    moves: tuple[tuple[int | None, ...], ...], message: str
) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        Grammar(moves)
