"""Which check sees which planted fault, with what probability, and at what cost.

Every fault of a rule is put on its witness (`specdec_verification.witnesses`) and asked four
times: by its exact law, by counts over a lattice of midpoints and one of left endpoints, and by a
G-test of a stated number of draws.  The first three see a fault or do not.  What the fourth sees is
a probability, and nothing is drawn to find it: under a law of known distance the statistic is close
to noncentral chi-square with noncentrality ``draws * sum((got - expected)**2 / expected)``, and an
outcome that cannot be is seen as soon as it is drawn.  A fault of a serving loop is asked by the
law of its answers, by a G-test of that law, and by the claims on its rounds.

Not here: the law of two rounds in a row.  A round of a rule keeps nothing for the next, so that law
is a product and shows what one round shows; what a loop keeps is in the law of its answers.

References
----------
.. [1] Cressie, Read, "Multinomial Goodness-of-Fit Tests", Journal of the Royal Statistical
   Society B, 1984: the statistics' common limit.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

from scipy.stats import chi2, ncx2

from specdec_core.laws import Law, total_variation
from specdec_grids.paths import exact_law
from specdec_verification.emissions import shown
from specdec_verification.faults import FAULTS
from specdec_verification.faults.fault import Fault
from specdec_verification.faults.loop_catalogue import PLANTED
from specdec_verification.faults.loop_fault import LoopFault
from specdec_verification.faults.rounds import attempted_round, counted, distance, expected_round
from specdec_verification.results import DetectionRow, Run
from specdec_verification.testbed.checking import claimed_answers
from specdec_verification.testbed.laws import law_of_loop
from specdec_verification.witnesses import witness_of

Outcome = TypeVar("Outcome", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Sampling:
    """What a sampled check of the matrix draws, and how often it may fail a right law.

    Attributes
    ----------
    draws : int
    false_fail_rate : float
        In ``(0, 1)``.
    """

    draws: int
    false_fail_rate: float

    @property
    def name(self) -> str:
        """What the check is called."""
        return f"G-test of {self.draws:,} draws at {self.false_fail_rate:g}"

    def power(self, got: Law[Outcome], expected: Law[Outcome]) -> float:
        """Return the probability, in ``[0, 1]``, that the G-test fails a law.

        Asymptotic: as if every count were normal.

        Examples
        --------
        >>> right = Law({0: Fraction(1, 2), 1: Fraction(1, 2)})
        >>> wrong = Law({0: Fraction(3, 5), 1: Fraction(2, 5)})
        >>> [round(Sampling(draws, 1e-3).power(wrong, right), 2) for draws in (10, 100, 1000)]
        [0.0, 0.1, 1.0]
        """
        inside = 1.0
        if len(expected) > 1:
            squares = sum((got[one] - expected[one]) ** 2 / expected[one] for one in expected)
            threshold = float(chi2.isf(self.false_fail_rate, len(expected) - 1))
            noncentrality = float(self.draws * squares)
            inside = float(ncx2.cdf(threshold, len(expected) - 1, noncentrality))
        outside = 1 - sum((got[one] for one in expected), Fraction(0))
        return 1 - inside * float(1 - outside) ** self.draws


SAMPLING = Sampling(draws=100_000, false_fail_rate=1e-9)
"""Of the report's matrix."""


def detection_rows(fault: Fault, sampling: Sampling = SAMPLING) -> Iterator[DetectionRow]:
    """Yield what each check sees of a fault of a rule on its witness."""
    witness = witness_of(fault)
    found = exact_law(attempted_round(fault.rule, witness))
    expected = expected_round(fault.rule, witness)
    counts = counted(fault.rule, witness)
    tv = total_variation(found.law, expected)
    for check, seen, size in (
        ("exact law", bool(tv), found.paths),
        ("midpoints", bool(counts.between), counts.points),
        ("left endpoints", bool(counts.on), counts.points),
        (sampling.name, sampling.power(found.law, expected), sampling.draws),
    ):
        yield _row(fault, check, tv, seen, size)


def _row(fault: Fault, check: str, tv: Fraction, seen: float, size: int) -> DetectionRow:
    return DetectionRow(fault.name, fault.kind, fault.seen, check, tv, float(seen), size)


def loop_rows(planted: LoopFault, sampling: Sampling = SAMPLING) -> Iterator[DetectionRow]:
    """Yield what each check sees of a fault of a serving loop on its witness."""
    fault, case = planted.fault, planted.witness
    found = law_of_loop(planted.loop, case)
    expected = claimed_answers(case)
    tv = total_variation(found.answers, expected)
    for check, seen, size in (
        ("exact law", bool(tv), found.paths),
        ("claims", bool(found.breaches), found.paths),
        (sampling.name, sampling.power(found.answers, expected), sampling.draws),
    ):
        yield _row(fault, check, tv, seen, size)


@dataclass(frozen=True, slots=True)
class Sighted:
    """A fault, and what its witness shows of it.

    Attributes
    ----------
    fault : Fault
    total_variation : Fraction
        Of its law from the one claimed, in ``[0, 1]``; zero if it leaves the law alone.
    shows : str
        Where it shows then: on which lattice, or in which claims.
    """

    fault: Fault
    total_variation: Fraction
    shows: str = ""

    @property
    def shown(self) -> str:
        """The distance as people read it, or where the fault shows if there is none."""
        return shown(self.total_variation) if self.total_variation else f"0: {self.shows}"

    def as_document(self) -> dict[str, str]:
        """Return the fault as a JSON document, the distance as a fraction."""
        fault = self.fault
        return {
            "name": fault.name,
            "kind": fault.kind,
            "seen": fault.seen,
            "mechanism": fault.mechanism,
            "total_variation": str(self.total_variation),
            "shows": self.shows or "law",
        }


def sightings() -> Iterator[Sighted]:
    """Yield every fault, those of rules first, with what its witness shows of it."""
    for fault in FAULTS:
        tv = distance(fault.rule, witness_of(fault))
        yield Sighted(fault, tv, "" if tv else "at thresholds")
    for planted in PLANTED:
        found = law_of_loop(planted.loop, planted.witness)
        tv = total_variation(found.answers, claimed_answers(planted.witness))
        claims = " and ".join(name for name, _ in found.breaches)
        yield Sighted(planted.fault, tv, "" if tv else f"in {claims}")


def with_detection(
    run: Run, faults: Sequence[Fault] = FAULTS, planted: Sequence[LoopFault] = PLANTED
) -> Run:
    """Return a run with the matrix of faults and checks added."""
    rows = [row for fault in faults for row in detection_rows(fault)]
    rows += [row for one in planted for row in loop_rows(one)]
    return replace(run, detection=tuple(rows))
