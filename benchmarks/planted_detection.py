"""Every planted fault that sampling can see, found at its planned number of draws.

The exact law of each fault, of a rule or of a serving loop, is that on its witness; draws are
then multinomial from that law.  The planned draws follow from the fault's own total variation, at
the rates 1e-9 and 0.01: so each run is missed with probability 0.01 at most, and of all runs
together no more than a binomial number of misses is allowed.
"""

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from measured import Measured, share
from scipy.stats import binom, chi2

from specdec_core.laws import Law, total_variation
from specdec_grids.paths import exact_law
from specdec_verification.faults import FAULTS
from specdec_verification.faults.loop_catalogue import PLANTED
from specdec_verification.faults.rounds import attempted_round, expected_round
from specdec_verification.statistics import fit
from specdec_verification.statistics.chi_square import g_terms
from specdec_verification.statistics.dirichlet_mixture import log_e_value
from specdec_verification.testbed.laws import law_of_loop
from specdec_verification.testbed.plain import batch_law
from specdec_verification.witnesses import witness_of

RATES = {"false_fail_rate": 1e-9, "false_pass_rate": 0.01}
TABLE = "planted faults at their planned draws (rate 1e-9, power 0.99)"


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A fault on its witness.

    Attributes
    ----------
    name : str
        Of the fault.
    got, claimed : (K,) ndarray of float
        The faulty law and the law claimed, over what the latter allows.
    total_variation : float
        With what the faulty law puts elsewhere.
    """

    name: str
    got: np.ndarray
    claimed: np.ndarray
    total_variation: float


def planted_detection(runs: int, rng: np.random.Generator) -> Iterator[Measured]:
    """Yield the share of runs in which each fault is found, and whether too many are missed."""
    missed = tried = 0
    unseen = []
    for shown in every_fault():
        if not shown.total_variation:
            unseen.append(shown.name)
            continue
        seen = min(shown.total_variation, 0.99)  # one draw tells disjoint supports apart
        draws = fit.draws_needed(seen, len(shown.claimed), **RATES)
        found = int(_found(shown, draws, runs, rng).sum())
        missed, tried = missed + runs - found, tried + runs
        remark = f"TV {shown.total_variation:.3g} on its witness: {draws:,} draws"
        yield Measured(TABLE, shown.name, 0.99, *share(found, runs), remark)
    allowed = int(binom.isf(1e-6, tried, RATES["false_pass_rate"]))
    verdict = "in order" if missed <= allowed else "TOO MANY"
    remark = f"{missed} of {tried} runs, {allowed} allowed: {verdict}"
    yield Measured(TABLE, "missed, all together", 0.01, *share(missed, tried), remark)
    remark = f"right law, only lattices or claims see them: {', '.join(unseen)}"
    yield Measured(TABLE, "faults that no sample shows", None, len(unseen), 0.0, remark)


def every_fault() -> Iterator[Shown]:
    """Yield every fault, those of rules first, with its law and the one claimed."""
    for fault in FAULTS:
        witness = witness_of(fault)
        got = exact_law(attempted_round(fault.rule, witness)).law
        yield _shown(fault.name, got, expected_round(fault.rule, witness))
    for planted in PLANTED:
        answers = law_of_loop(planted.loop, planted.witness).answers
        yield _shown(planted.fault.name, answers, batch_law(planted.witness))


def _shown(name: str, got: Law[Any], claimed: Law[Any]) -> Shown:
    outcomes: list[Hashable] = list(claimed)
    faulty = np.array([float(got[outcome]) for outcome in outcomes])
    right = np.array([float(claimed[outcome]) for outcome in outcomes])
    return Shown(name, faulty, right, float(total_variation(got, claimed)))


def _found(shown: Shown, draws: int, runs: int, rng: np.random.Generator) -> np.ndarray:
    """Return in which runs the e-process or ``G`` rejects at the planned draws."""
    elsewhere = max(0.0, 1.0 - float(shown.got.sum()))
    law = np.append(shown.got, elsewhere)
    counts = rng.multinomial(draws, law / law.sum(), size=runs)
    unlawful, lawful = counts[:, -1] > 0, counts[:, :-1]
    statistics = g_terms(lawful.astype(float), draws * shown.claimed).sum(axis=1)
    half = RATES["false_fail_rate"] / 2
    by_g = statistics >= chi2.isf(half, max(1, len(shown.claimed) - 1))
    return unlawful | by_g | (log_e_value(lawful, shown.claimed) >= -math.log(half))
