"""Slips in the rows of a serving loop: parameters, filters, penalties, masks, recorded rows.

A wrong row is right arithmetic in the wrong place.  So the pieces here are few: a pipeline that
leaves stages out, one that sees the position otherwise than it is, and one that is used at some
positions only.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from specdec_core.distributions import Row, likeliest, point_mass
from specdec_core.draws import Draws
from specdec_core.errors import InvalidTokenError
from specdec_core.transforms import in_sequence
from specdec_verification.testbed.lanes import Seat
from specdec_verification.testbed.requests import Sampling
from specdec_verification.testbed.stages import (
    STAGES,
    WHOLE,
    Pipeline,
    Position,
    RowStep,
    Stage,
    biased,
    filtered,
    filters,
    grammatical,
    penalised,
    tempered,
    unbanned,
    unit,
)


def without(*stages: Stage) -> Pipeline:
    """Return the pipeline that leaves stages out."""
    return Pipeline(tuple(stage for stage in STAGES if stage not in stages))


def with_stage(stage: Stage, other: Stage) -> Pipeline:
    """Return the pipeline with one stage in the place of another."""
    return Pipeline(tuple(other if own is stage else own for own in STAGES))


@dataclass(frozen=True, slots=True)
class Seeing:
    """The pipeline, told of another position than the one where its row stands."""

    change: Callable[[Position], Position]

    def __call__(self, position: Position) -> Row:
        """Return the row for the changed position."""
        return WHOLE(self.change(position))


@dataclass(frozen=True, slots=True)
class Where:
    """One row step at some positions, the right one at all others."""

    place: Callable[[Position], bool]
    there: RowStep

    def __call__(self, position: Position) -> Row:
        """Return the row."""
        return self.there(position) if self.place(position) else WHOLE(position)


def is_bonus(position: Position) -> bool:
    """Whether this is the row after the whole draft."""
    return position.index == position.last


def is_verified(position: Position) -> bool:
    """Whether a draft token stands here."""
    return not is_bonus(position)


def is_later(position: Position) -> bool:
    """Whether this is another row than a round's first."""
    return position.index > 0


def is_first_token(position: Position) -> bool:
    """Whether this is the first token of an answer."""
    return not position.answer


def sampled_with(position: Position, sampling: Sampling) -> Position:
    """Return the position with other sampling parameters."""
    return replace(position, request=replace(position.request, sampling=sampling))


def greedily(position: Position) -> Position:
    """Take a temperature of zero."""
    sampling = replace(position.request.sampling, temperature=Fraction(0))
    return sampled_with(position, sampling)


def without_top_p(position: Position) -> Position:
    """Overlook top-p."""
    return sampled_with(position, replace(position.request.sampling, top_p=None))


def without_min_p_and_bias(position: Position) -> Position:
    """Overlook min-p and the bias."""
    request = position.request
    sampling = replace(request.sampling, min_p=None)
    constraints = replace(request.constraints, bias=())
    return replace(position, request=replace(request, sampling=sampling, constraints=constraints))


def without_least_length(position: Position) -> Position:
    """Overlook how long the answer is to be at least."""
    request = position.request
    constraints = replace(request.constraints, min_new_tokens=0)
    return replace(position, request=replace(request, constraints=constraints))


def unset_as_greedy(position: Position) -> Position:
    """Take a temperature that was not given for zero."""
    return greedily(position) if position.request.sampling.temperature is None else position


def zero_as_small(position: Position) -> Position:
    """Take a small temperature for zero."""
    sampling = position.request.sampling
    small = replace(sampling, temperature=Fraction(1, 4))
    return sampled_with(position, small) if sampling.temperature == 0 else position


def divided_by_temperature(position: Position, row: Row) -> Row:
    """Divide by the temperature, whatever it is."""
    temperature = position.request.sampling.temperature
    return row if temperature is None else unit([p ** int(1 / temperature) for p in row])


def by_sentinel(position: Position, row: Row) -> Row:
    """Divide by the mark for a temperature that was not given, which is -1."""
    if position.request.sampling.temperature is not None:
        return tempered(position, row)
    return unit([1 / Fraction(p) if p else Fraction(0) for p in row])


def filtered_in_sequence(position: Position, row: Row) -> Row:
    """Apply each filter to what the one before it left."""
    return in_sequence(row, filters(position.request.sampling))


FILTERED_FIRST = Pipeline((*STAGES[:-2], filtered, tempered))
"""The filters, and then the temperature."""

MASKED_LAST = Pipeline((penalised, biased, tempered, filtered, unbanned, grammatical))
"""The masks after all else."""

BIASED_FIRST = Pipeline((biased, penalised, *STAGES[2:]))
"""The bias, and then the penalties."""

TEMPERED_TWICE = Pipeline((*STAGES[:-1], tempered, filtered))
"""Every stage, and the temperature once more."""


def one_token_late(position: Position) -> Position:
    """Leave the last token out of the history."""
    return replace(position, history=position.history[:-1])


def at_round_start(position: Position) -> Position:
    """Leave the draft out of the history."""
    return replace(position, history=position.history[: len(position.history) - position.index])


def refused_after_stop(position: Position) -> Row:
    """Refuse a mask for a row that stands after a drafted stop token."""
    drafted = position.history[len(position.history) - position.index :]
    if position.request.limits.stop_tokens.intersection(drafted):
        raise InvalidTokenError("a mask was asked for after the stop token")
    return WHOLE(position)


def argmax(row: Row, draws: Draws) -> int:
    """Take the likeliest token, and draw nothing."""
    return likeliest(row)


def rounded(position: Position) -> Row:
    """Round the row to eighths, as a narrow format would."""
    row = WHOLE(position)
    eighths = [Fraction(round(p * 8), 8) for p in row[:-1]]
    return Row([*eighths, 1 - sum(eighths)])


def recorded_exactly(seat: Seat, position: Position, row: Row) -> Row:
    """Record the row as it is before rounding."""
    return WHOLE(position)


def recorded_unfiltered(seat: Seat, position: Position, row: Row) -> Row:
    """Record the row as it is before the filters."""
    return without(filtered)(position)


def recorded_unwritten(seat: Seat, position: Position, row: Row) -> Row:
    """Record what the memory happened to hold."""
    return point_mass(0, len(row))


def recorded_unmapped(seat: Seat, position: Position, row: Row) -> Row:
    """Record the draft's own row, by the draft's own ids."""
    ids = seat.case.draft_ids
    probs = [row[token] for token in ids]
    return Row([*probs, *[Fraction(0)] * (len(row) - len(ids))])
