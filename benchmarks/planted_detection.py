"""Every planted fault that sampling can see, found at its planned number of draws.

The exact law of each faulty rule comes from the engine, on the first generated instance on which it
is not the law claimed; draws are then multinomial from that law.  The planned draws follow from the
fault's own total variation, at the rates 1e-9 and 0.01: so each run is missed with probability 0.01
at most, and of all runs together no more than a binomial number of misses is allowed.
"""

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from measured import Measured, share
from scipy.stats import binom, chi2

from specdec_core.draws import Draws
from specdec_core.instances import Instance
from specdec_core.laws import Law, total_variation
from specdec_core.rules import Rule
from specdec_grids.generated import RandomInstances
from specdec_grids.paths import exact_law
from specdec_grids.programs import claimed_joint, completed_round
from specdec_verification.emissions import attempted
from specdec_verification.faults import FAULTS
from specdec_verification.statistics import fit
from specdec_verification.statistics.chi_square import g_terms
from specdec_verification.statistics.dirichlet_mixture import log_e_value

RATES = {"false_fail_rate": 1e-9, "false_pass_rate": 0.01}
INSTANCES = 27
MAX_PATHS = 20_000
TABLE = "planted faults at their planned draws (rate 1e-9, power 0.99)"


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A faulty rule on an instance where it shows.

    Attributes
    ----------
    number : int
        Of the generated instance.
    got, claimed : (K,) ndarray of float
        The faulty law and the law claimed, over what the latter allows.
    total_variation : float
        With what the faulty law puts elsewhere.
    """

    number: int
    got: np.ndarray
    claimed: np.ndarray
    total_variation: float


def planted_detection(runs: int, rng: np.random.Generator) -> Iterator[Measured]:
    """Yield the share of runs in which each fault is found, and whether too many are missed."""
    missed = tried = 0
    unseen = []
    for fault in FAULTS:
        shown = shown_by(fault.rule)
        if shown is None:
            unseen.append(fault.name)
            continue
        seen = min(shown.total_variation, 0.99)  # one draw tells disjoint supports apart
        draws = fit.draws_needed(seen, len(shown.claimed), **RATES)
        found = int(_found(shown, draws, runs, rng).sum())
        missed, tried = missed + runs - found, tried + runs
        remark = f"TV {shown.total_variation:.3g} on random/{shown.number}: {draws:,} draws"
        yield Measured(TABLE, fault.name, 0.99, *share(found, runs), remark)
    allowed = int(binom.isf(1e-6, tried, RATES["false_pass_rate"]))
    verdict = "in order" if missed <= allowed else "TOO MANY"
    remark = f"{missed} of {tried} runs, {allowed} allowed: {verdict}"
    yield Measured(TABLE, "missed, all together", 0.01, *share(missed, tried), remark)
    remark = f"right law, only lattices see them: {', '.join(unseen)}"
    yield Measured(TABLE, "faults that no sample shows", None, len(unseen), 0.0, remark)


def shown_by(rule: Rule[Any]) -> Shown | None:
    """Return a faulty rule on the first instance on which its law is not the one claimed."""
    for number, instance in enumerate(RandomInstances(rule, INSTANCES)):
        claimed = claimed_joint(rule, instance)
        law = faulty_law(rule, instance)
        tv = float(total_variation(law, claimed))
        if law.mass == 1 and tv:
            got = np.array([float(law[outcome]) for outcome in claimed])
            return Shown(number, got, np.array([float(claimed[o]) for o in claimed]), tv)
    return None


def faulty_law(rule: Rule[Any], instance: Instance) -> Law[Hashable]:
    """Return the exact law of a completed round; a run that goes wrong is an outcome of its own."""
    program = completed_round(rule, instance)

    def run(draws: Draws) -> Hashable:
        outcome: Hashable = attempted(lambda: program(draws))
        return outcome

    return exact_law(run, max_paths=MAX_PATHS).law


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
