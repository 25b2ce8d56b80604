"""The law of a second race over noise that has raced before, given who was first.

With rates ``p`` in the one race and ``q`` in the other, and ``D(r) = sum(max(p_k, q_k r))``, the
first of one is ``i`` and of the other ``j`` with probability ``p_i q_j`` times the integral of
``D ** -2`` over ``p_j / q_j < r < p_i / q_i``, and both are ``i`` with probability
``p_i / D(p_i / q_i)`` [1]_.  (``r`` is the ratio of the two winning times; given it, all that
noise has to do is to come later than both allow.)  ``D`` is linear between its bends, so that the
integral is a rational number.

References
----------
.. [1] Daliri, Musco, Suresh, "Coupling without Communication and Drafter-Invariant Speculative
   Decoding", arXiv:2408.07978, for the probability that both races have one winner.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeAlias

from specdec_verification.subjects.entrants import Runner

Rates: TypeAlias = Mapping[Runner, Fraction]
"""Of all that run in a race."""


def second_race(one: Rates, i: Runner, rates: Rates) -> dict[Runner, Fraction]:
    """Return how likely each is to be first in a second race and ``i`` in the one before.

    Parameters
    ----------
    one, rates : mapping of Runner to Fraction
        The rates of the race that ``i`` was first in, and of the second one.
    """
    shares = {}
    for j in rates:
        if i == j:
            shares[j] = one[i] / _slower(one, rates, one[i] / rates[i])
        else:
            low = one.get(j, Fraction(0)) / rates[j]
            shares[j] = one[i] * rates[j] * _integral(one, rates, low, i)
    return shares


def _slower(one: Rates, other: Rates, ratio: Fraction) -> Fraction:
    """Return ``D(ratio)``: the sum of the larger of ``p_k`` and ``q_k * ratio``."""
    runners = {**one, **other}
    zero = Fraction(0)
    return sum((max(one.get(k, zero), other.get(k, zero) * ratio) for k in runners), zero)


def _integral(one: Rates, other: Rates, low: Fraction, first: Runner) -> Fraction:
    """Return the integral of ``D ** -2`` from ``low`` to ``p / q`` of the first."""
    high = one[first] / other[first] if first in other else None
    bends = {one.get(k, Fraction(0)) / rate for k, rate in other.items()}
    inner = sorted(bend for bend in bends if low < bend and (high is None or bend < high))
    ends = [low, *inner] if high is None else [low, *inner, high]
    if high is not None and high <= low:
        return Fraction(0)
    values = [_slower(one, other, end) for end in ends]
    # On a piece where D is linear, D(a) and D(b) tell the integral: (b - a) / (D(a) D(b)).
    pieces = ((ends[k + 1] - ends[k]) / (values[k] * values[k + 1]) for k in range(len(ends) - 1))
    tail = 0 if high is not None else 1 / (sum(other.values()) * values[-1])
    return sum(pieces, Fraction(tail))
