"""The detection matrix: which check sees which planted fault, and with what probability."""

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from specdec_reports.tables import power_frame
from specdec_verification.results import DetectionRow

PARTS = 2
"""Side by side."""

POWERS, NOT_ASKED = "viridis", "#ffffff"


def detection_figure(rows: tuple[DetectionRow, ...]) -> Figure:
    """Return the power of each check against each fault as a heat map, faults by kind."""
    powers = power_frame(rows)
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
