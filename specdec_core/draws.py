"""Sources of uniform draws, asked for one at a time.

A drafting, verification or decoding step is a deterministic function of its arguments and of a
sequence of uniform draws in ``[0, 1)``.  Here are the sources that answer with numbers: a
generator, and a record that is played back.  The sources that answer with a symbol, so that both
sides of each comparison can be followed, live in `specdec_grids`.

A draw is touched by `specdec_core.sampling.accepts` and `specdec_core.sampling.sample`, and by
nothing else in this package.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

import numpy as np

from specdec_core.distributions import Row
from specdec_core.errors import DrawsExhaustedError, InvalidDrawError, UnusedDrawsError


class SymbolicDraw:
    """A draw that stands for every number in ``[0, 1)`` at once.

    What `specdec_core.sampling` asks of one; each answers for one side and remembers the others.
    """

    __slots__ = ()

    def scaled_below(self, scale: Any, threshold: Any) -> bool:  # noqa: ANN401  (any numbers)
        """Return whether ``draw * scale < threshold``."""
        raise NotImplementedError

    def choose(self, row: Row) -> int:
        """Return the token whose cell of the row's cumulative sums holds the draw."""
        raise NotImplementedError


Draw: TypeAlias = float | Fraction | SymbolicDraw
"""One uniform in ``[0, 1)``: a number, or a symbol that stands for all of them."""


class Draws(Protocol):
    """A source of uniform draws in ``[0, 1)``, asked for one at a time."""

    def uniform(self) -> Draw:
        """Return the next draw."""
        ...


class GeneratedDraws:
    """Draws from a generator.

    A generator is a deterministic sequence: a tool to repeat a run with, and no mathematical source
    of independent draws, which is what the rules' laws assume.

    Parameters
    ----------
    rng : numpy.random.Generator
        Advanced by one double for each draw.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def uniform(self) -> float:
        """Return the generator's next double in ``[0, 1)``."""
        return float(self._rng.random())


class ReplayedDraws:
    """Draws played back from a record.

    Parameters
    ----------
    values : sequence of float or Fraction
        Each finite and in ``[0, 1)``.  All are checked before any is used, those that the
        replay never comes to included.
    name : str
        What to call the record in an error message.

    Raises
    ------
    InvalidDrawError
        If a value is not a finite number in ``[0, 1)``.

    Examples
    --------
    >>> draws = ReplayedDraws([0.25, 0.5])
    >>> draws.uniform(), draws.uniform()
    (0.25, 0.5)
    >>> draws.uniform()
    Traceback (most recent call last):
        ...
    specdec_core.errors.DrawsExhaustedError: draws: asked for draw 3 of 2
    """

    def __init__(self, values: Sequence[float | Fraction], name: str = "draws") -> None:
        self._values = checked_draws(values, name)
        self._name = name
        self._used = 0

    def uniform(self) -> float | Fraction:
        """Return the next recorded value.

        Raises
        ------
        DrawsExhaustedError
            If every value has been used.
        """
        if self._used == len(self._values):
            raise DrawsExhaustedError(
                f"{self._name}: asked for draw {self._used + 1} of {len(self._values)}"
            )
        self._used += 1
        return self._values[self._used - 1]

    def require_all_used(self) -> None:
        """Raise `UnusedDrawsError` if recorded values are left over."""
        left = len(self._values) - self._used
        if left:
            raise UnusedDrawsError(f"{self._name}: {left} of {len(self._values)} were left over")


class RecordedDraws:
    """Draws of another source, remembered.

    Examples
    --------
    >>> draws = RecordedDraws(ReplayedDraws([0.25, 0.5]))
    >>> _ = draws.uniform()
    >>> draws.record
    (0.25,)
    """

    def __init__(self, inner: Draws) -> None:
        self._inner = inner
        self._record: list[Draw] = []

    @property
    def record(self) -> tuple[Draw, ...]:
        """The draws handed out so far, in order."""
        return tuple(self._record)

    def uniform(self) -> Draw:
        """Return the inner source's next draw, and remember it."""
        draw = self._inner.uniform()
        self._record.append(draw)
        return draw


def checked_draws(
    values: Sequence[float | Fraction], name: str = "draws"
) -> tuple[float | Fraction, ...]:
    """Return the values as a tuple of numbers in ``[0, 1)``.

    Raises
    ------
    InvalidDrawError
        Naming the first value that is not a finite number in ``[0, 1)``.
    """
    return tuple(_checked_draw(value, f"{name}[{i}]") for i, value in enumerate(values))


def _checked_draw(value: object, place: str) -> float | Fraction:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise InvalidDrawError(
            f"{place} is {value!r} ({type(value).__name__}), expected a number in [0, 1)"
        )
    if not 0 <= value < 1:
        raise InvalidDrawError(f"{place} is {value}, expected a finite number in [0, 1)")
    return value if isinstance(value, Fraction) else float(value)
