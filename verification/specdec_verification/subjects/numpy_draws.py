"""What numpy's generators do, on symbols: one function for each of their methods.

Each has the signature of the method, after the stream that it draws from and ``like``: what the
real method returned for the same arguments, on a generator of ours.  So the checks of arguments,
their errors and the shapes are numpy's own; only the values are symbols.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from specdec_grids.affine import opaque
from specdec_grids.resolutions import LeftEndpoints, Resolution
from specdec_verification.subjects.arrays import elementwise, is_symbol, note_floats, symbol_array
from specdec_verification.subjects.curves import Item
from specdec_verification.subjects.running import current
from specdec_verification.subjects.stream_draw import StreamDraw
from specdec_verification.subjects.streams import Stream

DOUBLES = LeftEndpoints(1 << 53)
SINGLES = LeftEndpoints(1 << 24)
MAX_OUTCOMES = 4096
"""Of one draw of an integer; each is a path."""


def random(stream: Stream, like: Item, *_: Item, dtype: Item = np.float64, **__: Item) -> Item:
    """Draw uniforms."""
    if np.dtype(dtype) == np.float32:
        current().single = True
        return _shaped(like, _symbols(stream, like, "uniform of 24 bits", SINGLES))
    return _shaped(like, _uniforms(stream, like))


def uniform(
    stream: Stream, like: Item, low: Item = 0.0, high: Item = 1.0, size: Item = None
) -> Item:
    """Draw uniforms between two ends."""
    lows, widths = _spread(like, low), _spread(like, np.subtract(high, low))
    drawn = zip(_uniforms(stream, like), widths, lows, strict=True)
    return _shaped(like, (symbol * width + start for symbol, width, start in drawn))


def exponential(stream: Stream, like: Item, scale: Item = 1.0, size: Item = None) -> Item:
    """Draw exponential noise."""
    symbols = _symbols(stream, like, "exponential")
    return _scaled(like, symbols, _exponential, scale)


def standard_exponential(stream: Stream, like: Item, *_: Item, **__: Item) -> Item:
    """Draw exponential noise of mean one."""
    return exponential(stream, like)


def legacy_exponential(stream: Stream, like: Item, scale: Item = 1.0, size: Item = None) -> Item:
    """Draw exponential noise as the legacy generator does: from one uniform."""
    return _scaled(like, _uniforms(stream, like), _exponential, scale)


def gumbel(
    stream: Stream, like: Item, loc: Item = 0.0, scale: Item = 1.0, size: Item = None
) -> Item:
    """Draw Gumbel noise: numpy makes it from one uniform."""
    noise = _scaled(like, _uniforms(stream, like), _gumbel, scale)
    return noise + loc


def choice(
    stream: Stream,
    like: Item,
    a: Item,
    size: Item = None,
    replace: bool = True,
    p: Item = None,
    axis: int = 0,
    shuffle: bool = True,
) -> Item:
    """Choose items, with given probabilities or uniformly, with or without replacement."""
    note_floats([p])
    items = np.arange(a) if np.ndim(a) == 0 else np.asarray(a)
    weights = [1] * items.shape[axis] if p is None else np.asarray(p, dtype=float).tolist()
    count = 1 if size is None else int(np.prod(size))
    if replace:
        kind = _below(len(weights)) if p is None else "uniform"
        picked = [_take(stream, kind, DOUBLES).choose(weights) for _ in range(count)]
    elif not shuffle and p is None and count > 1:
        opaque("choice with shuffle=False", "numpy leaves the order open; only the set is uniform")
    else:
        kind = f"choice of {count} without replacement from {weights}"
        picked = list(_without_replacement(stream, weights, count, kind))
    index = picked[0] if size is None else np.array(picked, dtype=np.int64).reshape(size)
    return np.take(items, index, axis=axis)


def integers(
    stream: Stream,
    like: Item,
    low: Item,
    high: Item = None,
    size: Item = None,
    dtype: Item = np.int64,
    endpoint: bool = False,
) -> Item:
    """Draw integers between two ends."""
    lows, highs = (0, low) if high is None else (low, high)
    ends = zip(_spread(like, lows), _spread(like, highs), strict=True)
    bits = "" if np.dtype(dtype) == np.int64 else f", of type {np.dtype(dtype)}"
    drawn = [_integer(stream, int(first), int(last) + endpoint, bits) for first, last in ends]
    return _like(like, drawn)


def multinomial(stream: Stream, like: Item, n: Item, pvals: Item, size: Item = None) -> Item:
    """Count how often each of several outcomes occurs in ``n`` trials."""
    note_floats([pvals])
    rows = np.broadcast_to(np.asarray(pvals, dtype=float), np.shape(like))
    trials = np.broadcast_to(np.asarray(n)[..., np.newaxis], np.shape(like))[..., :1]
    counts = np.zeros(np.shape(like), dtype=np.int64)
    for place in np.ndindex(np.shape(like)[:-1]):
        row = _filled(rows[place].tolist())
        for _ in range(int(trials[place][0])):
            counts[(*place, _take(stream, f"multinomial {row}").choose(row))] += 1
    return counts


def binomial(stream: Stream, like: Item, n: Item, p: Item, size: Item = None) -> Item:
    """Draw how many of ``n`` trials succeed."""
    trials = zip(_spread(like, n), _spread(like, p), strict=True)
    drawn = [
        _take(stream, f"binomial {number}, {prob}").choose(
            _binomial_row(int(number), Fraction(prob))
        )
        for number, prob in trials
    ]
    return _like(like, drawn)


def permutation(stream: Stream, like: Item, x: Item, axis: int = 0) -> Item:
    """Put items into a random order."""
    items = np.arange(x) if np.ndim(x) == 0 else np.asarray(x)
    count = items.shape[axis]
    order = list(_without_replacement(stream, [1] * count, count, f"permutation of {count}"))
    return np.take(items, order, axis=axis)


def shuffle(stream: Stream, like: Item, x: Item, axis: int = 0) -> None:
    """Put the items of a sequence into a random order, in place."""
    order = list(_without_replacement(stream, [1] * len(x), len(x), f"shuffle of {len(x)}"))
    if axis:
        opaque("shuffle along another axis than the first")
    x[:] = [x[place] for place in order] if isinstance(x, list) else x[order].copy()


def refused(name: str) -> Callable[..., Any]:
    """Return an operation that refuses, by its name."""

    def refuse(stream: Stream, like: Item, *arguments: Item, **options: Item) -> Item:
        opaque(f"numpy.random's {name}", "its law is not followed")

    return refuse


def _exponential(uniform: Item) -> Item:
    return -elementwise("log", [1 - uniform])


def _gumbel(uniform: Item) -> Item:
    return -elementwise("log", [_exponential(uniform)])


def _take(stream: Stream, kind: str, resolution: Resolution = DOUBLES) -> StreamDraw:
    return stream.take(current(), kind, resolution)


def _symbols(
    stream: Stream, like: Item, kind: str, resolution: Resolution = DOUBLES
) -> Iterator[Item]:
    for _ in range(np.size(like)):
        yield _take(stream, kind, resolution).symbol()


def _uniforms(stream: Stream, like: Item) -> Iterator[Item]:
    return _symbols(stream, like, "uniform")


def _spread(like: Item, values: Item) -> list[Any]:
    """Return values broadcast to the result's shape, in order."""
    return np.broadcast_to(values, np.shape(like)).ravel().tolist()


def _shaped(like: Item, symbols: Iterator[Any]) -> Item:
    """Return symbols in the result's shape; numbers, if a path is replayed, in its type too."""
    elements = list(symbols)
    if isinstance(like, np.ndarray):
        made = symbol_array(elements, like.shape)
        return made if made.dtype == object else made.astype(like.dtype)
    return elements[0] if is_symbol(elements[0]) else type(like)(elements[0])


def _scaled(
    like: Item, symbols: Iterator[Item], curve: Callable[[Item], Item], scale: Item
) -> Item:
    pairs = zip(symbols, _spread(like, scale), strict=True)
    return _shaped(like, (curve(symbol) * factor for symbol, factor in pairs))


def _like(like: Item, drawn: Sequence[int]) -> Item:
    """Return integers in the result's shape and type."""
    return np.array(drawn, dtype=np.asarray(like).dtype).reshape(np.shape(like))[()]


def _below(n: int, bits: str = "") -> str:
    """Return the kind of an integer below ``n``: how the bits become one depends on it."""
    return f"integer below {n}{bits}"


def _integer(stream: Stream, low: int, high: int, bits: str) -> int:
    if high - low > MAX_OUTCOMES:
        opaque(f"an integer of {high - low} values", f"at most {MAX_OUTCOMES} are followed")
    return low + _take(stream, _below(high - low, bits)).choose([1] * (high - low))


def _without_replacement(
    stream: Stream, weights: Sequence[Item], count: int, kind: str
) -> Iterator[int]:
    left = dict(enumerate(weights))
    for _ in range(count):
        places = list(left)
        picked = places[_take(stream, kind).choose(list(left.values()))]
        del left[picked]
        yield picked


def _filled(row: list[float]) -> list[Fraction]:
    """Return multinomial probabilities as numpy comes by them: the last outcome takes the rest.

    Each outcome in turn is a coin that falls with its part of what is left of one, and both are
    doubles.  In exact arithmetic the last outcome would get what a row lacks of one, be it ruled
    out or not.
    """
    filled, rest, left = [], Fraction(1), 1.0
    for prob in row[:-1]:
        share = min(Fraction(prob / left), Fraction(1)) if left > 0 else Fraction(prob > 0)
        filled.append(rest * share)
        rest, left = rest * (1 - share), left - prob
    return [*filled, rest]


def _binomial_row(trials: int, prob: Fraction) -> list[Fraction]:
    return [math.comb(trials, k) * prob**k * (1 - prob) ** (trials - k) for k in range(trials + 1)]
