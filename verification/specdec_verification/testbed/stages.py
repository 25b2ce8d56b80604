"""From a model's row to the row that a token is drawn from: one stage after another.

A row passes the penalties, the bias, the masks (banned tokens, stop tokens that come too early,
the grammar), the temperature and the filters, in this order.  Top-k, top-p and min-p are asked of
the same row, jointly.  The plain loop and the speculative one, the target's rows and the
draft's, all pass the same stages: what differs is the position, and a fault is a stage that is
missing, doubled, out of order, or told of the wrong position.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from specdec_core.distributions import Prob, Row
from specdec_core.models import Context
from specdec_core.transforms import Filter, MinP, TopK, TopP, jointly, with_temperature
from specdec_verification.testbed.requests import Request, Sampling


@dataclass(frozen=True, slots=True)
class Position:
    """Where one row stands.

    Attributes
    ----------
    request : Request
        Whose parameters apply.
    raw : Row
        The model's row, over the target's vocabulary.
    history : tuple of int
        Prompt, answer and draft tokens before this position.
    grammar_state : int
        After all of them.
    index : int
        How many draft tokens stand between the round's start and here.
    last : int
        How many the round may have; the row of this index is the bonus row.
    """

    request: Request
    raw: Row
    history: Context
    grammar_state: int
    index: int = 0
    last: int = 0

    @property
    def answer(self) -> Context:
        """What was generated before this position."""
        return self.history[len(self.request.prompt) :]


Stage: TypeAlias = Callable[[Position, Row], Row]
"""From a position and the row so far to the row after the stage."""

RowStep: TypeAlias = Callable[[Position], Row]
"""From a position to the row that its token is drawn from."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """Keeps the tokens that a mask allows."""

    tokens: frozenset[int]

    def kept(self, row: Row) -> frozenset[int]:
        """Return the tokens kept."""
        return self.tokens


def penalised(position: Position, row: Row) -> Row:
    """Apply the repetition, presence and frequency penalties."""
    penalties, answer = position.request.penalties, position.answer
    seen = frozenset(position.history)
    weights = [p**penalties.repetition if t in seen else p for t, p in enumerate(row)]
    for token in set(answer):
        weights[token] *= penalties.presence * penalties.frequency ** answer.count(token)
    return unit(weights)


def biased(position: Position, row: Row) -> Row:
    """Multiply each token's weight by its factor."""
    bias = position.request.constraints.bias
    return unit([p * factor for p, factor in zip(row, bias, strict=True)]) if bias else row


def unbanned(position: Position, row: Row) -> Row:
    """Take the banned tokens out, and while the answer is too short, the stop tokens."""
    constraints = position.request.constraints
    forbidden = constraints.banned
    if len(position.answer) < constraints.min_new_tokens:
        forbidden |= position.request.limits.stop_tokens
    return jointly(row, (Allowed(frozenset(range(len(row))) - forbidden),))


def grammatical(position: Position, row: Row) -> Row:
    """Take out what the grammar does not allow."""
    grammar = position.request.grammar
    return jointly(row, (Allowed(grammar.allowed(position.grammar_state)),)) if grammar else row


def tempered(position: Position, row: Row) -> Row:
    """Apply the temperature."""
    temperature = position.request.sampling.temperature
    return row if temperature is None else with_temperature(row, temperature)


def filtered(position: Position, row: Row) -> Row:
    """Apply top-k, top-p and min-p, each to the row as it comes."""
    return jointly(row, filters(position.request.sampling))


def filters(sampling: Sampling) -> tuple[Filter, ...]:
    """Return the filters that were asked for."""
    asked: list[Filter] = []
    if sampling.top_k is not None:
        asked.append(TopK(sampling.top_k))
    if sampling.top_p is not None:
        asked.append(TopP(sampling.top_p))
    if sampling.min_p is not None:
        asked.append(MinP(sampling.min_p))
    return tuple(asked)


STAGES: tuple[Stage, ...] = (penalised, biased, unbanned, grammatical, tempered, filtered)
"""All of them, in their order."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A row step: stages in a row.

    Raises
    ------
    ZeroResidualError
        When called, if a mask leaves no token of nonzero probability.
    """

    stages: tuple[Stage, ...] = STAGES

    def __call__(self, position: Position) -> Row:
        """Return the row after all stages."""
        return _through(self.stages, position)


WHOLE = Pipeline()
"""All stages."""


@lru_cache(maxsize=1 << 14)  # a loop whose paths are followed asks for the same few rows
def _through(stages: tuple[Stage, ...], position: Position) -> Row:
    row = position.raw
    for stage in stages:
        row = stage(position, row)
    return row


def unit(weights: Sequence[Prob]) -> Row:
    """Return the row proportional to exact weights, not all of them zero."""
    mass = Fraction(sum(weights))
    return Row(weight / mass for weight in weights)
