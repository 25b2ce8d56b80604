"""Siblings: several draft tokens for one position, each with the row that it was drawn from.

The rows make the joint law of the siblings whole: row ``i`` is the law of token ``i``, given the
tokens before it.  A token that was chosen and not drawn has a point mass for its row.  Tokens that
were drawn with replacement can repeat.

A `SiblingLaw` is a way to draw them from one row of the draft model.  Two ways are here; those
that belong to one rule alone stand with their rule.

Not here: how siblings are verified (`specdec_core.rules`), or their own children
(`specdec_core.sibling_trees`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from specdec_core.distributions import Prob, Row, cached_on_rows, require_same_vocabulary
from specdec_core.draws import Draws
from specdec_core.errors import ProposalMismatchError, ShapeError
from specdec_core.parameters import require_token
from specdec_core.sampling import sample

DraftSet: TypeAlias = tuple[int, ...]
"""The distinct tokens among siblings, ascending."""


@dataclass(frozen=True, slots=True)
class Siblings:
    """Draft tokens for one position, in the order in which they are to be tried.

    Parameters
    ----------
    tokens : tuple of int, length k
        Can repeat.
    draft_probs : tuple of Row, shape (k, V)
        Row ``i`` is the law that ``tokens[i]`` was drawn from, given the tokens before it.

    Raises
    ------
    ShapeError
        If there is not one row for each token, or two rows differ in length.
    InvalidTokenError
        If a token is no integer, or lies outside the vocabulary.
    ProposalMismatchError
        If a token has no probability under its row, so that it cannot have been drawn from it.

    Examples
    --------
    >>> Siblings((1,), (Row([1.0, 0.0]),))
    Traceback (most recent call last):
        ...
    specdec_core.errors.ProposalMismatchError: sibling 0: token 1 has no probability under its row
    """

    tokens: tuple[int, ...]
    draft_probs: tuple[Row, ...]

    def __post_init__(self) -> None:
        if len(self.tokens) != len(self.draft_probs):
            raise ShapeError(
                f"{len(self.tokens)} siblings and {len(self.draft_probs)} rows, expected one each"
            )
        for i, (token, row) in enumerate(zip(self.tokens, self.draft_probs, strict=True)):
            require_same_vocabulary(self.draft_probs[0], row, "draft_probs[0]", f"draft_probs[{i}]")
            require_token(token, len(row), f"sibling {i}")
            if not row[token]:
                raise ProposalMismatchError(
                    f"sibling {i}: token {token} has no probability under its row"
                )

    @property
    def draft_set(self) -> DraftSet:
        """The distinct tokens, ascending."""
        return tuple(sorted(set(self.tokens)))


NO_SIBLINGS = Siblings((), ())
"""What a leaf has for children."""


@dataclass(frozen=True, slots=True)
class SiblingLaw:
    """A way to draw siblings from one row of the draft model.

    Attributes
    ----------
    name : str
        Of the way, such as "with replacement".
    next_row : callable
        From the draft's row and the tokens drawn so far to the row of the next token.
    most : callable
        From the draft's row and ``k`` to how many of ``k`` siblings there can be.
    """

    name: str
    next_row: Callable[[Row, tuple[int, ...]], Row]
    most: Callable[[Row, int], int]

    def __call__(self, draft_probs: Row, k: int, draws: Draws) -> Siblings:
        """Draw up to ``k`` siblings, with a draw for each."""
        tokens: tuple[int, ...] = ()
        rows: tuple[Row, ...] = ()
        for _ in range(self.most(draft_probs, k)):
            rows = (*rows, self.next_row(draft_probs, tokens))
            tokens = (*tokens, sample(rows[-1], draws.uniform()))
        return Siblings(tokens, rows)

    def draft_sets(self, draft_probs: Row, k: int) -> dict[DraftSet, Prob]:
        """Return the law of the draft set of up to ``k`` siblings.

        >>> WITH_REPLACEMENT.draft_sets(Row([0.75, 0.25]), 2)
        {(0,): 0.5625, (0, 1): 0.375, (1,): 0.0625}
        """
        law: dict[DraftSet, Prob] = {}
        for tokens, prob in self._sequences(draft_probs, self.most(draft_probs, k)):
            draft_set = tuple(sorted(set(tokens)))
            law[draft_set] = law.get(draft_set, 0) + prob
        return law

    def require(self, siblings: Siblings) -> None:
        """Raise `ProposalMismatchError` unless the siblings were drawn in this way."""
        rows = siblings.draft_probs
        for i, row in enumerate(rows):
            if row != self.next_row(rows[0], siblings.tokens[:i]):
                raise ProposalMismatchError(
                    f"sibling {i} was not drawn {self.name}: its row is {row}, after the tokens "
                    f"{siblings.tokens[:i]} and the row {rows[0]}"
                )

    def _sequences(self, draft_probs: Row, size: int) -> Iterator[tuple[tuple[int, ...], Prob]]:
        """Yield every sequence of siblings, with its probability."""
        if not size:
            yield (), 1
            return
        for tokens, prob in self._sequences(draft_probs, size - 1):
            row = self.next_row(draft_probs, tokens)
            for token in row.support:
                yield (*tokens, token), prob * row[token]


@cached_on_rows
def untried(draft_probs: Row, tokens: tuple[int, ...]) -> Row:
    """Return the row with the tokens removed, and the rest, which is not nothing, at unit mass.

    >>> untried(Row([0.5, 0.25, 0.25]), (0, 2))
    Row(0.0, 1.0, 0.0)
    """
    if not tokens:
        return draft_probs
    left = [0 * prob if token in tokens else prob for token, prob in enumerate(draft_probs)]
    mass = sum(left)
    return Row([prob / mass for prob in left])


def _same(draft_probs: Row, tokens: tuple[int, ...]) -> Row:
    return draft_probs


def _all(draft_probs: Row, k: int) -> int:
    return k


def _supported(draft_probs: Row, k: int) -> int:
    return min(k, len(draft_probs.support))


WITH_REPLACEMENT = SiblingLaw("with replacement", _same, _all)
"""Independent draws from the draft's row."""

WITHOUT_REPLACEMENT = SiblingLaw("without replacement", untried, _supported)
"""Draws from what is left of the draft's row: fewer than ``k`` once nothing is."""
