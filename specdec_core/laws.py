"""Exact laws: the distribution of an outcome, as fractions.

A `Law` maps outcomes to their probabilities.  A round emits between 1 and L tokens; `complete`
extends every outcome to L tokens with the target's own conditional probabilities, and the round
is lossless exactly if what results is the target's joint law, `target_joint`.  Marginals are not
enough: randomness shared between positions can leave every marginal right and the joint wrong.

A floating row enters a law as the rational numbers that its floats are.
"""

import math
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Generic, TypeVar

from specdec_core.errors import ShapeError
from specdec_core.models import Context, ContextModel

Outcome = TypeVar("Outcome", bound=Hashable)
Image = TypeVar("Image", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Law(Generic[Outcome]):
    """A distribution over outcomes, or a part of one.

    Attributes
    ----------
    probs : mapping of outcome to Fraction
        In ``(0, 1]``; outcomes of probability zero are left out.

    Examples
    --------
    >>> law = Law({(0, 0): Fraction(1, 4), (1,): Fraction(3, 4)})
    >>> law.image(len).probs
    mappingproxy({2: Fraction(1, 4), 1: Fraction(3, 4)})
    >>> law.mean(len)
    Fraction(5, 4)
    """

    probs: Mapping[Outcome, Fraction]

    def __post_init__(self) -> None:
        nonzero = {outcome: prob for outcome, prob in self.probs.items() if prob}
        object.__setattr__(self, "probs", MappingProxyType(nonzero))

    def __getitem__(self, outcome: Outcome) -> Fraction:
        return self.probs.get(outcome, Fraction(0))

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self.probs)

    def __len__(self) -> int:
        return len(self.probs)

    @property
    def mass(self) -> Fraction:
        """The sum of all probabilities: one, for a whole law."""
        return ratio_sum([prob.as_integer_ratio() for prob in self.probs.values()])

    def image(self, function: Callable[[Outcome], Image]) -> "Law[Image]":
        """Return the law of a function of the outcome."""
        probs: dict[Image, Fraction] = {}
        for outcome, prob in self.probs.items():
            image = function(outcome)
            probs[image] = probs.get(image, Fraction(0)) + prob
        return Law(probs)

    def mean(self, function: Callable[[Outcome], int]) -> Fraction:
        """Return the expectation of an integer function of the outcome."""
        return sum((prob * function(outcome) for outcome, prob in self.probs.items()), Fraction(0))


def ratio_sum(ratios: Collection[tuple[int, int]]) -> Fraction:
    """Return the sum of many numerators over denominators, reduced once and not at every step.

    >>> ratio_sum([(1, 2), (2, 6), (3, 18)])
    Fraction(1, 1)
    """
    common = math.lcm(*[denominator for _, denominator in ratios])
    return Fraction(sum([part * (common // denominator) for part, denominator in ratios]), common)


def target_joint(target: ContextModel, length: int, context: Context = ()) -> Law[Context]:
    """Return the law of the next ``length`` tokens that the target itself would emit.

    >>> from specdec_core.distributions import Row
    >>> from specdec_core.models import ConstantModel
    >>> joint = target_joint(ConstantModel(Row([Fraction(1, 4), Fraction(3, 4)])), 2)
    >>> {tokens: str(prob) for tokens, prob in joint.probs.items()}
    {(0, 0): '1/16', (0, 1): '3/16', (1, 0): '3/16', (1, 1): '9/16'}
    """
    return complete(Law({(): Fraction(1)}), target, length, context)


def complete(
    law: Law[Context], target: ContextModel, length: int, context: Context = ()
) -> Law[Context]:
    """Extend every outcome to ``length`` tokens with the target's conditional probabilities.

    Parameters
    ----------
    law : Law of tuple of int
        Of emitted tokens, each outcome at most ``length`` long.
    target : ContextModel
        Asked for the rows that the missing tokens come from.
    length : int
        Tokens in every outcome of the law returned.
    context : tuple of int
        What the emitted tokens follow.

    Raises
    ------
    ShapeError
        If an outcome is longer than ``length``.
    """
    finished: dict[Context, Fraction] = {}
    growing = dict(law.probs)
    while growing:
        shorter = growing
        growing = {}
        for tokens, prob in shorter.items():
            if len(tokens) > length:
                raise ShapeError(f"outcome {tokens} has more than {length} tokens")
            if len(tokens) == length:
                finished[tokens] = finished.get(tokens, Fraction(0)) + prob
                continue
            row = target(context + tokens)
            for token in row.support:
                growing[*tokens, token] = prob * Fraction(row[token])
    return Law(finished)


def total_variation(one: Law[Outcome], other: Law[Outcome]) -> Fraction:
    """Return half the sum of the absolute differences of two laws, in ``[0, 1]``.

    >>> total_variation(Law({0: Fraction(1)}), Law({0: Fraction(1, 4), 1: Fraction(3, 4)}))
    Fraction(3, 4)
    """
    outcomes = {**one.probs, **other.probs}
    return sum((abs(one[outcome] - other[outcome]) for outcome in outcomes), Fraction(0)) / 2


def outside_support(law: Law[Outcome], expected: Law[Outcome]) -> Law[Outcome]:
    """Return the part of ``law`` on outcomes that ``expected`` gives no probability."""
    return Law({outcome: prob for outcome, prob in law.probs.items() if not expected[outcome]})
