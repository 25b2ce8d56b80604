"""Error rates of a run: how often a right subject may fail any of its checks.

A run states one rate, `RUN_FALSE_FAIL_RATE` unless it is told otherwise, and its checks share it.

*The runner uses the equal split* (`ErrorBudget`), by Bonferroni's inequality: however the checks
depend on one another, the chance that any fails wrongly is at most the sum of their rates.  Those
rates are of the chi-square limit: at the shares of a run the exact tail of ``G`` is up to twice as
heavy, and that of Pearson's statistic up to two hundred times (see `chi_square`).  The
split is made before anything is drawn, so every check knows its rate, and with it the draws it
needs and what it could have missed; and no verdict hangs on another check's data.  A check that
makes two tests of the same counts splits its share the same way.

`holm` serves p-values that are all there already, such as those of a finished report.  It rejects
whatever the equal split rejects, and sometimes more, but what it can see is not known beforehand.

E-values (`e_process`) go by the same split, `rejected_e_values`: of ``m`` checks, one is rejected
once its e-value is ``m / rate``.  Those of independent draws can be combined into one, by their
product; whatever the dependence, by their mean [2]_.

Not here: the rate of a miss.  A wrong subject must fail one check, not all, so each check keeps
its own false-pass rate.

References
----------
.. [1] Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
   Statistics 6, 1979.
.. [2] Vovk, Wang, "E-values: calibration, combination and applications", Annals of Statistics 49,
   2021.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from specdec_core.errors import InvalidParameterError
from specdec_verification.statistics.power import require_count, require_rate

RUN_FALSE_FAIL_RATE = 1e-9
"""How often a right subject may fail a whole run: once in a billion runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorBudget:
    """The false-fail rate of a run, shared equally by its checks.

    Parameters
    ----------
    checks : int
        Statistical checks planned, at least one.  An exact check needs no share.
    false_fail_rate : float
        Probability, in ``(0, 1)``, that a right subject fails any of them.

    Raises
    ------
    InvalidParameterError
        If one is out of range.

    Examples
    --------
    >>> budget = ErrorBudget(checks=4, false_fail_rate=0.5)
    >>> budget.per_check
    0.125
    >>> str(budget).partition(": ")[0]
    '4 checks at 0.125 each'
    """

    checks: int
    false_fail_rate: float = RUN_FALSE_FAIL_RATE

    def __post_init__(self) -> None:
        require_count(self.checks, "checks", least=1)
        require_rate(self.false_fail_rate, "false_fail_rate")

    @property
    def per_check(self) -> float:
        """The false-fail rate of one check."""
        return self.false_fail_rate / self.checks

    def __str__(self) -> str:
        return (
            f"{self.checks} checks at {self.per_check:.3g} each: in the chi-square limit a right"
            f" subject fails the run with probability {self.false_fail_rate:.3g} at most"
        )


def holm(p_values: Sequence[float], false_fail_rate: float) -> tuple[bool, ...]:
    """Return which of several hypotheses are rejected, by Holm's step-down procedure.

    From the smallest p-value up, the ``i``-th of ``m`` (from zero) is rejected if it is at most
    ``false_fail_rate / (m - i)``, and so were all before it.

    Parameters
    ----------
    p_values : (m,) sequence of float
        Each in ``[0, 1]``; they may depend on one another.
    false_fail_rate : float
        Probability, in ``(0, 1)``, that any true hypothesis is rejected.

    Returns
    -------
    tuple of bool
        In the order of ``p_values``.

    Raises
    ------
    InvalidParameterError
        If the rate or a p-value is out of range, or is not a number.

    Examples
    --------
    >>> holm([0.5, 0.03125, 0.0625], false_fail_rate=0.125)
    (False, True, True)
    """
    require_rate(false_fail_rate, "false_fail_rate")
    for i, p_value in enumerate(p_values):
        if not 0 <= p_value <= 1:
            raise InvalidParameterError(f"p_values[{i}] is {p_value}, expected 0 to 1")
    rejected = [False] * len(p_values)
    for step, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        if p_values[i] > false_fail_rate / (len(p_values) - step):
            break
        rejected[i] = True
    return tuple(rejected)


def rejected_e_values(log_e_values: Sequence[float], false_fail_rate: float) -> tuple[bool, ...]:
    """Return which of several hypotheses are rejected, at a rate that they share equally.

    Parameters
    ----------
    log_e_values : (m,) sequence of float
        Natural logarithms; they may depend on one another, and each may be looked at again.
    false_fail_rate : float
        Probability, in ``(0, 1)``, that any true hypothesis is ever rejected.

    Returns
    -------
    tuple of bool
        In the order of ``log_e_values``.

    Raises
    ------
    InvalidParameterError
        If the rate is out of range, or a logarithm is not a number.

    Examples
    --------
    >>> rejected_e_values([math.log(16), math.log(15)], false_fail_rate=0.125)
    (True, False)
    """
    require_rate(false_fail_rate, "false_fail_rate")
    _require_numbers(log_e_values)
    rejects_from = math.log(len(log_e_values) / false_fail_rate) if log_e_values else 0.0
    return tuple(log_e >= rejects_from for log_e in log_e_values)


def log_product(log_e_values: Sequence[float]) -> float:
    """Return the logarithm of the product of *independent* e-values: an e-value again.

    >>> log_product([1.5, -0.5])
    1.0
    """
    _require_numbers(log_e_values)
    # A product of zero and infinity is that of the hypothesis that was refuted.
    return math.inf if math.inf in log_e_values else math.fsum(log_e_values)


def log_mean_of(log_e_values: Sequence[float]) -> float:
    """Return the logarithm of the mean of at least one e-value: an e-value, whatever depends.

    >>> round(math.exp(log_mean_of([math.log(6), math.log(2)])), 12)
    4.0
    """
    _require_numbers(log_e_values)
    if not log_e_values:
        raise InvalidParameterError("log_e_values is empty, expected at least one")
    return float(logsumexp(np.array(log_e_values))) - math.log(len(log_e_values))


def _require_numbers(log_e_values: Sequence[float]) -> None:
    for i, log_e in enumerate(log_e_values):
        if math.isnan(log_e):
            raise InvalidParameterError(f"log_e_values[{i}] is {log_e}, expected a number")
