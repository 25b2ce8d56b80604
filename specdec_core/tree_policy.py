"""How wide and how deep the next tree is to be, given what came of the last one.

The width is a matter of each node's own row (`AdaptiveTreeBuilder`); the depth moves here, from
round to round, by what share of the proposed depth was kept.  The policy is a value: a step returns
a new one, so that a policy someone kept says the same for ever.

The policy looks at past rounds only, never at the draws of the round to come, and so it costs
speed at worst.  The rule is our own, and no paper's.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

from specdec_core.distributions import Prob
from specdec_core.errors import InvalidParameterError
from specdec_core.parameters import require_integer
from specdec_core.tree_builders import AdaptiveTreeBuilder


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveTreePolicy:
    """How wide and how deep the next tree is to be.  A step returns a new policy.

    The depth grows by one when the round kept at least ``deepen_at`` of the depth that it
    proposed, and shrinks by one when it kept at most ``shorten_at``.

    Parameters
    ----------
    min_width, max_width : int
        As `AdaptiveTreeBuilder` takes them.
    min_depth, max_depth : int
        Bounds of the depth; at least 1.
    depth : int
        Of the next tree, in ``[min_depth, max_depth]``.
    deepen_at, shorten_at : Fraction or float
        Shares of a proposed depth, in ``[0, 1]``, ``shorten_at`` the smaller.

    Raises
    ------
    InvalidParameterError
        If a parameter is of the wrong kind, or outside its range.

    Examples
    --------
    >>> policy = AdaptiveTreePolicy(min_width=1, max_width=2, min_depth=1, max_depth=3, depth=2)
    >>> policy.after(accepted=2, proposed=2).depth, policy.after(accepted=0, proposed=2).depth
    (3, 1)
    >>> policy.depth
    2
    """

    min_width: int
    max_width: int
    min_depth: int
    max_depth: int
    depth: int
    deepen_at: Prob = Fraction(3, 4)
    shorten_at: Prob = Fraction(1, 4)

    def __post_init__(self) -> None:
        AdaptiveTreeBuilder(self.min_width, self.max_width, depth=1)
        require_integer(self.min_depth, "min_depth", minimum=1)
        require_integer(self.max_depth, "max_depth", minimum=self.min_depth)
        require_integer(self.depth, "depth", minimum=self.min_depth)
        if self.depth > self.max_depth:
            raise InvalidParameterError(f"depth is {self.depth}, expected at most {self.max_depth}")
        _require_share(self.deepen_at, "deepen_at")
        _require_share(self.shorten_at, "shorten_at")
        if self.shorten_at >= self.deepen_at:
            raise InvalidParameterError(
                f"shorten_at is {self.shorten_at}, expected less than deepen_at, {self.deepen_at}"
            )

    def builder(self, budget: int) -> AdaptiveTreeBuilder:
        """Return the builder of the next tree, no deeper than ``budget`` tokens.

        Raises
        ------
        InvalidParameterError
            If ``budget`` is no integer, or less than 1.
        """
        budget = require_integer(budget, "budget", minimum=1)
        return AdaptiveTreeBuilder(self.min_width, self.max_width, min(self.depth, budget))

    def after(self, accepted: int, proposed: int) -> Self:
        """Return the policy for the round after one that kept ``accepted`` of ``proposed`` depth.

        Parameters
        ----------
        accepted : int
            Draft tokens kept, in ``[0, proposed]``.
        proposed : int
            Depth of the tree they were kept from, at least 1.

        Raises
        ------
        InvalidParameterError
            If one is no integer, or outside its range.
        """
        require_integer(proposed, "proposed", minimum=1)
        require_integer(accepted, "accepted", minimum=0)
        if accepted > proposed:
            raise InvalidParameterError(f"accepted is {accepted}, expected at most {proposed}")
        if accepted >= self.deepen_at * proposed:
            return replace(self, depth=min(self.depth + 1, self.max_depth))
        if accepted <= self.shorten_at * proposed:
            return replace(self, depth=max(self.depth - 1, self.min_depth))
        return self


def _require_share(value: object, name: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise InvalidParameterError(f"{name} is {value!r}, expected a number in [0, 1]")
    if not 0 <= value <= 1:
        raise InvalidParameterError(f"{name} is {value}, expected a number in [0, 1]")
