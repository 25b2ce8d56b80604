"""A step that draws by itself, watched: its thresholds by bisection, its rows where it uses them.

The step is handed a generator that is none.  Its uniforms are chosen: with zeros every draft token
is kept, with the largest one the token at that place is rejected, and 53 runs in between find the
threshold to the last bit of a double.  Where the step calls ``choice`` or ``multinomial`` the row
is kept.  So some ``53 gamma`` runs see all there is to see of a round, whatever the vocabulary.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from specdec_core.errors import InvalidParameterError
from specdec_verification.real_rows import Rows
from specdec_verification.subjects.seen_rows import RowStep, SeenRows

DrawingStep: TypeAlias = Callable[[NDArray[np.int64], Rows, Rows, Any], Any]
"""From draft tokens, target rows, draft rows and a generator to the tokens that are emitted."""

_LARGEST = float(np.nextafter(1.0, 0.0))
_BITS = 53


def watched(step: DrawingStep) -> RowStep:
    """Return a step that draws as one that returns its rows.

    Parameters
    ----------
    step : callable
        Takes one uniform a draft token from ``rng.random``, one by one or as an array, accepts for
        all below a threshold, and draws its last token by ``rng.choice(V, p=row)`` or
        ``rng.multinomial(1, row)``.

    Raises
    ------
    InvalidParameterError
        When it is run, if the step draws by another method, or its last token from a uniform: its
        rows cannot be seen then.
    """

    def seen(draft_tokens: NDArray[np.int64], target_probs: Rows, draft_probs: Rows) -> SeenRows:
        def run(coins: list[float]) -> _Run:
            generator = WatchedGenerator(coins)
            tokens = step(draft_tokens, target_probs, draft_probs, generator)
            return _Run(len(tokens) - 1, generator.row)

        def accepts(position: int, u: float) -> bool:
            return run([*[0.0] * position, u]).accepted > position

        positions = range(len(draft_tokens))
        rejected = [run([*[0.0] * i, _LARGEST]) for i in positions]
        return SeenRows(
            [_threshold(partial(accepts, i)) for i in positions],
            # A token that nothing rejects is replaced from no row: the target's stands there.
            [
                run_.row if run_.accepted == i else target_probs[i]
                for i, run_ in enumerate(rejected)
            ],
            run([0.0] * len(draft_tokens)).row,
        )

    return seen


class _Run(NamedTuple):
    """How many draft tokens a run accepted, and the row that its last token came from."""

    accepted: int
    row: Rows


class WatchedGenerator:
    """Stands for a generator: hands out given uniforms, then zeros, and keeps the row it is given.

    Parameters
    ----------
    uniforms : list of float
        In ``[0, 1)``.
    """

    def __init__(self, uniforms: list[float]) -> None:
        self._uniforms = iter(uniforms)
        self._row: Rows | None = None

    @property
    def row(self) -> Rows:
        """The row that the last token was drawn from."""
        if self._row is None:
            raise InvalidParameterError(
                "the step drew its last token from a uniform, expected choice or multinomial: its "
                "rows cannot be seen"
            )
        return self._row

    def random(self, size: int | tuple[int, ...] | None = None, dtype: Any = float) -> Any:  # noqa: ANN401  (as numpy's)
        """Return the next uniform, or an array of them."""
        if size is None:
            return next(self._uniforms, 0.0)
        count = int(np.prod(size))
        drawn = [next(self._uniforms, 0.0) for _ in range(count)]
        return np.array(drawn, dtype=dtype).reshape(size)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: ArrayLike = ()) -> Any:  # noqa: ANN401  (as numpy's)
        """Keep the row, and return a token of it."""
        self._row = np.asarray(p)
        chosen = np.arange(a)[int(self._row.argmax())] if np.ndim(a) == 0 else a[0]
        return chosen if size is None else np.full(size, chosen)

    def multinomial(self, n: int, pvals: ArrayLike) -> NDArray[np.int64]:
        """Keep the row, and return a token of it as a count of one."""
        self._row = np.asarray(pvals)
        counts = np.zeros(len(self._row), dtype=np.int64)
        counts[int(self._row.argmax())] = n
        return counts

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (whatever the step asks for)
        raise InvalidParameterError(
            f"the step draws by rng.{name}, expected random, choice or multinomial: its rows "
            "cannot be seen"
        )


def _threshold(accepted: Callable[[float], bool]) -> float:
    """Return how many of the doubles ``k / 2^53`` are accepted, as a share: by bisection."""
    low, high = 0, 1 << _BITS
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if accepted(middle / (1 << _BITS)) else (low, middle)
    return low / (1 << _BITS)
