"""What every check on drawn outcomes shares: the question, the counts, the verdict.

A sampled check sets counts of outcomes against the law claimed of them.  Here are its inputs,
checked once (`Tally`), and what is asked of it (`Demand`); and the order in which a verdict is
reached (`conclude`): an outcome that the law rules out fails whatever the rest looks like, then
comes the check's own test, and a test that does not reject passes only if it would have seen the
discrepancy asked for.

Not here: the tests themselves (see `fit`, `e_process` and `chi_square`).
"""

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Generic, TypeAlias, TypeVar

from specdec_core.distributions import Prob, Row
from specdec_core.errors import InvalidParameterError
from specdec_verification.results import CheckResult, Evidence, Labels, Risk, Verdict
from specdec_verification.statistics.power import require_count, require_rate, require_rates

Outcome = TypeVar("Outcome", bound=Hashable)
"""Whatever was drawn: a token, or a tuple of them."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What is asked of a sampled check, before any outcome is drawn.

    Parameters
    ----------
    false_fail_rate, false_pass_rate : float
        Error rates of this one check, each in ``(0, 1)``, with a sum below one.
    max_tv : float
        Total variation, in ``(0, 1)``, that a pass must rule out at those rates.

    Raises
    ------
    InvalidParameterError
        If one is out of range.
    """

    false_fail_rate: float
    false_pass_rate: float
    max_tv: float

    def __post_init__(self) -> None:
        require_rates(self.false_fail_rate, self.false_pass_rate)
        require_rate(self.max_tv, "max_tv")

    @property
    def sentence(self) -> str:
        """What is risked, for people.

        >>> Demand(1e-9, 0.01, 0.05).sentence
        'a right law fails with probability 1e-09; one at distance 0.05 passes with 0.01 at most'
        """
        return (
            f"a right law fails with probability {self.false_fail_rate:g}; one at distance "
            f"{self.max_tv:g} passes with {self.false_pass_rate:.3g} at most"
        )

    @property
    def rates(self) -> dict[str, float]:
        """Both error rates, by the names under which power and draws needed are asked."""
        return {
            "false_fail_rate": self.false_fail_rate,
            "false_pass_rate": self.false_pass_rate,
        }


@dataclass(frozen=True, slots=True)
class Tally(Generic[Outcome]):
    """Counts of outcomes, beside the law claimed of them.

    Parameters
    ----------
    counts : mapping of outcome to int
        How often each outcome was drawn, at least zero.  Copied, without the zeros.
    law : mapping of outcome to Fraction or float
        The probability claimed of each outcome; sums to one as a `specdec_core.distributions.Row`
        does.  An outcome that it does not list has probability zero.  Copied.

    Raises
    ------
    InvalidParameterError
        If either is no mapping, or a count is no integer, or negative.
    InvalidDistributionError
        If the law is no distribution.

    Examples
    --------
    >>> tally = Tally({"a": 3, "b": 1}, {"a": 0.5, "c": 0.5})
    >>> tally.draws, tally.unlawful, tally.total_variation
    (4, ('b',), 0.5)
    """

    counts: Mapping[Outcome, int]
    law: Mapping[Outcome, Prob]

    def __post_init__(self) -> None:
        for name, given in (("counts", self.counts), ("expected_law", self.law)):
            if not isinstance(given, Mapping):
                raise InvalidParameterError(
                    f"{name} is a {type(given).__name__}, expected a mapping of outcomes"
                )
        for outcome, count in self.counts.items():
            require_count(count, f"counts[{outcome!r}]", least=0)
        Row(self.law.values(), "expected_law")
        seen = {outcome: int(count) for outcome, count in self.counts.items() if count}
        object.__setattr__(self, "counts", MappingProxyType(seen))
        object.__setattr__(self, "law", MappingProxyType(dict(self.law)))

    @property
    def draws(self) -> int:
        """How many outcomes were drawn."""
        return sum(self.counts.values())

    @property
    def unlawful(self) -> tuple[Outcome, ...]:
        """The outcomes drawn that the law gives no probability."""
        return tuple(outcome for outcome in self.counts if not self.law.get(outcome, 0))

    @property
    def total_variation(self) -> float | None:
        """Distance of the frequencies from the law, noise included; ``None`` without a draw."""
        if not self.counts:
            return None
        draws = self.draws
        return math.fsum(
            max(0.0, count / draws - float(self.law.get(outcome, 0)))
            for outcome, count in self.counts.items()
        )


@dataclass(frozen=True, slots=True)
class Finding:
    """What one test made of a tally.

    Attributes
    ----------
    rejected : bool
        Whether the law claimed is rejected at the demanded `false_fail_rate`.
    min_detectable_tv : float
        The smallest total variation, in ``(0, 1]``, that the test misses at no more than the
        demanded `false_pass_rate`.
    detail : str
        What was found: a part of the result's sentence.
    """

    rejected: bool
    min_detectable_tv: float
    detail: str


Test: TypeAlias = Callable[[Tally[Outcome], Demand], Finding]
"""A test of the law claimed, on one draw or more; unlawful outcomes it may leave to `conclude`."""


def conclude(
    check: str, test: Test[Outcome], tally: Tally[Outcome], demand: Demand, labels: Labels
) -> CheckResult:
    """Return the result of a sampled check: the support first, then what ``test`` finds."""
    drawn = Drawn(tally.draws, tally.total_variation)
    return concluded(check, _finding(test, tally, demand), drawn, demand, labels)


@dataclass(frozen=True, slots=True)
class Drawn:
    """How many outcomes were drawn, and how far their frequencies lie from the law claimed.

    Attributes
    ----------
    draws : int
    total_variation : float or None
        In ``[0, 1]``, noise included; ``None`` where there is no frequency, or no law.
    """

    draws: int
    total_variation: float | None


def concluded(
    check: str, finding: Finding, drawn: Drawn, demand: Demand, labels: Labels
) -> CheckResult:
    """Return the result of a sampled check whose test has found what it finds."""
    verdict = _verdict(finding, demand)
    return CheckResult(
        check=check,
        labels=labels,
        verdict=verdict,
        evidence=Evidence.SAMPLED,
        total_variation=drawn.total_variation,
        size=drawn.draws,
        detail=finding.detail + _shortfall(verdict, finding, demand),
        risk=Risk(
            false_fail_rate=demand.false_fail_rate,
            false_pass_rate=demand.false_pass_rate,
            min_detectable_tv=finding.min_detectable_tv,
            draws=drawn.draws,
        ),
    )


def _finding(test: Test[Outcome], tally: Tally[Outcome], demand: Demand) -> Finding:
    if not tally.draws:
        return Finding(rejected=False, min_detectable_tv=1.0, detail="no outcome was drawn")
    finding = test(tally, demand)
    if not tally.unlawful:
        return finding
    return replace(finding, rejected=True, detail=_support_detail(tally))


def _verdict(finding: Finding, demand: Demand) -> Verdict:
    if finding.rejected:
        return Verdict.FAILED
    if finding.min_detectable_tv > demand.max_tv:
        return Verdict.INCONCLUSIVE
    return Verdict.PASSED


def _support_detail(tally: Tally[Outcome]) -> str:
    first, *others = tally.unlawful
    more = f"; it rules out {len(others)} more that were drawn" if others else ""
    return f"got {first!r} {tally.counts[first]} times, and the law rules it out{more}"


def _shortfall(verdict: Verdict, finding: Finding, demand: Demand) -> str:
    if verdict is not Verdict.INCONCLUSIVE:
        return ""
    return (
        f"; only a total variation of {finding.min_detectable_tv:.4g} is sure to be seen,"
        f" {demand.max_tv:.4g} was asked for"
    )
