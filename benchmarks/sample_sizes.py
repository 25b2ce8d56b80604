"""How many draws each test needs, in the worst direction: half of the cells up, half down.

What the project set out to reproduce: sizes by total variation, noncentralities, certificates, and
the test of two samplers.
"""

import math
from collections.abc import Iterator

import numpy as np
from measured import Measured, quantile, share
from scipy.stats import binom

from specdec_verification.statistics import e_process, fit, power, two_sample
from specdec_verification.statistics.certificates import radius
from specdec_verification.statistics.chi_square import g_terms
from specdec_verification.statistics.dirichlet_mixture import SCALES, log_e_value
from specdec_verification.statistics.planning import spread_power

CELLS = 8
RATES = {"false_fail_rate": 1e-9, "false_pass_rate": 0.01}
REJECTS_FROM = math.log(1e9)
LOOKS = 400

STATED_SIZES = {
    1e-1: (1.73e3, 2.23e3, 2.0e3, 2.6e3, 2.5e3, 3.3e3),
    1e-2: (1.73e5, 2.23e5, 1.6e5, 2.6e5, 3.6e5, 4.5e5),
    1e-3: (1.73e7, 2.23e7, 1.6e7, 2.6e7, 4.5e7, 5.2e7),
}
STATED_LAMBDA = {
    (8, 1e-3): 45.4,
    (8, 1e-6): 68.5,
    (8, 1e-9): 89.2,
    (2, 1e-9): 71,
    (16, 1e-9): 103,
    (64, 1e-9): 151,
    (256, 1e-9): 246,
    (1024, 1e-9): 435,
    (4096, 1e-9): 812,
}
STATED_RADII = {100_000: 1.15e-2, 1_000_000: 3.6e-3, 30_000_000: 6.6e-4}
STATED_PAIRS = {0.1: 3.3e3, 0.01: 2.7e5, 0.001: 2.4e7}


def worst_law(tv: float, cells: int = CELLS) -> np.ndarray:
    """Return the law at ``tv`` from the uniform one that is hardest to see."""
    return (1 + 2 * tv * np.where(np.arange(cells) < cells // 2, 1, -1)) / cells


def sizes(runs: int, rng: np.random.Generator) -> Iterator[Measured]:
    """Yield the table of sample sizes."""
    for tv, stated in STATED_SIZES.items():
        table = f"draws to see total variation {tv:g} (K = 8, rate 1e-9, power 0.99)"
        yield Measured(table, "Neyman-Pearson bound", stated[0], neyman_pearson(tv))
        needed = power.draws_needed(tv, CELLS, **RATES)
        yield Measured(table, "chi-square and G, planned", stated[1], needed)
        yield _missed_by_g(table, tv, needed, runs, rng)
        times = rejection_times(worst_law(tv), 60 / tv**2, SCALES, runs, rng)
        mean, error = times.mean(), 2 * times.std() / math.sqrt(runs)
        remark = "looks at every 1/400 of the axis; in batches of 1000 it is half a batch more"
        yield Measured(table, "e-process, mean", stated[2], mean, error, remark)
        yield Measured(table, "e-process, 99 %", stated[3], *quantile(times, 0.99))
        planned = e_process.draws_needed(tv, CELLS, **RATES)
        yield Measured(table, "e-process, planned for one look", None, planned)
        for name, scales, value in (
            ("Dirichlet of weight 100, 99 %", (100.0,), stated[4]),
            ("Jeffreys prior, 99 %", (CELLS / 2,), stated[5]),
        ):
            times = rejection_times(worst_law(tv), 80 / tv**2, scales, runs, rng)
            yield Measured(table, name, value, *quantile(times, 0.99))
        both = fit.draws_needed(tv, CELLS, **RATES)
        yield Measured(table, "e-process and G at half the rate each", None, both)


def neyman_pearson(tv: float) -> float:
    """Return the fewest draws at which *any* test has that power against the worst law.

    The likelihood ratio is a function of how many draws fall into the cells that are up.
    """

    def missed(draws: int) -> float:
        threshold = binom.isf(RATES["false_fail_rate"], draws, 0.5)
        return float(binom.cdf(threshold, draws, 0.5 + tv))

    low, high = 1, 1
    while missed(high) > RATES["false_pass_rate"]:
        low, high = high, 2 * high
    while high - low > max(1, low // 10_000):
        middle = (low + high) // 2
        low, high = (middle, high) if missed(middle) > RATES["false_pass_rate"] else (low, middle)
    return high


def rejection_times(
    law: np.ndarray,
    most: float,
    scales: tuple[float, ...],
    runs: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return after how many draws each run rejects the uniform law; infinite if it never does."""
    times = np.full(runs, np.inf)
    counts = np.zeros((runs, len(law)), dtype=np.int64)
    ends = np.unique(np.round(np.linspace(0.02, 1, LOOKS) * most).astype(int))
    for draws, batch in zip(ends, np.diff(ends, prepend=0), strict=True):
        running = np.flatnonzero(np.isinf(times))
        if not running.size:
            break
        counts[running] += rng.multinomial(batch, law, size=len(running))
        found = log_e_value(counts[running], np.full(CELLS, 1 / CELLS), scales)
        times[running[found >= REJECTS_FROM]] = draws
    return times


def _missed_by_g(
    table: str, tv: float, draws: int, runs: int, rng: np.random.Generator
) -> Measured:
    counts = rng.multinomial(draws, worst_law(tv), size=10 * runs)
    statistics = g_terms(counts.astype(float), np.full(CELLS, draws / CELLS)).sum(axis=1)
    threshold = power.chi2.isf(RATES["false_fail_rate"], CELLS - 1)
    missed = int((statistics < threshold).sum())
    return Measured(table, "G, missed at that size", 0.01, *share(missed, 10 * runs))


def noncentralities() -> Iterator[Measured]:
    """Yield the list of lambda*, and the certificates' radii."""
    for (cells, rate), stated in STATED_LAMBDA.items():
        found = power.noncentrality(cells, false_fail_rate=rate, false_pass_rate=0.01)
        remark = "rounded up there" if cells in (256, 1024) else ""
        yield Measured(
            "lambda*, power 0.99", f"K = {cells}, rate {rate:g}", stated, found, 0.0, remark
        )
    for draws, stated in STATED_RADII.items():
        found = radius(draws, CELLS, 1e-9)
        yield Measured("radius of a certificate, K = 8, 1e-9", f"{draws:,} draws", stated, found)


def spread() -> Iterator[Measured]:
    """Yield the power of draws on one instance, and of as many spread over twenty."""
    table = "power at TV 0.002 with 4 million draws, worst direction"
    for instances, stated in ((20, 0.0), (1, 1.0)):
        found = spread_power(0.002, 4_000_000, instances, CELLS, RATES["false_fail_rate"])
        remark = "1 from 6 million on" if instances == 1 else ""
        yield Measured(table, f"over {instances} instances", stated, found, 0.0, remark)


def two_samples(runs: int, rng: np.random.Generator) -> Iterator[Measured]:
    """Yield what the test of two samplers needs."""
    table = "draws of each arm to tell two samplers apart, 99 %"
    for tv, stated in STATED_PAIRS.items():
        bound = (8.3246 / tv) ** 2 / 2  # the quantiles of 1e-9 and 0.01 together
        yield Measured(table, f"tv {tv:g}, Neyman-Pearson, midpoint known", None, bound)
        planned = two_sample.draws_needed(tv, CELLS, **RATES)
        yield Measured(table, f"tv {tv:g}, planned", None, planned)
        times = _pair_times(worst_law(tv / 2), worst_law(-tv / 2), 3 * planned, runs, rng)
        remark = "the stated size lies below the bound in this direction"
        yield Measured(table, f"tv {tv:g}, worst direction", stated, *quantile(times, 0.99), remark)
        easy = np.array([1, -1, *[0] * (CELLS - 2)]) * tv / 2
        uniform = np.full(CELLS, 1 / CELLS)
        times = _pair_times(uniform + easy, uniform - easy, planned, runs, rng)
        remark = "easier than the worst; the stated size lies between the two"
        yield Measured(
            table, f"tv {tv:g}, between two cells", stated, *quantile(times, 0.99), remark
        )


def _pair_times(
    first: np.ndarray, second: np.ndarray, most: int, runs: int, rng: np.random.Generator
) -> np.ndarray:
    process = two_sample.started(CELLS, (runs,))
    times = np.full(runs, np.inf)
    for batch in two_sample.looks(most):
        drawn = (rng.multinomial(batch, law, size=runs) for law in (first, second))
        process = process.after(*drawn)
        times[np.isinf(times) & (process.log_e >= REJECTS_FROM)] = process.pairs
        if np.isfinite(times).all():
            break
    return times
