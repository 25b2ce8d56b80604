"""The check of drawn outcomes against a law: an e-process at every look, and ``G`` at the last.

The e-process may be looked at as often as one likes, and ends a failing run early.  ``G`` sees a
little more and may be looked at once, at the planned number of draws.  Each has half of the
false-fail rate, so the two together have all of it; and a discrepancy that either cannot miss is
not missed.

The half of ``G`` is of the chi-square limit (see `chi_square`), that of the e-process is exact.

Not here: how draws are made (see `subjects.samplers`).
"""

from collections.abc import Mapping
from dataclasses import replace

from specdec_core.distributions import Prob
from specdec_verification.results import CheckResult, Labels
from specdec_verification.statistics import chi_square, e_process, power
from specdec_verification.statistics.power import require_count, require_rates
from specdec_verification.statistics.sampled import Demand, Finding, Outcome, Tally, conclude


def check_fit(
    counts: Mapping[Outcome, int],
    expected_law: Mapping[Outcome, Prob],
    *,
    planned_draws: int,
    demand: Demand,
    labels: Labels,
) -> CheckResult:
    """Check counts against a law: by their e-value, and by ``G`` once the planned draws are there.

    Parameters
    ----------
    counts : mapping of outcome to int
        How often each outcome was drawn so far, at least zero.
    expected_law : mapping of outcome to Fraction or float
        Probability of each outcome; sums to one, exactly if the entries are fractions.
    planned_draws : int
        Stated before anything is drawn.  With fewer draws the e-value alone decides.  With as many
        or more ``G`` is asked too: once, at the first look that has them, or the half of the rate
        that is its own is spent again.
    demand : Demand
        Both error rates, and the total variation that a pass must rule out.
    labels : Labels
        What the result is called.

    Returns
    -------
    CheckResult
        ``FAILED`` if either test rejects at half of ``demand.false_fail_rate``; else
        ``INCONCLUSIVE`` if neither is sure to see ``demand.max_tv``; else ``PASSED``.

    Raises
    ------
    InvalidParameterError
        If a count is no integer, or negative, or no draw is planned.
    InvalidDistributionError
        If ``expected_law`` is no distribution.

    Examples
    --------
    >>> demand = Demand(false_fail_rate=1e-6, false_pass_rate=0.01, max_tv=0.25)
    >>> labels = Labels("my sampler", "lossless", "coin", "V=2", "pytest -k coin")
    >>> coin = {0: 0.5, 1: 0.5}
    >>> result = check_fit({0: 70, 1: 30}, coin, planned_draws=1000, demand=demand, labels=labels)
    >>> result.verdict.value
    'INCONCLUSIVE'
    """
    require_count(planned_draws, "planned_draws", least=1)

    def test(tally: Tally[Outcome], demand: Demand) -> Finding:
        return fit_test(tally, demand, planned_draws)

    return conclude("fit", test, Tally(counts, expected_law), demand, labels)


def fit_test(tally: Tally[Outcome], demand: Demand, planned_draws: int) -> Finding:
    """Return what both tests make of a tally, or the first alone before the planned draws."""
    half = halved(demand)
    finding = e_process.e_value_test(tally, half)
    if tally.draws < planned_draws:
        return finding
    g = chi_square.g_finding(tally, half)
    return Finding(
        rejected=finding.rejected or g.rejected,
        min_detectable_tv=min(finding.min_detectable_tv, g.min_detectable_tv),
        detail=f"{finding.detail}; G: {g.detail}",
    )


def halved(demand: Demand) -> Demand:
    """Return a demand at half of its false-fail rate."""
    return replace(demand, false_fail_rate=demand.false_fail_rate / 2)


def min_detectable_tv(
    draws: int, cells: int, *, false_fail_rate: float, false_pass_rate: float
) -> float:
    """Return the smallest total variation that the check cannot miss at the planned draws.

    Parameters and errors are those of `power.min_detectable_tv`.

    Examples
    --------
    >>> rates = {"false_fail_rate": 1e-9, "false_pass_rate": 0.01}
    >>> round(min_detectable_tv(1_000_000, 8, **rates), 5)
    0.00477
    """
    require_rates(false_fail_rate, false_pass_rate)
    rates = {"false_fail_rate": false_fail_rate / 2, "false_pass_rate": false_pass_rate}
    return min(
        power.min_detectable_tv(draws, cells, **rates),
        e_process.min_detectable_tv(draws, cells, **rates),
    )


def draws_needed(tv: float, cells: int, *, false_fail_rate: float, false_pass_rate: float) -> int:
    """Return how many draws make ``tv`` detectable: the inverse of `min_detectable_tv`.

    Parameters and errors are those of `power.draws_needed`.

    Examples
    --------
    >>> draws_needed(0.1, 8, false_fail_rate=1e-9, false_pass_rate=0.01)
    2280
    """
    require_rates(false_fail_rate, false_pass_rate)
    rates = {"false_fail_rate": false_fail_rate / 2, "false_pass_rate": false_pass_rate}
    return min(
        power.draws_needed(tv, cells, **rates),
        e_process.draws_needed(tv, cells, **rates),
    )
