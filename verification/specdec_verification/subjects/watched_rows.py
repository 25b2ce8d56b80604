"""A step that draws by itself, watched: its thresholds by bisection, its rows where it uses them.

The step is handed a generator that is none.  Its uniforms are chosen: with zeros every draft token
is kept, with the largest one the token at that place is rejected, and 53 runs in between find the
threshold to the last bit of a double.  Where the step calls ``choice`` or ``multinomial`` the row
is kept, spread over the vocabulary if only some tokens stand in it, and the token chosen must be
the one that the step emits last.  So some ``53 gamma`` runs see all there is to see of a round,
whatever the vocabulary.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from specdec_core.errors import InvalidParameterError, InvalidTokenError, ShapeError
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
    InvalidTokenError
        When it is run, if the step emits other tokens than those drafted, and last the one chosen.
    """

    def seen(draft_tokens: NDArray[np.int64], target_probs: Rows, draft_probs: Rows) -> SeenRows:
        def run(coins: list[float]) -> _Run:
            generator = WatchedGenerator(coins, target_probs.shape[1])
            tokens = list(step(draft_tokens, target_probs, draft_probs, generator))
            row = generator.row
            _require_emitted(tokens, draft_tokens.tolist(), generator.chosen)
            return _Run(len(tokens) - 1, row)

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


def _require_emitted(tokens: list[int], draft_tokens: list[int], chosen: int) -> None:
    """Raise `InvalidTokenError` unless accepted draft tokens are emitted, then the one chosen."""
    expected = [*draft_tokens[: len(tokens) - 1], chosen]
    if tokens != expected:
        raise InvalidTokenError(f"emitted {tokens}, expected {expected}")


class WatchedGenerator:
    """Stands for a generator: hands out given uniforms, then zeros, and keeps the row it is given.

    Parameters
    ----------
    uniforms : list of float
        In ``[0, 1)``.
    vocab_size : int
        Of the row that is kept, whatever part of it is handed over.
    """

    chosen: int = -1
    """What the last categorical draw returned."""

    def __init__(self, uniforms: list[float], vocab_size: int) -> None:
        self._uniforms = iter(uniforms)
        self._vocab_size = vocab_size
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
            return self.random(1, dtype)[0]
        count = int(np.prod(size))
        drawn = [next(self._uniforms, 0.0) for _ in range(count)]
        # The largest double below one is no float32: it would be rounded to one, which none draws.
        largest = np.nextafter(np.ones(1, dtype), np.zeros(1, dtype))
        return np.minimum(np.array(drawn, dtype=dtype), largest).reshape(size)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: ArrayLike = ()) -> Any:  # noqa: ANN401  (as numpy's)
        """Keep the row, and return a token of it."""
        tokens, probs = np.arange(a) if np.ndim(a) == 0 else np.asarray(a), np.asarray(p)
        if tokens.shape != probs.shape:
            raise ShapeError(f"choice of {tokens.shape} tokens by {probs.shape} probabilities")
        chosen = self._keep(tokens, probs)
        return chosen if size is None else np.full(size, chosen)

    def multinomial(self, n: int, pvals: ArrayLike) -> NDArray[np.int64]:
        """Keep the row, and return a token of it as a count of one."""
        probs = np.asarray(pvals)
        counts = np.zeros(len(probs), dtype=np.int64)
        counts[self._keep(np.arange(len(probs)), probs)] = n
        return counts

    def _keep(self, tokens: NDArray[np.int64], probs: Rows) -> np.int64:
        """Keep the row of the whole vocabulary, and return its likeliest token."""
        self._row = np.zeros(self._vocab_size, dtype=probs.dtype)
        np.add.at(self._row, tokens, probs)  # a token past the vocabulary is the step's fault
        chosen: np.int64 = tokens[int(probs.argmax())]
        self.chosen = int(chosen)
        return chosen

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
