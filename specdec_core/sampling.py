"""The two functions that touch a draw.

Every rule and every decode loop is built of `accepts` and `sample`, so whatever can answer these
two (a number, an interval that is split, a column of lattice points) can drive all of them.
"""

from bisect import bisect_right
from fractions import Fraction

from specdec_core.distributions import Prob, Row
from specdec_core.draws import Draw, SymbolicDraw


def accepts(draw: Draw, target_prob: Prob, draft_prob: Prob) -> bool:
    """Return whether a draft token is accepted: with probability ``min(1, target / draft)``.

    Written without the division, so that a zero draft probability and exact rationals need no
    special case; with the strict comparison, so that a token of target probability zero is never
    accepted, not even by a draw of zero.

    Parameters
    ----------
    draw : Draw
        A uniform in ``[0, 1)``.
    target_prob, draft_prob : Fraction or float
        The token's probability under each law, in ``[0, 1]``.

    References
    ----------
    .. [1] Leviathan, Kalman, Matias, ICML 2023, arXiv:2211.17192, Algorithm 1.

    Examples
    --------
    >>> accepts(0.5, 0.25, 0.5), accepts(0.25, 0.25, 0.5), accepts(0.0, 0.0, 0.5)
    (False, True, False)
    """
    if isinstance(draw, SymbolicDraw):
        return draw.scaled_below(draft_prob, target_prob)
    if isinstance(draw, float) and isinstance(draft_prob, Fraction):
        draw = Fraction(draw)  # else the product is rounded, and a tie can fall on either side
    return draw * draft_prob < target_prob


def sample(row: Row, draw: Draw) -> int:
    """Return the token that inverts the row's cumulative distribution at ``draw``.

    Token ``x`` is returned for draws in ``[P(< x), P(<= x))``, so a token of probability zero
    never is.

    Examples
    --------
    >>> [sample(Row([0.25, 0.0, 0.75]), draw) for draw in (0.0, 0.24, 0.25, 0.99)]
    [0, 0, 2, 2]
    """
    if isinstance(draw, SymbolicDraw):
        return draw.choose(row)
    token = bisect_right(row.cumulative, draw)
    # Rounding can leave the last sum of a floating row below one, and a draw beyond it.
    return min(token, row.support[-1])
