"""How fast a rule is: acceptance, expected lengths, and what they save.

Three sources give the same numbers: the exact law of a round (`acceptance_at`,
`expected_accepted`, `block_efficiency`), a closed form where every draft token is accepted
independently with one probability (the ``iid_`` functions), and the two models alone, which bound
what any rule can reach (`full_information_bound`) or any that sees one drafted path
(`best_expected_accepted`).  For one token both bounds are
`specdec_core.distributions.acceptance_rate`, ``sum(min(p, q))``, which token rejection attains.

With fractions in, every number is a fraction; nothing divides by ``1 - acceptance_rate``, so a
rate of one is no special case.

Not here: measured times.

References
----------
.. [1] Leviathan, Kalman, Matias, "Fast Inference from Transformers via Speculative Decoding",
   ICML 2023, arXiv:2211.17192, Equation 1, Theorems 3.8 and 3.11, Corollary 3.9, Table 1.
.. [2] Sun et al., "Block Verification Accelerates Speculative Decoding", 2024, arXiv:2403.10444,
   Section 2.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction

from specdec_core.distributions import Prob, Row, require_same_vocabulary
from specdec_core.laws import Law
from specdec_core.models import Context, ContextModel
from specdec_core.parameters import require_fraction, require_integer
from specdec_core.rules.rule import Verification


def acceptance_at(law: Law[Verification], position: int) -> Fraction:
    """Return the probability that at least ``position`` draft tokens are accepted.

    Parameters
    ----------
    law : Law of Verification
        Of one round.
    position : int
        Counted from 1.
    """
    require_integer(position, "position", minimum=1)
    return law.mean(lambda verification: int(len(verification.accepted) >= position))


def expected_accepted(law: Law[Verification]) -> Fraction:
    """Return the expected number of accepted draft tokens: the sum of `acceptance_at`."""
    return law.mean(lambda verification: len(verification.accepted))


def block_efficiency(law: Law[Verification]) -> Fraction:
    """Return the expected number of emitted tokens a round, its last one included."""
    return law.mean(lambda verification: len(verification.tokens))


def iid_expected_accepted(acceptance_rate: Prob, gamma: int) -> Fraction:
    """Return the expected accepted length if each token is accepted independently.

    Parameters
    ----------
    acceptance_rate : Fraction or float
        Of one token, in ``[0, 1]``.
    gamma : int
        Draft tokens, at least 0.

    Examples
    --------
    >>> iid_expected_accepted(Fraction(1, 2), 2)
    Fraction(3, 4)
    """
    return iid_block_efficiency(acceptance_rate, gamma) - 1


def iid_block_efficiency(acceptance_rate: Prob, gamma: int) -> Fraction:
    """Return the expected number of emitted tokens, the bonus token included.

    It is ``(1 - a**(gamma + 1)) / (1 - a)`` for an acceptance rate ``a``: Equation 1 of
    Leviathan et al.  Without the bonus token it is what this is for one draft token less.

    Parameters
    ----------
    acceptance_rate, gamma
        As in `iid_expected_accepted`.

    Examples
    --------
    >>> iid_block_efficiency(Fraction(1, 2), 2), iid_block_efficiency(1, 2)
    (Fraction(7, 4), Fraction(3, 1))
    """
    rate = _rate(acceptance_rate)
    draft_tokens = require_integer(gamma, "gamma", minimum=0)
    return sum((rate**kept for kept in range(draft_tokens + 1)), Fraction(0))


def walltime_factor(acceptance_rate: Prob, gamma: int, cost: Prob) -> Fraction:
    """Return how many times faster tokens come: ``block_efficiency / (gamma * cost + 1)``.

    Theorem 3.8 of Leviathan et al.; the target is assumed to score ``gamma + 1`` positions in the
    time of one.

    Parameters
    ----------
    acceptance_rate, gamma
        As in `iid_expected_accepted`.
    cost : Fraction or float
        Time of one draft call over that of one target call, at least 0.

    Examples
    --------
    >>> walltime_factor(Fraction(1, 2), 1, Fraction(1, 4))
    Fraction(6, 5)
    """
    tokens = iid_block_efficiency(acceptance_rate, gamma)
    return tokens / (gamma * require_fraction(cost, "cost", minimum=0) + 1)


def operations_factor(acceptance_rate: Prob, gamma: int, operations_ratio: Prob) -> Fraction:
    """Return how many times more operations a token costs.

    It is ``(gamma * operations_ratio + gamma + 1) / block_efficiency``: Theorem 3.11 of
    Leviathan et al.

    Parameters
    ----------
    acceptance_rate, gamma
        As in `iid_expected_accepted`.
    operations_ratio : Fraction or float
        Operations a token of the draft over those of the target, at least 0.

    Examples
    --------
    >>> operations_factor(Fraction(1, 2), 1, Fraction(1, 4))
    Fraction(3, 2)
    """
    tokens = iid_block_efficiency(acceptance_rate, gamma)
    ratio = require_fraction(operations_ratio, "operations_ratio", minimum=0)
    return (gamma * ratio + gamma + 1) / tokens


def can_improve(acceptance_rate: Prob, cost: Prob) -> bool:
    """Return whether some ``gamma`` makes tokens come faster: whether the rate exceeds the cost.

    Corollary 3.9 of Leviathan et al.

    Examples
    --------
    >>> can_improve(Fraction(1, 2), Fraction(1, 4)), can_improve(Fraction(1, 4), Fraction(1, 4))
    (True, False)
    """
    return _rate(acceptance_rate) > require_fraction(cost, "cost", minimum=0)


def least_improvement(acceptance_rate: Prob, cost: Prob) -> Fraction:
    """Return the walltime factor of one draft token, ``(1 + a) / (1 + c)``.

    Where `can_improve` holds, the best ``gamma`` reaches at least this: Corollary 3.9 of Leviathan
    et al.

    Examples
    --------
    >>> least_improvement(Fraction(1, 2), Fraction(1, 4))
    Fraction(6, 5)
    """
    return walltime_factor(acceptance_rate, 1, cost)


def full_information_bound(target: ContextModel, draft: ContextModel, gamma: int) -> Fraction:
    """Return the sum of ``min(p(x), q(x))`` over all sequences ``x`` of 1 to ``gamma`` tokens.

    No rule that drafts one path from ``draft`` and emits the target's law accepts more tokens on
    average: an accepted ``x`` has been drafted, with probability ``q(x)``, and is emitted, with
    probability ``p(x)``.  To reach it in general a rule must know rows off the drafted path.

    Parameters
    ----------
    target, draft : ContextModel
        Asked for the rows of every context shorter than ``gamma`` that both can reach.
    gamma : int
        Draft tokens, at least 0.

    Examples
    --------
    The toy model of Sun et al., Section 2:

    >>> from specdec_core.models import ConstantModel
    >>> target = ConstantModel(Row([Fraction(1, 3), Fraction(2, 3)]))
    >>> draft = ConstantModel(Row([Fraction(2, 3), Fraction(1, 3)]))
    >>> full_information_bound(target, draft, 2), best_expected_accepted(target, draft, 2)
    (Fraction(4, 3), Fraction(11, 9))
    """
    return _expected_length(target, draft, gamma, lambda kept, p, q: (kept[0] * p, kept[1] * q))


def best_expected_accepted(target: ContextModel, draft: ContextModel, gamma: int) -> Fraction:
    """Return the expected accepted length of block verification, in closed form.

    It is the sum over ``l`` of ``E[p_l]``, where ``p_l = min(p_(l-1) p(x_l) / q(x_l), 1)`` along
    the drafted path.  No rule that sees the rows of the drafted path alone accepts more tokens on
    average, so one that does is not lossless.

    Parameters
    ----------
    target, draft, gamma
        As in `full_information_bound`.
    """
    return _expected_length(target, draft, gamma, _capped)


Weights = tuple[Fraction, Fraction]
"""Of a sequence: how much of it can be accepted, and how much of it is drafted."""


def _capped(weights: Weights, target_prob: Fraction, draft_prob: Fraction) -> Weights:
    # A path that is accepted for certain lends nothing to its continuations.
    kept, drafted = weights
    return min(kept, drafted) * target_prob, drafted * draft_prob


def _expected_length(
    target: ContextModel,
    draft: ContextModel,
    gamma: int,
    extend: Callable[[Weights, Fraction, Fraction], Weights],
) -> Fraction:
    """Sum ``min(kept, drafted)`` over all sequences of 1 to ``gamma`` tokens."""
    growing: dict[Context, Weights] = {(): (Fraction(1), Fraction(1))}
    total = Fraction(0)
    for _ in range(require_integer(gamma, "gamma", minimum=0)):
        growing = {
            (*context, token): extend(weights, Fraction(p), Fraction(q))
            for context, weights in growing.items()
            for token, (p, q) in enumerate(_pairs(target(context), draft(context)))
            if p and q
        }
        total += sum((min(weights) for weights in growing.values()), Fraction(0))
    return total


def _pairs(target_probs: Row, draft_probs: Row) -> Iterator[tuple[Prob, Prob]]:
    require_same_vocabulary(target_probs, draft_probs, "target_probs", "draft_probs")
    return zip(target_probs, draft_probs, strict=True)


def _rate(acceptance_rate: Prob) -> Fraction:
    return require_fraction(acceptance_rate, "acceptance_rate", minimum=0, maximum=1)
