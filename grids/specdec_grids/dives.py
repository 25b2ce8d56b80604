"""How large a choice tree is, without following it: random dives.

A dive runs the program once and answers each question at random, every possible answer alike.  The
product of the numbers of possible answers along the way is one over the probability of having gone
that way; so its mean, over all ways, is the number of paths [1]_.  That holds for any tree.  How
far the mean of some dives is off shows in how they differ, unless a part of the tree is so large
and so hard to come to that no dive came there: then the estimate is too small, and so is its error.

How many of the paths lead to different outcomes cannot be had so cheaply, only guessed at; how that
is done is told where it is (`estimated_outcomes`).

References
----------
.. [1] Donald E. Knuth, "Estimating the efficiency of backtrack programs", Mathematics of
   Computation 29, 1975.
.. [2] Anne Chao, "Nonparametric estimation of the number of classes in a population",
   Scandinavian Journal of Statistics 11, 1984.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Generic, NamedTuple

import numpy as np

from specdec_grids.paths import SymbolicDraws
from specdec_grids.programs import Outcome
from specdec_grids.resolutions import Interval
from specdec_grids.subtrees import Branch, Tree, branch_to
from specdec_grids.trails import Question, Trail, require_none_abandoned
from specdec_grids.walking import walk

MANY = 0.25
"""A share of paths, seen to lead where no other does, that is not taken for chance."""


class Dive(NamedTuple, Generic[Outcome]):
    """One path, chosen at random.

    Attributes
    ----------
    outcome : Outcome
    paths : int
        How many there are if all are like this one.
    halfway : Branch
        What follows the first half of the answers.
    """

    outcome: Outcome
    paths: int
    halfway: Branch


class Estimate(NamedTuple):
    """A number, and its standard error."""

    number: float
    error: float


def dive(tree: Tree[Outcome], rng: np.random.Generator) -> Dive[Outcome]:
    """Follow one path, each answer on the way as likely as the other possible ones.

    Raises
    ------
    GridTooLargeError
        If it asks so many questions that it cannot be followed to its end.
    """
    paths = 1

    def anywhere(question: Question[Any]) -> None:
        nonlocal paths
        choices = [question.choice, *question.left]
        question.number = int(rng.random() * len(choices))
        question.choice, question.left = choices[question.number], iter(())
        paths *= len(choices)

    trail: Trail[Interval] = Trail(tree.start, anywhere)
    walked = walk(tree.program, trail, SymbolicDraws(trail, tree.resolution_of))
    for outcome, _ in walked:
        return Dive(outcome, paths, branch_to(trail.questions[: len(trail.questions) // 2]))
    require_none_abandoned(trail.abandoned)
    raise AssertionError("a run that is not abandoned has an outcome")


def estimated_paths(dives: Sequence[Dive[Any]]) -> Estimate:
    """Return how many paths a tree has.

    Parameters
    ----------
    dives : sequence of Dive
        At least two, each independent of the others.

    Examples
    --------
    >>> estimated_paths([Dive("a", 2, Branch((), 0)), Dive("b", 4, Branch((), 0))])
    Estimate(number=3.0, error=1.0)
    """
    numbers = np.array([one.paths for one in dives], dtype=float)
    return Estimate(float(numbers.mean()), float(numbers.std(ddof=1)) / math.sqrt(len(dives)))


def estimated_outcomes(
    dives: Sequence[Dive[Outcome]], pieces: Sequence[Mapping[Outcome, int]]
) -> float:
    """Return about how many outcomes a tree has.

    Some paths of the pieces lead to outcomes that were met nowhere else, in no other piece and no
    dive.  If they are few, nearly all outcomes were met, and how many were not follows from how
    many were met once or twice [2]_.  If they are many, such outcomes are shared by neighbours at
    most: the dives tell for which part of all paths that is so, and the pieces how many share one.

    Parameters
    ----------
    dives : sequence of Dive
        At least two.
    pieces : sequence of mapping of Outcome to int
        For parts of the tree that were followed, how many paths led to each outcome.

    References
    ----------
    .. [2] See the module.
    """
    met = Counter(one.outcome for one in dives)
    for piece in pieces:
        met.update(piece.keys())
    once = sum(times == 1 for times in met.values())
    neighbours = [piece[outcome] for piece in pieces for outcome in piece if met[outcome] == 1]
    if sum(neighbours) < MANY * sum(sum(piece.values()) for piece in pieces):
        twice = sum(times == 2 for times in met.values())
        return len(met) + once * (once - 1) / (2 * (twice + 1))
    alone = sum(one.paths for one in dives if met[one.outcome] == 1) / len(dives)
    return len(met) - once + alone * len(neighbours) / sum(neighbours)
