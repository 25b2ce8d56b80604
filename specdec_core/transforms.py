"""What a sampler does to a row before a token is drawn: temperature, top-k, top-p, min-p.

Both laws of a rule are rows after these; a filter that one side applies and the other does not,
or that the two apply in another order, makes the rule follow the wrong target.

A filter is a value that says which tokens of a row it keeps.  Several together can mean two
things, which differ: `jointly` asks all of them about the row as it came, and keeps what every one
keeps; `in_sequence` brings the row back to unit mass after each, and asks the next about the
result.  Temperature is no filter, and comes before or after them as the caller writes it.

Exact rows stay exact: always under the filters, and under a temperature whose inverse is an
integer, zero included.  Another temperature takes roots, so its row is floating.

Not here: logits, penalties, or masks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from specdec_core.distributions import Prob, Row, likeliest
from specdec_core.errors import ZeroResidualError
from specdec_core.parameters import (
    require_fraction,
    require_integer,
    require_positive_fraction,
)


class Filter(Protocol):
    """Says which tokens of a row may be drawn."""

    def kept(self, row: Row) -> frozenset[int]:
        """Return the tokens kept."""
        ...


def with_temperature(row: Row, temperature: Prob) -> Row:
    """Return the row proportional to ``row ** (1 / temperature)``: at 0, all on the likeliest.

    Of equally likely tokens, temperature 0 takes the smallest.

    Parameters
    ----------
    row : Row
    temperature : int, Fraction or float
        Finite, and at least 0.

    Raises
    ------
    InvalidParameterError
        If the temperature is no such number.

    Examples
    --------
    >>> from fractions import Fraction
    >>> row = Row([Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)])
    >>> with_temperature(row, 0.5), with_temperature(row, 0)
    (Row(1/6, 2/3, 1/6), Row(0, 1, 0))
    """
    temperature = require_fraction(temperature, "temperature", minimum=0)
    if not temperature:
        return _restricted(row, frozenset({likeliest(row)}))
    if temperature == 1:
        return row
    highest = max(row)  # divided out, so that a small temperature does not lose every token
    return _unit([(prob / highest) ** (1 / temperature) for prob in row])


@dataclass(frozen=True, slots=True)
class TopK:
    """Keeps the ``k`` most probable tokens, all if there are no more; of equal ones the smaller.

    Raises
    ------
    InvalidParameterError
        If ``k`` is no integer, or less than 1.  No value stands for "off": leave the filter out.

    Examples
    --------
    >>> sorted(TopK(2).kept(Row([0.25, 0.5, 0.25])))
    [0, 1]
    """

    k: int

    def __post_init__(self) -> None:
        require_integer(self.k, "k", minimum=1)

    def kept(self, row: Row) -> frozenset[int]:
        """Return the tokens kept."""
        return frozenset(_ranked(row)[: self.k])


@dataclass(frozen=True, slots=True)
class TopP:
    """Keeps the fewest most probable tokens whose mass is at least ``mass``.

    The token that reaches the mass is kept; of equal tokens, the smaller goes first.

    Raises
    ------
    InvalidParameterError
        If ``mass`` is no number in ``(0, 1]``.

    Examples
    --------
    >>> sorted(TopP(0.75).kept(Row([0.25, 0.5, 0.25])))
    [0, 1]
    """

    mass: Prob

    def __post_init__(self) -> None:
        mass = require_positive_fraction(self.mass, "mass", maximum=1)
        object.__setattr__(self, "mass", mass)

    def kept(self, row: Row) -> frozenset[int]:
        """Return the tokens kept."""
        kept: set[int] = set()
        reached = row[0] * 0
        for token in _ranked(row):
            if reached >= self.mass or not row[token]:
                break
            kept.add(token)
            reached += row[token]
        return frozenset(kept)


@dataclass(frozen=True, slots=True)
class MinP:
    """Keeps the tokens at least ``share`` times as probable as the likeliest.

    Raises
    ------
    InvalidParameterError
        If ``share`` is no number in ``[0, 1]``.

    Examples
    --------
    >>> sorted(MinP(0.5).kept(Row([0.25, 0.5, 0.25])))
    [0, 1, 2]
    """

    share: Prob

    def __post_init__(self) -> None:
        share = require_fraction(self.share, "share", minimum=0, maximum=1)
        object.__setattr__(self, "share", share)

    def kept(self, row: Row) -> frozenset[int]:
        """Return the tokens kept."""
        least = self.share * max(row)
        return frozenset(token for token, prob in enumerate(row) if prob >= least)


def jointly(row: Row, filters: Sequence[Filter]) -> Row:
    """Return the row restricted to what every filter keeps of the row as it came.

    Raises
    ------
    ZeroResidualError
        If the filters leave no token of nonzero probability; those of this module never do.

    Examples
    --------
    >>> jointly(Row([0.375, 0.375, 0.25]), (TopK(2), TopP(0.625)))
    Row(0.5, 0.5, 0.0)
    """
    kept = frozenset(range(len(row))).intersection(*(filter_.kept(row) for filter_ in filters))
    return _restricted(row, kept)


def in_sequence(row: Row, filters: Sequence[Filter]) -> Row:
    """Return the row restricted by one filter after another, at unit mass after each.

    Raises
    ------
    ZeroResidualError
        If a filter leaves no token of nonzero probability; those of this module never do.

    Examples
    --------
    >>> in_sequence(Row([0.375, 0.375, 0.25]), (TopK(2), TopP(0.5)))
    Row(1.0, 0.0, 0.0)
    """
    for filter_ in filters:
        row = _restricted(row, filter_.kept(row))
    return row


def _ranked(row: Row) -> list[int]:
    """Return the tokens, most probable first; of equal ones, the smaller."""
    return sorted(range(len(row)), key=lambda token: -row[token])


def _restricted(row: Row, kept: frozenset[int]) -> Row:
    if kept.issuperset(row.support):
        return row
    return _unit([prob if token in kept else prob * 0 for token, prob in enumerate(row)])


def _unit(weights: Sequence[Prob]) -> Row:
    mass = sum(weights)
    if not mass:
        raise ZeroResidualError("the filters leave no token of nonzero probability")
    return Row._trusted(weight / mass for weight in weights)
