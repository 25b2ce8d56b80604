"""Certificates: how far a law can be from the one claimed, given what was drawn.

A pass says that a discrepancy would have been seen.  A certificate says more: with confidence
``1 - false_pass_rate``, the total variation is at most that of the frequencies plus a *radius*.
The radius bounds the distance of the frequencies from the law they were drawn from, and there are
two: by the union over all events [1]_, and by the bounded differences of a distance whose mean is
at most ``sqrt((cells - 1) / draws) / 2`` [2]_.  Neither depends on what was drawn, so the smaller
is taken and nothing is paid for the choice.  Both hold at every number of draws.

Not here: several looks.  The draws are planned, and the certificate is read once, at the end.

References
----------
.. [1] Weissman, Ordentlich, Seroussi, Verdu, Weinberger, "Inequalities for the L1 deviation of the
   empirical distribution", HP Labs HPL-2003-97, 2003.
.. [2] McDiarmid, "On the method of bounded differences", Surveys in Combinatorics, 1989.
"""

import math
from dataclasses import dataclass

from specdec_verification.statistics.power import least_draws, require_count, require_rate
from specdec_verification.statistics.sampled import Outcome, Tally


@dataclass(frozen=True, slots=True)
class Certificate:
    """How far the law drawn from is from the law claimed, at most.

    Attributes
    ----------
    total_variation : float
        In ``[0, 1]``: at most this, unless what was drawn is as unlikely as `false_pass_rate`.
    radius : float
        The part of it that is owed to the number of draws.
    draws : int
    false_pass_rate : float
        In ``(0, 1)``.
    """

    total_variation: float
    radius: float
    draws: int
    false_pass_rate: float

    def __str__(self) -> str:
        return (
            f"total variation at most {self.total_variation:.3g}, with confidence"
            f" 1 - {self.false_pass_rate:.3g} ({self.draws} draws)"
        )


def certify(tally: Tally[Outcome], false_pass_rate: float) -> Certificate:
    """Return what a tally certifies, whatever the verdict on it.

    Parameters
    ----------
    tally : Tally
        Of planned draws; unlawful outcomes are cells like any other.
    false_pass_rate : float
        Probability, in ``(0, 1)``, that the certificate is wrong.

    Examples
    --------
    >>> str(certify(Tally({0: 500_000, 1: 500_000}, {0: 0.5, 1: 0.5}), 1e-9))
    'total variation at most 0.00336, with confidence 1 - 1e-09 (1000000 draws)'
    """
    # All that the law rules out is one cell more, drawn from or not.
    cells = sum(1 for prob in tally.law.values() if prob) + 1
    reach = radius(tally.draws, cells, false_pass_rate)
    distance = tally.total_variation
    total = 1.0 if distance is None else min(1.0, distance + reach)
    return Certificate(total, reach, tally.draws, false_pass_rate)


def radius(draws: int, cells: int, false_pass_rate: float) -> float:
    """Return how far frequencies can lie from the law they were drawn from.

    Parameters
    ----------
    draws : int
        At least zero.
    cells : int
        Outcomes that the law can have, at least one.
    false_pass_rate : float
        Probability, in ``(0, 1)``, that they lie farther.

    Returns
    -------
    float
        In ``[0, 1]``.

    Examples
    --------
    >>> [float(f"{radius(draws, 8, 1e-9):.2g}") for draws in (1_000_000, 30_000_000)]
    [0.0036, 0.00066]
    """
    draws = require_count(draws, "draws", least=0)
    cells = require_count(cells, "cells", least=1)
    require_rate(false_pass_rate, "false_pass_rate")
    if cells == 1:
        return 0.0
    if not draws:
        return 1.0
    log_rate = -math.log(false_pass_rate)
    events = cells * math.log(2) + math.log1p(-(2.0 ** (1 - cells)))  # all, but the two trivial
    by_union = math.sqrt((events + log_rate) / (2 * draws))
    by_differences = math.sqrt((cells - 1) / draws) / 2 + math.sqrt(log_rate / (2 * draws))
    return min(1.0, by_union, by_differences)


def draws_needed(tv: float, cells: int, false_pass_rate: float) -> int:
    """Return how many draws make the radius ``tv`` or less.

    Parameters
    ----------
    tv : float
        In ``(0, 1)``.
    cells : int
        At least one.
    false_pass_rate : float
        In ``(0, 1)``.

    Examples
    --------
    >>> draws_needed(0.01, 8, 1e-9)
    131304
    """
    return least_draws(lambda draws: radius(draws, cells, false_pass_rate), tv)
