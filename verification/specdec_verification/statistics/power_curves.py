"""Power curves: how often a sampled check fails a law, against that law's distance.

A check states the smallest total variation that it misses with a given probability.  Read the other
way, at one number of draws and for many such probabilities, that is its power against the distance:
no law so far away is failed less often.  So a curve follows from what the checks state already, and
is a lower bound as they are.

Not here: the statement itself (see `power`, `e_process` and `prefix_e_process`).
"""

from collections.abc import Callable
from typing import Final

from specdec_verification.results import Labels, PowerCurve, PowerPoint
from specdec_verification.statistics import power
from specdec_verification.statistics.sampled import Demand

POWERS: Final = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)
"""The heights of a curve's points."""

CELLS: Final = (2, 8, 64, 512)
"""Of the curves of a test whose number of cells differs from instance to instance."""

Detectable = Callable[[int, Demand], float]
"""From draws and what is asked to the smallest total variation that cannot be missed."""


def power_curves(
    detectable: Detectable, draws: int, demand: Demand, labels: Labels
) -> tuple[PowerCurve, ...]:
    """Return the curves at a tenth of the draws, at all of them, and at ten times as many.

    Parameters
    ----------
    detectable : callable
    draws : int
        That were made, at least zero; without one there is no curve.
    demand : Demand
        Its false-fail rate is the check's; its other numbers are not asked.
    labels : Labels
        Of the check's result.
    """
    sizes = (draws // 10, draws, 10 * draws)
    return tuple(
        _curve(detectable, size, demand.false_fail_rate, labels, size == draws)
        for size in sizes
        if size
    )


def g_test_curves(draws: int, false_fail_rate: float, subject: str) -> tuple[PowerCurve, ...]:
    """Return the curves of a test of ``draws`` outcomes, one for each number of `CELLS`."""
    return tuple(
        _curve(
            lambda draws, demand, cells=cells: power.min_detectable_tv(  # type: ignore[misc]
                draws, cells, **demand.rates
            ),
            draws,
            false_fail_rate,
            Labels(subject, "lossless", f"{cells} sequences", "", ""),
            drawn=True,
        )
        for cells in CELLS
    )


def _curve(
    detectable: Detectable, draws: int, false_fail_rate: float, labels: Labels, drawn: bool
) -> PowerCurve:
    points = []
    for seen in POWERS:
        if not false_fail_rate + (1 - seen) < 1:  # a right law is failed as often
            continue
        distance = detectable(draws, Demand(false_fail_rate, 1 - seen, max_tv=0.5))
        if distance < 1:  # which says that nothing nearer is sure to be seen
            points.append(PowerPoint(distance, seen))
    return PowerCurve(
        labels.subject, labels.claim, labels.instance, draws, drawn, points=tuple(points)
    )
