"""Acceptance curves: what each rule keeps as its draft moves away from the target."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from specdec_reports.figures.drawing import INK, OBSERVED, OTHER, bare
from specdec_reports.tables import curve_frame
from specdec_verification.results import CurvePoint

COLUMNS = 5
"""Panels side by side."""


def acceptance_figure(curves: tuple[CurvePoint, ...]) -> Figure:
    """Return acceptance against the draft's distance, a panel for each rule, the optimum dashed."""
    frame = curve_frame(curves)
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


def _draw_curve(panel: Axes, subject: str, points: pd.DataFrame) -> None:
    color = OBSERVED if points["lossless"].all() else OTHER
    panel.plot(points["draft_tv"], points["acceptance"], color=color, linewidth=1.8)
    panel.plot(points["draft_tv"], points["optimum"], "--", color=INK, linewidth=1)
    panel.set_title(subject.replace("_", " "), fontsize=7.5)
    panel.set_ylim(-0.03, 1.05)
    bare(panel)


def _legend() -> list[Line2D]:
    return [
        Line2D([], [], color=OBSERVED, label="lossless rule"),
        Line2D([], [], color=OTHER, label="lossy rule"),
        Line2D([], [], color=INK, linestyle="--", label="optimum at no loss, same draft"),
    ]
