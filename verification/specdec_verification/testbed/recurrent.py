"""A recurrent toy model: its next law depends on every token that it was fed, and their order.

The state is a residue; feeding a token maps ``state`` to ``stride * state + token + 1`` modulo the
number of states.  With a stride coprime to that number, two states never become one by feeding
them the same token, so a token that was fed too much, too little or in the wrong place stays
visible.  A state is a plain integer: a snapshot is a copy of it, and rolling back is to take the
copy again, which is what a loop can get wrong.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from specdec_core.distributions import Row, require_same_vocabulary
from specdec_core.errors import InvalidParameterError
from specdec_core.parameters import require_integer

START = 0
"""The state of a model that was fed nothing."""


@dataclass(frozen=True, slots=True)
class RecurrentModel:
    """A model with one row a state.

    Parameters
    ----------
    rows : tuple of (V,) Row
        At least one.
    stride : int
        At least 1, and coprime to the number of rows.

    Raises
    ------
    InvalidParameterError
        If there is no row, or the stride is not coprime to their number.
    ShapeError
        If two rows differ in length.

    Examples
    --------
    >>> model = RecurrentModel((Row([0.5, 0.5]), Row([1.0, 0.0]), Row([0.0, 1.0])), 2)
    >>> model.after(START, (1, 0)), model.after(START, (0, 1))
    (2, 1)
    """

    rows: tuple[Row, ...]
    stride: int = 1

    def __post_init__(self) -> None:
        if not self.rows:
            raise InvalidParameterError("rows is empty, expected one row a state")
        require_integer(self.stride, "stride", minimum=1)
        if math.gcd(self.stride, len(self.rows)) != 1:
            raise InvalidParameterError(
                f"stride is {self.stride}, expected coprime to the {len(self.rows)} states"
            )
        for state, row in enumerate(self.rows):
            require_same_vocabulary(self.rows[0], row, "rows[0]", f"rows[{state}]")

    @property
    def vocab_size(self) -> int:
        """The number of tokens, ``V``."""
        return len(self.rows[0])

    def fed(self, state: int, token: int) -> int:
        """Return the state after one token more."""
        return (self.stride * state + token + 1) % len(self.rows)

    def after(self, state: int, tokens: Iterable[int]) -> int:
        """Return the state after several tokens more."""
        for token in tokens:
            state = self.fed(state, token)
        return state

    def row(self, state: int) -> Row:
        """Return the row of the next token."""
        return self.rows[state]
