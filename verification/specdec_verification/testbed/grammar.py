"""A grammar: a finite automaton that says which tokens may come next.

Its state moves with every token that is emitted, so the rows of one verified run stand under
different masks.  The mask of a row is that of the state after all the tokens before it, the
drafted ones included.
"""

from dataclasses import dataclass

from specdec_core.errors import InvalidParameterError


@dataclass(frozen=True, slots=True)
class Grammar:
    """An automaton over the tokens ``0 .. V-1``; it starts in state 0.

    Parameters
    ----------
    moves : (states, V) tuple of tuple of int or None
        The next state after each token, or ``None`` where the token is not allowed.

    Raises
    ------
    InvalidParameterError
        If there is no state, a move leads to none, or a state allows no token.

    Examples
    --------
    >>> alternating = Grammar(((1, None), (None, 0)))
    >>> sorted(alternating.allowed(0)), alternating.after(0, 0)
    ([0], 1)
    """

    moves: tuple[tuple[int | None, ...], ...]

    def __post_init__(self) -> None:
        if not self.moves:
            raise InvalidParameterError("moves is empty, expected at least one state")
        for state, row in enumerate(self.moves):
            ahead = [move for move in row if move is not None]
            if not ahead:
                raise InvalidParameterError(
                    f"moves[{state}] is {row}, expected at least one token that is allowed"
                )
            if not all(0 <= move < len(self.moves) for move in ahead):
                raise InvalidParameterError(
                    f"moves[{state}] is {row}, expected states 0 to {len(self.moves) - 1}"
                )

    def allowed(self, state: int) -> frozenset[int]:
        """Return the tokens that may come next."""
        return frozenset(t for t, move in enumerate(self.moves[state]) if move is not None)

    def after(self, state: int, token: int) -> int:
        """Return the state after a token; one that is not allowed leaves the state as it is.

        A right loop never emits such a token, but a draft goes past stop tokens, and a faulty loop
        must run on to be judged.
        """
        move = self.moves[state][token]
        return state if move is None else move
