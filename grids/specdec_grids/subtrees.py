"""Subtrees of a program's choice tree: followed as far as a budget goes, the rest handed back.

A subtree is what a program can still do after some choices, and is named by them: a branch.  A walk
is depth first, so that where it stops the answers left to follow, along the one path it holds, are
all that it leaves open: a handful of branches, however large the tree.  They can be followed by
anyone who has the program, in any order, and what each finds adds up to the law.

A branch carries a digest of the questions that lead to it.  Whoever follows it asks them anew, and
a program that now asks others is found out.

Not here: who follows which branch (see `specdec_grids.sharing`).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Generic, NamedTuple
from zlib import crc32

from specdec_core.errors import NondeterminismError
from specdec_grids.executors import unpickled
from specdec_grids.paths import ResolutionOf, SymbolicDraws
from specdec_grids.programs import Outcome, Program
from specdec_grids.resolutions import Interval, Ratio
from specdec_grids.sums import Numbers, Sum
from specdec_grids.trails import MAX_ABANDONED, Question, Trail
from specdec_grids.walking import walk


class Branch(NamedTuple):
    """A subtree, by the choices that lead to it.

    Attributes
    ----------
    numbers : tuple of int
        What was answered to each question, by its place among the possible answers.
    digest : int
        Of those questions.
    """

    numbers: Numbers
    digest: int


WHOLE = Branch((), 0)
"""The whole tree."""


class Budget(NamedTuple):
    """How far to follow: until either is used up, but one path at least.

    Attributes
    ----------
    paths : int
        At least 1.
    seconds : float
        Of wall time; looked at after each path.
    """

    paths: int
    seconds: float

    def lasting(self, seconds: float) -> "Budget":
        """Return it with at least so many seconds."""
        return Budget(self.paths, max(self.seconds, seconds))


@dataclass(frozen=True, slots=True)
class Task:
    """Branches to be followed by anyone, and how far.

    Attributes
    ----------
    tree : bytes
        The `Tree`, pickled.
    branches : tuple of Branch
    budget : Budget
    """

    tree: bytes
    branches: tuple[Branch, ...]
    budget: Budget


@dataclass(frozen=True, slots=True)
class Followed(Generic[Outcome]):
    """What following branches found.

    Attributes
    ----------
    sums : mapping of outcome to Sum
    paths : int
        How many were followed.
    abandoned : int
        How many were not followed to their end.
    left : tuple of Branch
        What was not come to; in each group of neighbours the deepest first.
    """

    sums: Mapping[Outcome, Sum]
    paths: int
    abandoned: int
    left: tuple[Branch, ...]


@dataclass(frozen=True, slots=True)
class Tree(Generic[Outcome]):
    """A program whose paths are followed.

    Attributes
    ----------
    program : callable
        Takes one `Draws`, and returns a hashable outcome.
    resolution_of : callable
        From the number of a draw to its resolution.
    start : Ratio
        The weight of the empty path, which all paths share out.
    """

    program: Program[Outcome]
    resolution_of: ResolutionOf
    start: Ratio

    def follow(self, branches: Iterable[Branch], budget: Budget) -> Followed[Outcome]:
        """Follow branches, one after another, until nothing is left or the budget is used up.

        Raises
        ------
        NondeterminismError
            If the program asks other questions after the same answers.
        OpaqueDrawError
            If the program does with a draw what cannot be followed on both sides.
        """
        following = _Following[Outcome](budget)
        for branch in branches:
            following.follow(self, branch)
        return following.followed


def follow_task(task: Task) -> Followed[Any]:
    """Follow the branches of a task: what is sent to a worker."""
    tree: Tree[Any] = unpickled(task.tree)
    return tree.follow(task.branches, task.budget)


def branch_to(questions: Iterable[Question[Any]]) -> Branch:
    """Return what follows some questions, answered as they are."""
    numbers, digest = [], WHOLE.digest
    for question in questions:
        numbers.append(question.number)
        digest = _digest(question, digest)
    return Branch(tuple(numbers), digest)


def left_open(trail: Trail[Any]) -> Iterator[Branch]:
    """Take the answers left to follow from the trail of a path, the deepest first."""
    numbers = tuple(question.number for question in trail.questions)
    digests = []
    digest = WHOLE.digest
    for question in trail.questions:
        digest = _digest(question, digest)
        digests.append(digest)
    for place in reversed(range(len(numbers))):
        question = trail.questions[place]
        while question.advance():
            yield Branch((*numbers[:place], question.number), digests[place])


def astray(branch: Branch) -> NondeterminismError:
    """Return the error of a program that asks other questions on the way to a branch."""
    return NondeterminismError(
        f"the answers {', '.join(map(str, branch.numbers))} of an earlier run lead to other "
        "questions now: the program has randomness or state of its own, or is not the same in "
        "every process"
    )


def _digest(question: Question[Any], before: int) -> int:
    # By what is written, not by hash(), which is another number in every process.
    return crc32(repr((question.taken, question.asked)).encode(), before)


class _Along:
    """A guide along a branch, and no further than to its end."""

    __slots__ = ("branch", "digest", "numbers", "trail")

    def __init__(self, branch: Branch, trail: Trail[Any]) -> None:
        self.branch, self.trail = branch, trail
        self.numbers = iter(branch.numbers)
        self.digest = WHOLE.digest

    def __call__(self, question: Question[Any]) -> None:
        number = next(self.numbers)
        self.digest = _digest(question, self.digest)
        while question.number < number:
            if not question.advance():
                raise astray(self.branch)
        question.left = iter(())
        if len(self.trail.questions) == len(self.branch.numbers):
            self.trail.guide = None
            if self.digest != self.branch.digest:
                raise astray(self.branch)


class _Following(Generic[Outcome]):
    """Branches that are followed on one budget."""

    __slots__ = ("abandoned", "budget", "end", "left", "paths", "sums")

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.end = perf_counter() + budget.seconds
        self.sums: dict[Outcome, Sum] = {}
        self.paths = 0
        self.abandoned = 0
        self.left: list[Branch] = []

    @property
    def followed(self) -> Followed[Outcome]:
        return Followed(self.sums, self.paths, self.abandoned, tuple(self.left))

    @property
    def used_up(self) -> bool:
        used = self.paths >= self.budget.paths or self.abandoned >= MAX_ABANDONED
        return used or (self.paths > 0 and perf_counter() >= self.end)

    def follow(self, tree: Tree[Outcome], branch: Branch) -> None:
        if self.used_up:
            self.left.append(branch)
            return
        trail: Trail[Interval] = Trail(tree.start)
        if branch.numbers:
            trail.guide = _Along(branch, trail)
        walked = walk(tree.program, trail, SymbolicDraws(trail, tree.resolution_of))
        if self._walked(walked, trail):
            self.left.extend(left_open(trail))
        if trail.guide is not None:
            raise astray(branch)  # it ended before it came to the branch
        walked.close()  # type: ignore[attr-defined]
        self.abandoned += trail.abandoned

    def _walked(self, walked: Iterator[tuple[Outcome, Ratio]], trail: Trail[Interval]) -> bool:
        """Add up paths, and return whether the budget was used up before the last."""
        sums, paths, end = self.sums, self.budget.paths, self.end
        for outcome, (part, denominator) in walked:
            found = sums.get(outcome)
            if found is None:
                first = tuple([question.number for question in trail.questions])
                sums[outcome] = found = Sum(first)
            found.add(part, denominator)
            self.paths += 1
            if self.paths == paths or perf_counter() >= end:
                return True
        return False
