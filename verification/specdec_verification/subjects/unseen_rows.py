"""A huge vocabulary whose rows are hidden: what counts of one position can tell.

The token at one position of a round is drawn many times over with the same rows.  Two checks share
the false-fail rate: directed cells (`directed_cells`), a dozen groups with an exact law, which see
mass that moves between them; and the split-event witness (`split_events`), which finds one set of
tokens that comes too often wherever it lies.  Counts are kept for the tokens of one position, an
integer a token, and no draw is.

Not here: rows that can be seen (see `seen_rows`), which one look settles.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from specdec_core.errors import InvalidOutcomesError
from specdec_core.models import Context
from specdec_core.parameters import require_integer
from specdec_verification.emissions import Malfunction, attempted
from specdec_verification.outcomes.counting import Coding, OutcomeCounter
from specdec_verification.results import CheckResult, Labels
from specdec_verification.statistics.directed_cells import (
    CELLS,
    check_directed_cells,
    directed_cells,
)
from specdec_verification.statistics.error_budget import ErrorBudget
from specdec_verification.statistics.sampled import Demand
from specdec_verification.statistics.split_events import check_split_event

PositionSampler: TypeAlias = Callable[
    [int, np.random.Generator], tuple[NDArray[np.integer], NDArray[np.bool_]]
]
"""From a number of rounds and a generator to the tokens at a position and which were drafted and
kept: ``tokens (n,)``, ``accepted (n,)``."""

BATCH = 1_000_000
"""Draws that are asked for together."""


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """One position of a round, its rows known and the sampler's hidden.

    Attributes
    ----------
    sampler : callable
        Drafts from ``draft_probs`` afresh for every draw.
    target_probs, draft_probs : (V,) ndarray of float
    """

    sampler: PositionSampler
    target_probs: NDArray[np.floating]
    draft_probs: NDArray[np.floating]


def check_unseen_rows(
    position: Position, draws: int, rng: np.random.Generator, *, demand: Demand, labels: Labels
) -> tuple[CheckResult, CheckResult]:
    """Check a position by directed cells and by a split event.

    Parameters
    ----------
    position : Position
    draws : int
        How many, planned beforehand: at least 2, one half to choose the event.
    rng : numpy.random.Generator
        Given to the sampler.
    demand : Demand
        The false-fail rate is of both checks together.
    labels : Labels
        What the results are called.

    Raises
    ------
    InvalidOutcomesError
        If the sampler raises, or returns another number of draws, a token outside the vocabulary,
        or anything but integers and booleans.
    """
    require_integer(draws, "draws", minimum=2)
    share = ErrorBudget(checks=2, false_fail_rate=demand.false_fail_rate).per_check
    part = replace(demand, false_fail_rate=share)
    target = np.asarray(position.target_probs, dtype=np.float64)
    cells = directed_cells(target, position.draft_probs)
    got = np.zeros(len(CELLS), dtype=np.int64)
    coding = Coding(len(target), 1)
    halves = (OutcomeCounter(coding), OutcomeCounter(coding))
    for half, size in zip(halves, (draws // 2, draws - draws // 2), strict=True):
        for start in range(0, size, BATCH):
            tokens, accepted = _drawn(position, min(BATCH, size - start), rng)
            half.add(tokens[:, None])
            got += cells.counts(tokens, accepted)
    law: dict[Context, float] = {
        (token,): prob for token, prob in enumerate((target / target.sum()).tolist())
    }
    first, second = (half.counts() for half in halves)
    return (
        check_directed_cells(got, cells, demand=part, labels=labels),
        check_split_event((first, second), law, demand=part, labels=labels),
    )


def _drawn(
    position: Position, size: int, rng: np.random.Generator
) -> tuple[NDArray[np.integer], NDArray[np.bool_]]:
    """Return a batch of draws, checked."""
    drawn = attempted(lambda: position.sampler(size, rng))
    if isinstance(drawn, Malfunction):
        raise InvalidOutcomesError(f"the sampler {drawn.reason}")
    if not isinstance(drawn, tuple | list) or len(drawn) != 2:
        raise InvalidOutcomesError(
            f"the sampler returned a {type(drawn).__name__}, expected tokens and accepted"
        )
    tokens, accepted = _array(drawn[0], "tokens"), _array(drawn[1], "accepted")
    if tokens.shape != (size,) or accepted.shape != (size,):
        raise InvalidOutcomesError(
            f"the sampler returned tokens of shape {tokens.shape} and accepted of "
            f"{accepted.shape}, expected ({size},) twice"
        )
    if accepted.dtype != np.bool_:  # numbers may be counts of tokens
        raise InvalidOutcomesError(f"accepted is {accepted.dtype}, expected booleans")
    return tokens, accepted


def _array(values: object, name: str) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except (ValueError, TypeError, RuntimeError) as error:
        raise InvalidOutcomesError(f"{name} are no array: {error}") from None
