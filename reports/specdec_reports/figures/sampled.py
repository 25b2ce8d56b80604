"""Sampled checks: their evidence as draws come in, and what they are sure to see."""

from collections.abc import Sequence
from typing import Final

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from specdec_reports.figures.drawing import EXPECTED, INK, OBSERVED, OTHER, WIDTH, bare, titled
from specdec_verification.results import EvidenceCurve, EvidencePoint, PowerCurve

LINES: Final = ("-", "--", "-.", ":")
COLORS: Final = (OBSERVED, OTHER, "#3c7d5a", "#6b4fa0")
"""Of the curves of one figure, told apart by their dashes too."""


def evidence_figure(curve: EvidenceCurve) -> Figure:
    """Return the e-value over the distance, each against the draws."""
    figure = Figure(figsize=(WIDTH, 3.8), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    _draw_evidence(above, curve)
    draws = [point.draws for point in curve.points]
    observed = [point.total_variation for point in curve.points]
    detectable = [point.min_detectable_tv for point in curve.points]
    below.plot(
        draws, observed, "o-", color=OBSERVED, ms=3, lw=1.4, label="observed, with its noise"
    )
    below.plot(draws, detectable, "s--", color=INK, ms=2.5, lw=1, label="sure to be seen")
    below.set_yscale("log")
    _write_out(below.yaxis)
    below.set_ylabel("total variation")
    below.set_xlabel("draws")
    below.legend(frameon=False, fontsize=7)
    bare(below)
    titled(figure, curve.subject, f"on {curve.instance}")
    return figure


def _draw_evidence(panel: Axes, curve: EvidenceCurve) -> None:
    finite = [(point.draws, point.log10_e) for point in curve.points if point.log10_e is not None]
    if finite:
        panel.plot(*zip(*finite, strict=True), "o-", color=OBSERVED, ms=3, lw=1.6)
    panel.axhline(curve.rejects_from, color=OTHER, linestyle="--", linewidth=1.2)
    low = min([0.0, *(height for _, height in finite)])
    high = max([curve.rejects_from, *(height for _, height in finite)])
    panel.set_ylim(low - 0.08 * (high - low), high + 0.25 * (high - low))
    panel.annotate(
        f"rejected from {curve.rejects_from:.3g} on",
        (0.01, curve.rejects_from),
        xycoords=("axes fraction", "data"),
        xytext=(0, 3),
        textcoords="offset points",
        color=OTHER,
        size=7,
    )
    for point in curve.points:
        if point.log10_e is None:
            _draw_infinite(panel, point)
    panel.set_xscale("log")
    panel.set_ylabel("log₁₀ of the e-value")
    bare(panel)


def _draw_infinite(panel: Axes, point: EvidencePoint) -> None:
    panel.annotate(
        "∞: drawn, and ruled out",
        (point.draws, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(-4, -10),
        textcoords="offset points",
        ha="right",
        size=7,
        color=OBSERVED,
    )
    top = panel.get_xaxis_transform()
    panel.plot([point.draws], [0.97], "^", color=OBSERVED, ms=5, transform=top, clip_on=False)


def power_figure(curves: Sequence[PowerCurve]) -> Figure:
    """Return the power of each number of draws, or of cells, against the distance."""
    figure = Figure(figsize=(WIDTH, 3.0), layout="constrained")
    panel = figure.subplots()
    panel.axhline(0.99, color=EXPECTED, linewidth=0.8)
    same = len({curve.instance for curve in curves}) == 1
    for number, curve in enumerate(curves):
        panel.plot(
            [point.total_variation for point in curve.points],
            [point.power for point in curve.points],
            linestyle=LINES[number % len(LINES)],
            color=COLORS[number % len(COLORS)],
            linewidth=2 if curve.drawn and same else 1.4,
            label=_called(curve, same),
        )
    panel.set_xscale("log")
    _write_out(panel.xaxis)
    panel.set_ylim(0, 1.02)
    panel.set_xlabel("total variation of the law from the one claimed")
    panel.set_ylabel("failed with probability, at least")
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=7)
    bare(panel)
    last = f"on {curves[0].instance}" if same else f"with {curves[0].draws:,} draws"
    titled(figure, curves[0].subject, last)
    return figure


def _write_out(axis: Axis) -> None:
    """Write the numbers of a logarithmic axis as they are said."""
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 3.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(NullLocator())


def _called(curve: PowerCurve, same: bool) -> str:
    if not same:
        return curve.instance
    return f"{curve.draws:,} draws{', as made' if curve.drawn else ''}"
