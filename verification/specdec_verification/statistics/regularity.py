"""Regularity: counts that lie closer to a law than independent draws put them.

Draws that were stratified, or drawn from a pool without putting back, give counts that come too
close to the law.  No check of the law can fail them; the lower tail of ``G`` can.  Counts are whole
numbers, so a small statistic is not rare where few are expected: the statistic is therefore taken
at the far corner of the counts' unit cube, which makes the p-value larger.

What is seen is a variance that is too small, stated as a part of its due.  The p-value is of the
chi-square limit, and so is what is seen.

Not here: dependence between draws that leaves the spread of counts as it is (see `pairs`).
"""

import math
from collections.abc import Mapping

import numpy as np
from scipy.stats import chi2

from specdec_core.distributions import Prob
from specdec_core.errors import InvalidParameterError
from specdec_verification.results import CheckResult, Evidence, Labels, Risk, Verdict
from specdec_verification.statistics.chi_square import g_terms
from specdec_verification.statistics.pooling import Cell, pool
from specdec_verification.statistics.power import (
    MAX_CELLS,
    require_cells,
    require_rate,
    require_rates,
)
from specdec_verification.statistics.sampled import Demand, Outcome, Tally


def check_regularity(
    counts: Mapping[Outcome, int],
    expected_law: Mapping[Outcome, Prob],
    *,
    max_ratio: float,
    demand: Demand,
    labels: Labels,
) -> CheckResult:
    """Check that counts do not lie closer to a law than independent draws put them.

    Parameters
    ----------
    counts : mapping of outcome to int
        How often each outcome was drawn, at least zero; of planned draws.
    expected_law : mapping of outcome to Fraction or float
        Probability of each outcome.
    max_ratio : float
        In ``(0, 1)``: counts whose variance is this part of what it should be, or less, must not
        pass.
    demand : Demand
        Both error rates.
    labels : Labels
        What the result is called.

    Returns
    -------
    CheckResult
        ``INCONCLUSIVE`` where cells or draws are too few to see a variance so small.  It is no
        check of the law: no total variation of single draws is detectable by it.

    Examples
    --------
    >>> demand = Demand(false_fail_rate=1e-6, false_pass_rate=0.01, max_tv=0.5)
    >>> labels = Labels("my sampler", "independent", "die", "V=32", "pytest -k die")
    >>> law = {face: 1 / 32 for face in range(32)}
    >>> stratified = {face: 1000 for face in range(32)}
    >>> result = check_regularity(stratified, law, max_ratio=0.1, demand=demand, labels=labels)
    >>> result.verdict.value
    'FAILED'
    """
    require_rate(max_ratio, "max_ratio")
    tally = Tally(counts, expected_law)
    cells = pool(tally)
    p_value = _regularity(cells) if tally.draws else 1.0
    ratio = _detectable_ratio(cells, demand) if tally.draws else 0.0
    verdict = Verdict.PASSED if ratio >= max_ratio and tally.draws else Verdict.INCONCLUSIVE
    if tally.draws and p_value <= demand.false_fail_rate:
        verdict = Verdict.FAILED
    return CheckResult(
        check="regularity",
        labels=labels,
        verdict=verdict,
        evidence=Evidence.SAMPLED,
        total_variation=tally.total_variation,
        size=tally.draws,
        detail=f"as regular with probability {p_value:.3g}; a variance of {ratio:.3g} of its due"
        f" is sure to be seen, {max_ratio:g} was asked for",
        risk=Risk(demand.false_fail_rate, demand.false_pass_rate, 1.0, tally.draws),
    )


def min_detectable_ratio(cells: int, *, false_fail_rate: float, false_pass_rate: float) -> float:
    """Return the largest variance, as a part of its due, that `check_regularity` cannot miss.

    In the limit of many draws: ``G`` is then that part of a chi-square.

    Parameters and errors are those of `power.noncentrality`.

    Examples
    --------
    >>> round(min_detectable_ratio(64, false_fail_rate=1e-9, false_pass_rate=0.01), 3)
    0.184
    """
    dof = require_cells(cells) - 1
    require_rates(false_fail_rate, false_pass_rate)
    if not dof:
        return 0.0
    return float(chi2.ppf(false_fail_rate, dof) / chi2.isf(false_pass_rate, dof))


def cells_needed(ratio: float, *, false_fail_rate: float, false_pass_rate: float) -> int:
    """Return how many cells, each with many draws, make a variance ratio detectable.

    Raises
    ------
    InvalidParameterError
        If an argument is out of range, or `power.MAX_CELLS` cells are not enough.

    Examples
    --------
    >>> cells_needed(0.1, false_fail_rate=1e-9, false_pass_rate=0.01)
    39
    """
    require_rate(ratio, "ratio")
    rates = {"false_fail_rate": false_fail_rate, "false_pass_rate": false_pass_rate}
    most = min_detectable_ratio(MAX_CELLS, **rates)
    if ratio > most:
        raise InvalidParameterError(
            f"ratio is {ratio}, expected at most {most:.6g}: what {MAX_CELLS} cells can see"
        )
    short, enough = 1, MAX_CELLS
    while enough - short > 1:
        middle = (short + enough) // 2
        if min_detectable_ratio(middle, **rates) < ratio:
            short = middle
        else:
            enough = middle
    return enough


def _regularity(cells: tuple[Cell[Outcome], ...]) -> float:
    """Return the chance of counts as regular, for the corner of their unit cube."""
    if len(cells) == 1:
        return 1.0
    expected = np.array([cell.expected for cell in cells])
    got = np.array([cell.got for cell in cells], dtype=np.float64)
    statistic = float(g_terms(got, expected).sum())
    farthest = math.sqrt(statistic) + math.sqrt(_corner(cells))
    return float(chi2.cdf(farthest**2, len(cells) - 1))


def _corner(cells: tuple[Cell[Outcome], ...]) -> float:
    """Return the largest ``G`` in the unit cube around the counts that are expected.

    The count of the cell that expects most follows from the others, so theirs span the cube.
    """
    *others, most = sorted(cell.expected for cell in cells)
    return math.fsum(0.25 / other for other in others) + (len(others) / 2) ** 2 / most


def _detectable_ratio(cells: tuple[Cell[Outcome], ...], demand: Demand) -> float:
    """Return `min_detectable_ratio` at these draws: the corner takes its part of what is seen."""
    limit = min_detectable_ratio(len(cells), **demand.rates)
    if not limit:
        return 0.0
    rejects_to = math.sqrt(chi2.ppf(demand.false_fail_rate, len(cells) - 1))
    left = max(0.0, 1.0 - math.sqrt(_corner(cells)) / rejects_to)
    return limit * left * left
