"""What every figure shares: its colours, how numbers stand on it, and how it becomes a file.

The colours are told apart by people who see few of them, and the page puts its own in their place.

Not here: what is drawn (the other modules of this package).
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from io import BytesIO
from typing import Any, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

OBSERVED, EXPECTED, OTHER, INK = "#1f5fa8", "#9aa3ad", "#b3541e", "#222222"
"""What was found, what was claimed, what differs or leaves, and lines that neither is."""

FAINT: Final = "#c9d0d8"
"""Of rulers and of what nothing goes through."""

PAPER: Final = "#fdfdfd"
"""Of what hides what lies below it, and of gaps."""

LIGHT_TEXT, DARK_TEXT = "#fefefe", "#010101"
"""On a ground that is coloured by itself, in the light and in the dark."""

WIDTH: Final = 4.3
"""Inches of a figure that a phone has room for."""

BRIEF: Final = 1000
"""Denominators below it stand on a figure as fractions."""

LONGEST: Final = 64
"""Characters of a title's line."""

# Text stays text, and two runs that found the same draw the same bytes.
STYLE: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "specdec-verify", "font.size": 8}


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure to be drawn.

    Attributes
    ----------
    name : str
        Of its files, without their ending; starts with a letter.
    alt : str
        What it shows, for those who do not see it.
    caption : str
        How to read it.
    make : callable
        From what it is of to the figure.
    of : hashable
    """

    name: str
    alt: str
    caption: str
    make: Callable[[Any], Figure]
    of: Hashable


@lru_cache(maxsize=64)  # a file and the page hold the same one
def svg(drawing: Drawing) -> bytes:
    """Return a drawing as SVG."""
    return _saved(drawing, "svg", {"Date": None})


def png(drawing: Drawing) -> bytes:
    """Return a drawing as PNG."""
    return _saved(drawing, "png", {})


def _saved(drawing: Drawing, kind: str, metadata: dict[str, None]) -> bytes:
    buffer = BytesIO()
    with mpl.rc_context(STYLE):
        drawing.make(drawing.of).savefig(buffer, format=kind, metadata=metadata, dpi=130)
    return buffer.getvalue()


def short(number: Fraction | float) -> str:
    """Return a probability as a figure has room for it.

    >>> short(Fraction(1, 3)), short(Fraction(1, 3001)), short(0.25), short(Fraction(0))
    ('1/3', '0.000333', '0.25', '0')
    """
    if isinstance(number, Fraction) and number.denominator < BRIEF:
        return str(number)
    return f"{float(number):.3g}"


def clipped(text: str) -> str:
    """Return a line that fits: of a long one its end, where a file's name stands.

    >>> clipped("a" * 100 + ".py:verify")[-12:]
    'aa.py:verify'
    """
    return text if len(text) <= LONGEST else f"…{text[1 - LONGEST :]}"


def titled(figure: Figure, *lines: str) -> None:
    """Put a title over a figure: what it is of, then how it was found."""
    head, *rest = map(clipped, lines)
    figure.suptitle("\n".join([head, *rest]), fontsize=8.5, x=0.01, ha="left", linespacing=1.4)


def bare(panel: Axes) -> None:
    """Leave a panel with the two sides that are read."""
    panel.spines[["top", "right"]].set_visible(False)
