"""Counts of the contract's examples by prefix: as they are expected, beside as observed."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from specdec_reports.figures.drawing import EXPECTED, OBSERVED, bare
from specdec_reports.tables import prefix_frame
from specdec_verification.results import PrefixCount


def prefix_figure(counts_of: tuple[PrefixCount, ...]) -> Figure:
    """Return the counts of each example by prefix, as they are expected beside as observed."""
    frame = prefix_frame(counts_of)
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


def _draw_counts(panel: Axes, name: str, counts: pd.DataFrame) -> None:
    places = np.arange(len(counts))
    for offset, column, color in ((-0.2, "expected", EXPECTED), (0.2, "observed", OBSERVED)):
        bars = panel.barh(places + offset, counts[column], 0.38, color=color, label=column)
        panel.bar_label(bars, padding=2, fontsize=6.5)
    panel.set_yticks(places, counts["prefix"])
    panel.invert_yaxis()
    panel.set_xlim(0, 1.15 * counts[["expected", "observed"]].to_numpy().max())
    panel.set_title(name, fontsize=7.5)
    panel.set_xlabel(f"points of {counts['points'].iloc[0]:,}")
    bare(panel)
