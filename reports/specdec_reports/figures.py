"""Figures of a run: SVG and PNG, drawn without a screen."""

from collections.abc import Callable
from functools import lru_cache
from io import BytesIO
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from specdec_reports.tables import curve_frame, power_frame, prefix_frame
from specdec_verification.results import Run

COLUMNS = 5
PARTS = 2
"""Side by side, of the heat map."""

POWERS, NOT_ASKED = "viridis", "#ffffff"
LOSSLESS, LOSSY, OPTIMUM, EXPECTED = "#1f5fa8", "#b3541e", "#222222", "#9aa3ad"

# Text stays text, and two runs that found the same draw the same bytes.
STYLE: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "specdec-verify", "font.size": 8}


def acceptance_figure(run: Run) -> Figure:
    """Return acceptance against the draft's distance, a panel for each rule, the optimum dashed."""
    frame = curve_frame(run.curves)
    subjects = list(dict.fromkeys(frame["subject"]))
    rows = -(-len(subjects) // COLUMNS)
    figure = Figure(figsize=(2.3 * COLUMNS, 1.75 * rows), layout="constrained")
    panels = list(figure.subplots(rows, COLUMNS, sharex=True, sharey=True, squeeze=False).flat)
    for panel, subject in zip(panels, subjects, strict=False):
        _draw_curve(panel, subject, frame[frame["subject"] == subject])
    for empty in panels[len(subjects) :]:
        empty.set_visible(False)
    figure.supxlabel("total variation of the draft from the target")
    figure.supylabel("probability that a draft token is kept at the first position")
    figure.legend(handles=_legend(), loc="outside upper center", ncols=3, frameon=False)
    return figure


def detection_figure(run: Run) -> Figure:
    """Return the power of each check against each fault as a heat map, faults by kind."""
    powers = power_frame(run.detection)
    halves = [part for part in _in_columns(powers) if len(part)]
    longest = max(map(len, halves))
    figure = Figure(figsize=(4.6 * len(halves), 1.6 + 0.13 * longest), layout="constrained")
    panels = figure.subplots(1, len(halves), squeeze=False)[0]
    for panel, part in zip(panels, halves, strict=True):
        _draw_powers(panel, part)
    colors = mpl.cm.ScalarMappable(norm=mpl.colors.Normalize(0, 1), cmap=POWERS)
    figure.colorbar(
        colors, ax=list(panels), label="probability that the check fails the fault", shrink=0.4
    )
    return figure


def prefix_figure(run: Run) -> Figure:
    """Return the counts of each example by prefix, as they are expected beside as observed."""
    frame = prefix_frame(run.prefix_counts)
    examples = list(frame.groupby("claim", sort=False))
    longest = frame["claim"].value_counts().max()
    size = (4.2 * len(examples), 1.4 + 0.42 * longest)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(1, len(examples), squeeze=False)[0]
    for panel, (name, counts) in zip(panels, examples, strict=True):
        _draw_counts(panel, str(name), counts)
    figure.supylabel("prefix")
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=2, frameon=False
    )
    return figure


@lru_cache(maxsize=1)  # a file and the page hold the same one, which takes two seconds to draw
def acceptance_svg(run: Run) -> bytes:
    """Return `acceptance_figure` as SVG."""
    return _svg(acceptance_figure, run)


def acceptance_png(run: Run) -> bytes:
    """Return `acceptance_figure` as PNG."""
    return _png(acceptance_figure, run)


def detection_svg(run: Run) -> bytes:
    """Return `detection_figure` as SVG."""
    return _svg(detection_figure, run)


def detection_png(run: Run) -> bytes:
    """Return `detection_figure` as PNG."""
    return _png(detection_figure, run)


def prefix_svg(run: Run) -> bytes:
    """Return `prefix_figure` as SVG."""
    return _svg(prefix_figure, run)


def prefix_png(run: Run) -> bytes:
    """Return `prefix_figure` as PNG."""
    return _png(prefix_figure, run)


def _svg(figure: Callable[[Run], Figure], run: Run) -> bytes:
    return _saved(figure, run, "svg", metadata={"Date": None})


def _png(figure: Callable[[Run], Figure], run: Run) -> bytes:
    return _saved(figure, run, "png", metadata={})


def _saved(
    figure: Callable[[Run], Figure], run: Run, kind: str, metadata: dict[str, None]
) -> bytes:
    buffer = BytesIO()
    with mpl.rc_context(STYLE):
        figure(run).savefig(buffer, format=kind, metadata=metadata, dpi=130)
    return buffer.getvalue()


def _in_columns(powers: pd.DataFrame) -> list[pd.DataFrame]:
    """Return a tall table as side-by-side parts of equal height."""
    height = -(-len(powers) // PARTS)
    return [powers.iloc[start : start + height] for start in range(0, len(powers), height)]


def _draw_powers(panel: Axes, powers: pd.DataFrame) -> None:
    panel.imshow(powers.to_numpy(dtype=float), cmap=POWERS, vmin=0, vmax=1, aspect="auto")
    panel.set_facecolor(NOT_ASKED)
    names = [f"{subject.replace('_', ' ')}  {kind}" for kind, subject in powers.index]
    panel.set_yticks(range(len(names)), names, fontsize=5.5)
    panel.set_xticks(
        range(len(powers.columns)), powers.columns, fontsize=6, rotation=40, ha="right"
    )
    panel.tick_params(length=0)


def _draw_counts(panel: Axes, name: str, counts: pd.DataFrame) -> None:
    places = np.arange(len(counts))
    for offset, column, color in ((-0.2, "expected", EXPECTED), (0.2, "observed", LOSSLESS)):
        bars = panel.barh(places + offset, counts[column], 0.38, color=color, label=column)
        panel.bar_label(bars, padding=2, fontsize=6.5)
    panel.set_yticks(places, counts["prefix"])
    panel.invert_yaxis()
    panel.set_xlim(0, 1.15 * counts[["expected", "observed"]].to_numpy().max())
    panel.set_title(name, fontsize=7.5)
    panel.set_xlabel(f"points of {counts['points'].iloc[0]:,}")
    panel.spines[["top", "right"]].set_visible(False)


def _draw_curve(panel: Axes, subject: str, points: pd.DataFrame) -> None:
    color = LOSSLESS if points["lossless"].all() else LOSSY
    panel.plot(points["draft_tv"], points["acceptance"], color=color, linewidth=1.8)
    panel.plot(points["draft_tv"], points["optimum"], "--", color=OPTIMUM, linewidth=1)
    panel.set_title(subject.replace("_", " "), fontsize=7.5)
    panel.set_ylim(-0.03, 1.05)
    panel.spines[["top", "right"]].set_visible(False)


def _legend() -> list[Line2D]:
    return [
        Line2D([], [], color=LOSSLESS, label="lossless rule"),
        Line2D([], [], color=LOSSY, label="lossy rule"),
        Line2D([], [], color=OPTIMUM, linestyle="--", label="optimum at no loss, same draft"),
    ]
