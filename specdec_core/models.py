"""Context models: what stands where a language model would.

A model is a pure function from a context (the token ids so far) to the row of the next token.
`TableModel` is one written down, and the only kind that an instance file holds; any callable
that is pure will do elsewhere.  A pure model is what makes a joint law a product of rows, and the
correctness of every rule here rests on it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

from specdec_core.distributions import Row, require_same_vocabulary
from specdec_core.errors import InvalidParameterError, MissingContextError, ShapeError
from specdec_core.parameters import require_token

Context: TypeAlias = tuple[int, ...]
"""Token ids, oldest first."""


class ContextModel(Protocol):
    """A pure function of the context: the same context gets the same row, whoever asks."""

    def __call__(self, context: Context, /) -> Row:
        """Return the row of the token that follows ``context``."""
        ...


@dataclass(frozen=True, slots=True)
class TableModel:
    """A model that is a table from contexts to rows.

    Parameters
    ----------
    table : mapping of tuple of int to Row
        At least one row; all over one vocabulary, which every token of every context is in.
        Copied, so that changing the mapping later does not change the model.
    name : str
        What to call the model in an error message; not compared.

    Raises
    ------
    ShapeError
        If the table is empty, or two rows differ in length.
    InvalidTokenError
        If a context holds a token outside the vocabulary.

    Examples
    --------
    >>> model = TableModel({(): Row([0.5, 0.5]), (0,): Row([1.0, 0.0])}, name="target")
    >>> model((0,))
    Row(1.0, 0.0)
    >>> model((1,))
    Traceback (most recent call last):
        ...
    specdec_core.errors.MissingContextError: target has no row for the context '1'
    """

    table: Mapping[Context, Row]
    name: str = field(default="model", compare=False)

    def __post_init__(self) -> None:
        if not self.table:
            raise ShapeError(f"{self.name} holds no row, expected at least one")
        copy = {
            tuple(context): Row(row, f"{self.name}[{context_key(tuple(context))!r}]")
            for context, row in self.table.items()
        }
        first_context, first_row = next(iter(copy.items()))
        for context, row in copy.items():
            place = self._place(context)
            require_same_vocabulary(first_row, row, self._place(first_context), place)
            for token in context:
                require_token(token, len(row), f"the context of {place}")
        object.__setattr__(self, "table", MappingProxyType(copy))

    def __reduce__(self) -> tuple[Any, ...]:
        return TableModel, (dict(self.table), self.name)  # a read-only mapping cannot be pickled

    @property
    def vocab_size(self) -> int:
        """The number of tokens, ``V``."""
        return len(next(iter(self.table.values())))

    def __call__(self, context: Context, /) -> Row:
        """Return the row for ``context``, a tuple, or raise `MissingContextError`."""
        try:
            return self.table[context]
        except KeyError:
            raise MissingContextError(
                f"{self.name} has no row for the context {context_key(context)!r}"
            ) from None
        except TypeError:
            raise InvalidParameterError(
                f"{self.name}: the context is {context!r} ({type(context).__name__}), "
                "expected a tuple of tokens"
            ) from None

    def _place(self, context: Context) -> str:
        return f"{self.name}[{context_key(context)!r}]"


@dataclass(frozen=True, slots=True)
class ConstantModel:
    """A model that answers every context with one row.

    A fixture on such a model cannot see a row that is read at the wrong position: use it to
    reproduce published numbers, not to verify.
    """

    row: Row

    def __post_init__(self) -> None:
        object.__setattr__(self, "row", Row(self.row))

    @property
    def vocab_size(self) -> int:
        """The number of tokens, ``V``."""
        return len(self.row)

    def __call__(self, context: Context, /) -> Row:
        """Return the one row."""
        return self.row


def context_key(context: Context) -> str:
    """Return the context as an instance file writes it.

    >>> context_key((0, 12)), context_key(())
    ('0,12', '')
    """
    return ",".join(map(str, context))
