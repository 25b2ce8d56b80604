"""Models that are asked for many contexts at once.

A batch model answers a sequence of contexts with one row each, and labels every row with its
context.  The labels make the order of the rows something that is checked rather than trusted:
`ask` refuses an answer that is missing, extra, out of order, or for another context.

A batch model must be pure, as a context model is: a context gets the same row whatever else is
asked with it, before it or after it.  One that keeps state (a cache, say) is its owner's to reset.

Not here: padding, masks, devices, key-value caches, or anything else that makes a batch fast.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from specdec_core.distributions import Row
from specdec_core.errors import InvalidScoresError, InvalidTokenError
from specdec_core.models import Context, ContextModel, context_key
from specdec_core.parameters import require_token


@dataclass(frozen=True, slots=True)
class ScoredContext:
    """A row, and the context that it follows.

    Parameters
    ----------
    context : sequence of int
    row : (V,) Row, or whatever `Row` takes

    Raises
    ------
    InvalidDistributionError
        If the row is no distribution.
    """

    context: Context
    row: Row

    def __post_init__(self) -> None:
        object.__setattr__(self, "context", tuple(self.context))
        if not isinstance(self.row, Row):
            place = f"the row of the context {context_key(self.context)!r}"
            object.__setattr__(self, "row", Row(self.row, place))


BatchModel: TypeAlias = Callable[[Sequence[Context]], Sequence[ScoredContext]]
"""A pure function from contexts to their rows, one each and in the same order."""


def batch_model(model: ContextModel) -> BatchModel:
    """Return the batch model that asks a pure context model for each context in turn."""

    def answer(contexts: Sequence[Context]) -> tuple[ScoredContext, ...]:
        return tuple(ScoredContext(context, model(context)) for context in contexts)

    return answer


def ask(model: BatchModel, contexts: Sequence[Context], name: str = "model") -> tuple[Row, ...]:
    """Return the rows of the contexts, in their order, from one call of the model.

    Raises
    ------
    InvalidScoresError
        If the answers are not one `ScoredContext` for each context, in the order asked.
    InvalidTokenError
        If a context holds a token that its own row has no probability for.

    Examples
    --------
    >>> def backwards(contexts):
    ...     return [ScoredContext(context, Row([0.5, 0.5])) for context in reversed(contexts)]
    >>> ask(backwards, [(0,), (1,)], "target")
    Traceback (most recent call last):
        ...
    specdec_core.errors.InvalidScoresError: target: answer 0 is for the context '1', expected '0'
    """
    asked = tuple(contexts)
    answers = tuple(model(asked))
    _require_answers(asked, answers, name)
    for answer in answers:
        vocab_size = len(answer.row)
        outside = [token for token in answer.context if not 0 <= token < vocab_size]
        if outside:
            place = f"{name}: the context {context_key(answer.context)!r}"
            require_token(outside[0], vocab_size, place)
    return tuple(answer.row for answer in answers)


def checked_context(context: Sequence[int], name: str = "prompt") -> Context:
    """Return the context as a tuple of ints.

    Raises
    ------
    InvalidTokenError
        Naming the first token that is no integer, or negative.  That every token lies in the
        vocabulary is checked when a model's first row tells how large that is.
    """
    tokens = tuple(context)
    for i, token in enumerate(tokens):
        if isinstance(token, bool) or not isinstance(token, int | np.integer) or token < 0:
            raise InvalidTokenError(
                f"{name}[{i}]: token {token!r} ({type(token).__name__}), "
                "expected an integer of at least 0"
            )
    return tuple(map(int, tokens))


@dataclass(frozen=True, slots=True)
class ModelUse:
    """How often a model was used.

    Attributes
    ----------
    batches : int
        Calls of the batch model.
    queries : int
        Contexts asked for in all of them.
    """

    batches: int
    queries: int


class CountedModel:
    """A batch model that counts what it is asked, at the call itself.

    Examples
    --------
    >>> model = CountedModel(batch_model(lambda context: Row([0.5, 0.5])))
    >>> _ = ask(model, [(0,), (1,)])
    >>> model.use
    ModelUse(batches=1, queries=2)
    """

    def __init__(self, inner: BatchModel) -> None:
        self._inner = inner
        self._batches = 0
        self._queries = 0

    @property
    def use(self) -> ModelUse:
        """How often it was used so far."""
        return ModelUse(self._batches, self._queries)

    def __call__(self, contexts: Sequence[Context]) -> Sequence[ScoredContext]:
        """Count the contexts, and return the inner model's answers."""
        self._batches += 1
        self._queries += len(contexts)
        return self._inner(contexts)


def _require_answers(asked: Sequence[Context], answers: Sequence[object], name: str) -> None:
    for i, (context, answer) in enumerate(zip(asked, answers, strict=False)):
        if not isinstance(answer, ScoredContext):
            raise InvalidScoresError(
                f"{name}: answer {i} is a {type(answer).__name__}, expected a ScoredContext"
            )
        if answer.context != context:
            raise InvalidScoresError(
                f"{name}: answer {i} is for the context {context_key(answer.context)!r}, "
                f"expected {context_key(context)!r}"
            )
    if len(answers) != len(asked):
        raise InvalidScoresError(
            f"{name}: {len(answers)} answers, expected one for each of {len(asked)} contexts"
        )
