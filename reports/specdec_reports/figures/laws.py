"""A law by its prefixes: how probable each is, expected above observed.

The bars are of the probabilities that a sequence begins with each prefix, which are what differs
first; the squares are of the next token after each context, which are the rows that a step of the
program worked with.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from specdec_reports.figures.drawing import (
    DARK_TEXT,
    EXPECTED,
    LIGHT_TEXT,
    OBSERVED,
    OTHER,
    PAPER,
    WIDTH,
    bare,
    short,
    titled,
)
from specdec_verification.results import LawTable, PrefixRow

MAX_BARS: Final = 20
"""Prefixes of a figure; the table beside it has more."""

MAX_CONTEXTS: Final = 14
MAX_TOKENS: Final = 12
"""Past it, the squares have no room for numbers."""

SMALLEST: Final = 0.005
"""A difference below it stands in its square as its colour alone."""

TOLD: Final = 0.02
"""Differences of this part of the longest bar, or more, are said beside it."""

CONTRASTS: Final = 0.55
"""Grounds past it are dark."""

LIGHTER: Final = 1.25
"""How far a scale of colours goes past the values: its dark end would drown the numbers."""

Rows: TypeAlias = NDArray[np.float64]
"""``(contexts, tokens)``: laws of the next token, NaN where it is not known."""


def law_figure(law: LawTable) -> Figure:
    """Return the probabilities of the prefixes that differ most, expected above observed."""
    rows = _most_different(law.rows, MAX_BARS)
    figure = Figure(figsize=(WIDTH, 1.15 + 0.34 * len(rows)), layout="constrained")
    panel = figure.subplots()
    places, longest = np.arange(len(rows)), max(map(_height, rows), default=1.0)
    for offset, name, color in ((-0.18, "expected", EXPECTED), (0.18, "observed", OBSERVED)):
        widths = [float(getattr(row, name)) for row in rows]
        panel.barh(places + offset, widths, 0.34, color=color, label=name)
    for place, row in zip(places, rows, strict=True):
        _say(panel, float(place), row, longest)
    panel.set_yticks(places, [row.prefix for row in rows])
    panel.invert_yaxis()
    panel.set_ylim(len(rows) - 0.45, -0.55)
    panel.set_xlim(0, 1.32 * longest)  # with room for the text behind the longest bar
    panel.set_xticks([tick for tick in panel.get_xticks() if tick <= min(1, 1.32 * longest)])
    panel.set_xlabel("probability that what is emitted begins with the prefix")
    panel.set_ylabel("prefix")
    panel.legend(loc="lower right", frameon=False, fontsize=7.5, bbox_to_anchor=(1, 1), ncols=2)
    bare(panel)
    titled(figure, law.subject, f"on {law.instance}, {law.evidence}")
    return figure


def _height(row: PrefixRow) -> float:
    return max(float(row.expected), float(row.observed))


def _most_different(rows: tuple[PrefixRow, ...], most: int) -> list[PrefixRow]:
    """Return the rows that differ most, in their own order."""
    ranked = sorted(rows, key=lambda row: (-row.distance, -float(row.expected)))
    kept = set(ranked[:most])
    return [row for row in rows if row in kept]


def _say(panel: Axes, place: float, row: PrefixRow, longest: float) -> None:
    """Write the probabilities behind a pair of bars, and by how much they differ."""
    gap = 0.012 * longest
    panel.text(float(row.expected) + gap, place - 0.18, short(row.expected), va="center", size=6.5)
    text, color, weight = short(row.observed), "black", "normal"
    if row.observed and not row.expected:
        text, color, weight = f"{text}  (ruled out)", OTHER, "bold"
    elif row.distance >= TOLD * longest:
        text, color, weight = f"{text}  ({signed(row.difference)})", OTHER, "bold"
    panel.text(
        *(float(row.observed) + gap, place + 0.18, text),
        va="center",
        size=6.5,
        color=color,
        weight=weight,
    )


def signed(difference: Fraction | float) -> str:
    """Return a difference as a figure has room for it.

    >>> signed(Fraction(1, 9)), signed(-0.25)
    ('+1/9', '−0.25')
    """
    return f"+{short(difference)}" if difference > 0 else f"−{short(-difference)}"


def rows_figure(law: LawTable) -> Figure:
    """Return the laws of the next token after each context: expected, observed, and between."""
    contexts, expected, observed = next_tokens(law)
    difference = observed - expected
    size = (max(WIDTH, 1 + 3 * 0.33 * expected.shape[1]), 1.55 + 0.25 * len(contexts))
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(1, 3, sharey=True)
    largest = max(float(np.nanmax(np.abs(difference), initial=0.0)), 0.01)
    shares = Shades("Blues", 0.0, LIGHTER, _share)
    changes = Shades("PuOr_r", -LIGHTER * largest, LIGHTER * largest, _change)
    for panel, name, values, shades in (
        (panels[0], "expected", expected, shares),
        (panels[1], "observed", observed, shares),
        (panels[2], "observed − expected", difference, changes),
    ):
        _draw_squares(panel, values, shades)
        panel.set_title(name, fontsize=8)
    panels[0].set_yticks(range(len(contexts)), [context or "start" for context in contexts])
    panels[0].set_ylabel("tokens before")
    figure.supxlabel("next token", fontsize=8)
    titled(figure, law.subject, f"on {law.instance}, {law.evidence}")
    return figure


def has_rows(law: LawTable) -> bool:
    """Return whether a law has the next token of more than one context."""
    return len(next_tokens(law)[0]) > 1


def next_tokens(law: LawTable) -> tuple[list[str], Rows, Rows]:
    """Return the contexts that differ most, and the laws of the next token after each of them."""
    by_prefix = {row.prefix: row for row in law.rows}
    followers: defaultdict[str, list[PrefixRow]] = defaultdict(list)
    for row in law.rows:
        context = row.prefix.rpartition(",")[0]
        if not context or context in by_prefix:
            followers[context].append(row)
    start = PrefixRow("", Fraction(1), Fraction(1))
    unlisted = np.nan if law.left_out else 0.0
    tokens = 1 + max((_token(row) for row in law.rows), default=0)
    laws = {
        context: tuple(
            _conditional(by_prefix.get(context, start), rows, name, tokens, unlisted)
            for name in ("expected", "observed")
        )
        for context, rows in followers.items()
    }
    ranked = sorted(laws, key=lambda context: -_furthest(*laws[context]))[:MAX_CONTEXTS]
    contexts = sorted(ranked, key=_in_order)
    expected, observed = (np.array([laws[one][at] for one in contexts]) for at in (0, 1))
    return contexts, expected.reshape(-1, tokens), observed.reshape(-1, tokens)


def _token(row: PrefixRow) -> int:
    return int(row.prefix.rpartition(",")[2])


def _in_order(context: str) -> tuple[int, list[int]]:
    tokens = [int(token) for token in context.split(",") if token]
    return len(tokens), tokens


def _conditional(
    context: PrefixRow, rows: list[PrefixRow], name: str, tokens: int, unlisted: float
) -> Rows:
    """Return the law of the next token; of a context that is never reached there is none."""
    whole = float(getattr(context, name))
    if not whole:
        return np.full(tokens, np.nan)
    law = np.full(tokens, unlisted)
    for row in rows:
        law[_token(row)] = float(getattr(row, name)) / whole
    return law


def _furthest(expected: Rows, observed: Rows) -> float:
    difference = np.abs(observed - expected)
    return float(np.max(difference[~np.isnan(difference)], initial=0.0))


def _share(value: float) -> str:
    return "0" if not value else "1" if value == 1 else f"{value:.2f}".removeprefix("0")


def _change(value: float) -> str:
    return "" if abs(value) < SMALLEST else f"{'+' if value > 0 else '−'}{_share(abs(value))}"


@dataclass(frozen=True, slots=True)
class Shades:
    """How the numbers of a panel are shown: their colours, from where to where, and as text."""

    colors: str
    low: float
    high: float
    said: Callable[[float], str]

    def is_dark(self, value: float) -> bool:
        """Return whether the ground of a value asks for light text."""
        share = (value - self.low) / (self.high - self.low)
        red, green, blue, _ = mpl.colormaps[self.colors](float(share))
        return bool(0.3 * red + 0.59 * green + 0.11 * blue < CONTRASTS)


def _draw_squares(panel: Axes, values: Rows, shades: Shades) -> None:
    panel.imshow(values, cmap=shades.colors, vmin=shades.low, vmax=shades.high, aspect="auto")
    panel.set_xticks(range(values.shape[1]))
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)
    for place in range(1, values.shape[0]):
        panel.axhline(place - 0.5, color=PAPER, linewidth=1.5)
    for token in range(1, values.shape[1]):
        panel.axvline(token - 0.5, color=PAPER, linewidth=1.5)
    for (place, token), value in np.ndenumerate(values):
        if values.shape[1] <= MAX_TOKENS and not np.isnan(value):
            color = LIGHT_TEXT if shades.is_dark(value) else DARK_TEXT
            text = shades.said(float(value))
            panel.text(token, place, text, ha="center", va="center", size=6.5, color=color)
