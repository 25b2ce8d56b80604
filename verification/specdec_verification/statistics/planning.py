"""Planning: how many draws a claim needs, how long they take, and what to spend them on.

A sampled check is planned before anything is drawn: from the total variation that must be seen, the
cells, and both error rates, to a number of draws.  Spend them on one witness: at total variation
0.002, twenty instances of 200 000 draws see nothing, and one of 4 million sees it mostly.

Not here: the draws themselves (see `subjects.samplers`).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from scipy.stats import chi2, ncx2

from specdec_core.errors import InvalidParameterError
from specdec_verification.results import Labels
from specdec_verification.statistics import (
    certificates,
    e_process,
    fit,
    power,
    relative_entropy,
    split_events,
    two_sample,
)
from specdec_verification.statistics.dirichlet_mixture import log_e_value
from specdec_verification.statistics.power import require_count, require_rate
from specdec_verification.statistics.sampled import Demand

MEASURED_DRAWS = 200_000
"""Drawn and tested to measure a rate."""

MIN_RATE, MAX_CELLS = 1e-30, 10**6
"""Past these the quantiles of chi-square laws are slow to find, and then not to be had."""

MAX_MEASURED_CELLS = 1 << 17
"""Past it a rate is measured with so many cells."""


@dataclass(frozen=True, slots=True)
class Need:
    """The draws that one check needs for one claim.

    Attributes
    ----------
    check : str
    draws : int
        Of one sampler; a check of two samplers needs as many of each.
    """

    check: str
    draws: int


@dataclass(frozen=True, slots=True)
class SamplingPlan:
    """What a claim costs.

    Attributes
    ----------
    demand : Demand
        The claim: both error rates, and the total variation to be seen.
    cells : int
        Outcomes.
    needs : tuple of Need
        The check that `subjects.samplers` makes first, then the others.
    draws_per_second : float
        Measured, or told.
    witness : Labels or None
        The instance to spend the draws on, if one was given.
    """

    demand: Demand
    cells: int
    needs: tuple[Need, ...]
    draws_per_second: float
    witness: Labels | None = None

    @property
    def draws(self) -> int:
        """What the first check needs."""
        return self.needs[0].draws

    @property
    def seconds(self) -> float:
        """How long the first check takes."""
        return self.draws / self.draws_per_second

    def as_document(self) -> dict[str, Any]:
        """Return the plan as a JSON document."""
        return {
            "tv": self.demand.max_tv,
            "cells": self.cells,
            "false_fail_rate": self.demand.false_fail_rate,
            "false_pass_rate": self.demand.false_pass_rate,
            "draws": {need.check: need.draws for need in self.needs},
            "draws_per_second": self.draws_per_second,
            "seconds": self.seconds,
            "witness": None if self.witness is None else self.witness.instance,
        }

    def __str__(self) -> str:
        demand = self.demand
        lines = [
            f"to see a total variation of {demand.max_tv:g} over {self.cells} cells,"
            f" false-fail rate {demand.false_fail_rate:g},"
            f" power {1 - demand.false_pass_rate:g}:",
            *(f"  {need.check:18} {need.draws:>16,} draws" for need in self.needs),
            f"{self.seconds:.3g} s for {self.needs[0].check}"
            f" at {self.draws_per_second:.3g} draws/s",
        ]
        if self.witness is not None:
            lines.append(f"spend them on {self.witness.instance} ({self.witness.parameters})")
        return "\n".join(lines)


def plan_draws(
    demand: Demand, cells: int, draws_per_second: float, witness: Labels | None = None
) -> SamplingPlan:
    """Return what a claim costs.

    Parameters
    ----------
    demand : Demand
        Both error rates, and the total variation to be seen.
    cells : int
        Outcomes, at least two.
    draws_per_second : float
        Of the sampler; `measured_rate` gives it.
    witness : Labels or None
        What the instance to spend the draws on is called.

    Raises
    ------
    InvalidParameterError
        If there are fewer than two cells, or no draws a second, or a number is past `power.MIN_TV`,
        `MIN_RATE` or `MAX_CELLS`.

    Examples
    --------
    >>> demand = Demand(false_fail_rate=1e-9, false_pass_rate=0.01, max_tv=0.125)
    >>> plan = plan_draws(demand, 8, 1000.0)
    >>> [(need.check, need.draws) for need in plan.needs][:2]
    [('fit', 1459), ('g_test', 1428)]
    >>> plan.seconds
    1.459
    """
    _require_plannable(demand, cells)
    if not 0 < draws_per_second < math.inf:
        raise InvalidParameterError(
            f"draws_per_second is {draws_per_second}, expected a finite number above 0"
        )
    checks: tuple[tuple[str, Callable[..., int]], ...] = (
        ("fit", fit.draws_needed),
        ("g_test", power.draws_needed),
        ("e_process", e_process.draws_needed),
        ("relative_entropy", relative_entropy.draws_needed),
        ("split_event", split_events.draws_needed),
        ("two_sample", two_sample.draws_needed),
    )
    needs = [Need(check, draws(demand.max_tv, cells, **demand.rates)) for check, draws in checks]
    certified = certificates.draws_needed(demand.max_tv, cells, demand.false_pass_rate)
    needs.append(Need("certificate", certified))
    return SamplingPlan(demand, cells, tuple(needs), draws_per_second, witness)


def _require_plannable(demand: Demand, cells: int) -> None:
    require_count(cells, "cells", least=2)
    if cells > MAX_CELLS:
        raise InvalidParameterError(f"cells is {cells}, expected at most {MAX_CELLS}")
    for name, least in (("max_tv", power.MIN_TV), ("false_fail_rate", MIN_RATE)):
        if getattr(demand, name) < least:
            raise InvalidParameterError(
                f"{name} is {getattr(demand, name)}, expected at least {least}"
            )


def measured_rate(
    draw: Callable[[int, np.random.Generator], np.ndarray],
    probs: Sequence[float],
    rng: np.random.Generator,
) -> float:
    """Return the outcomes a second that are drawn, counted and tested.

    Parameters
    ----------
    draw : callable
        From a number and a generator to so many outcomes, numbers in ``[0, K)``.
    probs : (K,) sequence of float
        The law that they are tested against.
    rng : Generator
    """
    begun = perf_counter()
    counts = np.bincount(draw(MEASURED_DRAWS, rng), minlength=len(probs))
    log_e_value(counts, probs)
    return MEASURED_DRAWS / (perf_counter() - begun)


def own_rate(cells: int, rng: np.random.Generator) -> float:
    """Return `measured_rate` of numpy's own integers: what a sampler is compared with."""
    require_count(cells, "cells", least=1)
    cells = min(cells, MAX_MEASURED_CELLS)
    return measured_rate(lambda n, rng: rng.integers(0, cells, size=n), [1 / cells] * cells, rng)


def spread_power(
    tv: float, draws: int, instances: int, cells: int, false_fail_rate: float
) -> float:
    """Return the chance to see a discrepancy when draws are spread over several instances.

    Every instance is off by ``tv`` and gets ``draws / instances`` draws; the rate is shared.

    Parameters
    ----------
    tv : float
        In ``(0, 1)``.
    draws, instances, cells : int
        Each at least one.
    false_fail_rate : float
        Of all instances together, in ``(0, 1)``.

    Examples
    --------
    Twenty instances of 200 000 draws see a total variation of 0.002 once in a million; one of 4
    million sees it four times in five.

    >>> spread_power(0.002, 4_000_000, 20, 8, 1e-9) < 1e-6
    True
    >>> round(spread_power(0.002, 4_000_000, 1, 8, 1e-9), 2)
    0.82
    """
    require_rate(tv, "tv")
    require_rate(false_fail_rate, "false_fail_rate")
    for name, value in (("draws", draws), ("instances", instances)):
        require_count(value, name, least=1)
    power.require_cells(require_count(cells, "cells", least=2))
    threshold = chi2.isf(false_fail_rate / instances, cells - 1)
    missed = float(ncx2.cdf(threshold, cells - 1, 4 * draws / instances * tv * tv))
    return 1.0 - missed**instances
