"""Figures of a run: SVG and PNG, drawn without a screen."""

from io import BytesIO
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from specdec_reports.tables import curve_frame
from specdec_verification.results import Run

COLUMNS = 5
LOSSLESS, LOSSY, OPTIMUM = "#1f5fa8", "#b3541e", "#222222"

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


def acceptance_svg(run: Run) -> bytes:
    """Return `acceptance_figure` as SVG."""
    return _saved(run, "svg", metadata={"Date": None})


def acceptance_png(run: Run) -> bytes:
    """Return `acceptance_figure` as PNG."""
    return _saved(run, "png", metadata={})


def _saved(run: Run, kind: str, metadata: dict[str, None]) -> bytes:
    buffer = BytesIO()
    with mpl.rc_context(STYLE):
        acceptance_figure(run).savefig(buffer, format=kind, metadata=metadata, dpi=130)
    return buffer.getvalue()


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
