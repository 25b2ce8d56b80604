"""How often right samplers are rejected: the e-process, ``G``, Pearson's statistic, a whole run."""

import math
from collections.abc import Iterator

import numpy as np
from measured import Measured, share
from scipy.stats import binom, chi2, poisson

from specdec_verification.statistics.chi_square import g_terms
from specdec_verification.statistics.dirichlet_mixture import log_e_value

CELLS = 8
NULL_LOOKS = 130
RUN_RATE = 1e-3
PLANNED_DRAWS = 1_000_000


def e_process(runs: int, rng: np.random.Generator) -> Iterator[Measured]:
    """Yield how often the e-value of a right sampler ever exceeds 20 and 1000."""
    law = np.full(CELLS, 1 / CELLS)
    highest = np.zeros(runs)
    counts = np.zeros((runs, CELLS), dtype=np.int64)
    ends = np.unique(np.round(np.geomspace(10, 1e7, NULL_LOOKS)).astype(int))
    for batch in np.diff(ends, prepend=0):
        counts += rng.multinomial(batch, law, size=runs)
        highest = np.maximum(highest, log_e_value(counts, law))
    table = f"right samplers, {runs:,} paths, {len(ends)} looks"
    for bound, stated in ((20, 0.016), (1000, 2e-4)):
        found = share(int((highest >= math.log(bound)).sum()), runs)
        yield Measured(table, f"E ever {bound} or more", stated, *found, f"at most {1 / bound:g}")


def whole_runs(runs: int, rng: np.random.Generator) -> Iterator[Measured]:
    """Yield how often a right sampler fails: the e-process at every batch, ``G`` at the end."""
    laws = {"uniform": np.full(CELLS, 1 / CELLS), "skewed": 0.5 ** np.minimum(np.arange(8) + 1, 7)}
    for name, law in laws.items():
        failed = int(_failures(law, runs, rng).sum())
        # A right implementation exceeds this bound once in a million runs of this script.
        bound = int(binom.isf(1e-6, runs, RUN_RATE))
        table = (
            f"right samplers that fail at rate {RUN_RATE:g}: {runs:,} runs, looks at every batch"
        )
        remark = (
            f"{failed} runs, of {bound} allowed: {'in order' if failed <= bound else 'TOO MANY'}"
        )
        yield Measured(table, f"{name} law", RUN_RATE, *share(failed, runs), remark)


def _failures(law: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
    """Return which runs fail: `fit`, with batches that double up to the planned draws."""
    counts = np.zeros((runs, len(law)), dtype=np.int64)
    failed = np.zeros(runs, dtype=bool)
    drawn, batch = 0, 1000
    while drawn < PLANNED_DRAWS:
        batch = min(batch, PLANNED_DRAWS - drawn)
        counts += rng.multinomial(batch, law, size=runs)
        failed |= log_e_value(counts, law) >= math.log(2 / RUN_RATE)
        drawn += batch
        batch = drawn
    statistics = g_terms(counts.astype(float), drawn * law).sum(axis=1)
    return failed | (statistics >= chi2.isf(RUN_RATE / 2, len(law) - 1))


def real_sizes() -> Iterator[Measured]:
    """Yield how much heavier Pearson's tail is than its limit's, by summation.

    Rare cells are Poisson numbers; the others follow the limit.
    """
    for expected, stated in ((5, (7, 12)), (50, (1.7, 1.9))):
        table = f"real size of Pearson over nominal 1e-6, rare cells expect {expected}"
        for rare in (1, 2, 3, 4):
            found = _size(expected, rare) / 1e-6
            inside = stated[0] <= found <= stated[1]
            remark = f"{'in' if inside else 'out of'} the {stated[0]} to {stated[1]} stated"
            yield Measured(table, f"{rare} of {CELLS} cells are rare", None, found, 0.0, remark)


def _size(expected: int, rare: int) -> float:
    """Return the chance that the statistic passes its limit's threshold; rare terms are whole."""
    threshold = chi2.isf(1e-6, CELLS - 1)
    got = np.arange(int(expected + 60 * math.sqrt(expected) + 200))
    masses, terms = poisson.pmf(got, expected), (got - expected) ** 2
    most = int(threshold * expected) + 1
    law = np.zeros(most + 1)
    law[0] = 1.0
    for _ in range(rare):
        added = np.zeros(most + 1)
        for mass, term in zip(masses[terms <= most], terms[terms <= most], strict=True):
            added[term:] += mass * law[: most + 1 - term]
        law = added
    left = threshold - np.arange(most + 1) / expected
    return float(1 - law.sum() + law @ chi2.sf(left, CELLS - 1 - rare))
