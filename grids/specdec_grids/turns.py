"""A choice tree followed by many workers, in turns.

A tree is followed here for a moment, which is all that a small one needs.  What is then left open
is sent out, some branches at a time.  Whoever has followed his for a turn hands back what is left
of them, to be sent out again, in more pieces than before if somebody has nothing to do.  So a
subtree that turns out large is parted again and again, and nobody needs to know beforehand how
large any of them is.

Not here: what the paths are added up to (see `specdec_grids.sums`).
"""

import sys
from concurrent.futures import Executor
from itertools import chain
from typing import Generic, TypeAlias

from specdec_grids.executors import Calls, pickled
from specdec_grids.programs import Outcome
from specdec_grids.subtrees import WHOLE, Branch, Budget, Followed, Task, Tree, follow_task
from specdec_grids.sums import Sum, collection_paused, merge_sums
from specdec_grids.trails import MAX_ABANDONED

FIRST = Budget(sys.maxsize, seconds=1.0)
"""Followed here before anything is sent: it takes longer to start processes."""

TURN = Budget(sys.maxsize, seconds=0.5)
"""Followed by a worker before it hands back the rest: the last turn of all is waited for."""

TURNS_PER_SECOND = 40
"""Taken back here at most, if there is enough to do: many workers have longer turns."""

Branches: TypeAlias = tuple[Branch, ...]


def follow_shared(
    tree: Tree[Outcome], executor: Executor, workers: int, max_paths: int | None
) -> Followed[Outcome]:
    """Follow a whole tree, or so many paths of it, by whatever workers an executor has.

    Parameters
    ----------
    tree : Tree
        It can be pickled.
    executor : Executor
    workers : int
        How many calls it makes at once.
    max_paths : int or None

    Raises
    ------
    InvalidParameterError
        If the tree's program cannot be pickled.
    NondeterminismError
        If the program asks other questions after the same answers, here or elsewhere.
    WorkersLostError
        If the executor is broken.
    """
    calls: Calls[Task, Followed[Outcome]] = Calls(follow_task, executor, workers)
    shared = _Shared[Outcome](pickled(tree, "the program"), max_paths)
    budget = shared.set_aside(FIRST, 1)
    shared.add(tree.follow([WHOLE], budget), budget)
    try:
        with collection_paused():
            while shared.hand_out(calls) or len(calls):
                task, followed = calls.next()
                shared.add(followed, task.budget)
    finally:
        calls.cancel()
    return shared.followed


class _Shared(Generic[Outcome]):
    """What was found so far, and what is left open and followed by nobody.

    Attributes
    ----------
    tree : bytes
        Pickled.
    paths_left : int or None
        How many may still be followed, beside those that are set aside.
    open : list of tuple of Branch
        Each is a task, if it is not parted again.
    """

    def __init__(self, tree: bytes, max_paths: int | None) -> None:
        self.tree = tree
        self.paths_left = max_paths
        self.open: list[Branches] = []
        self.sums: dict[Outcome, Sum] = {}
        self.paths = 0
        self.abandoned = 0

    @property
    def followed(self) -> Followed[Outcome]:
        """What was found, and what is still open."""
        return Followed(self.sums, self.paths, self.abandoned, tuple(chain(*self.open)))

    def set_aside(self, budget: Budget, tasks: int) -> Budget:
        """Return the budget of one of so many tasks, and set its paths aside."""
        if self.paths_left is None:
            return budget
        paths = min(budget.paths, -(-self.paths_left // tasks))
        self.paths_left -= paths
        return Budget(paths, budget.seconds)

    def add(self, followed: Followed[Outcome], budget: Budget) -> None:
        """Add what was found and what was left on a budget that was set aside."""
        merge_sums(self.sums, followed.sums)
        self.paths += followed.paths
        self.abandoned += followed.abandoned
        if self.paths_left is not None:
            self.paths_left += budget.paths - followed.paths
        if followed.left:
            self.open.append(followed.left)

    def hand_out(self, calls: Calls[Task, Followed[Outcome]]) -> bool:
        """Hand out what is open as far as there is room, and return whether anything was."""
        self.open = parted(self.open, calls.room)
        starved = len(self.open) < calls.room
        turn = TURN if starved else TURN.lasting(calls.workers / TURNS_PER_SECOND)
        given = False
        while self.open and calls.room and self.paths_left != 0 and self.abandoned < MAX_ABANDONED:
            budget = self.set_aside(turn, calls.room)
            calls.give(Task(self.tree, self.open.pop(), budget))
            given = True
        return given


def parted(tasks: list[Branches], wanted: int) -> list[Branches]:
    """Part tasks until there are as many as wanted, or each has one branch.

    The branches that a walk leaves stand deepest first, so every other one of them is about half.

    >>> one, two, three = (Branch((number,), 0) for number in range(3))
    >>> parted([(one, two, three)], 2) == [(one, three), (two,)]
    True
    """
    while len(tasks) < wanted and any(len(branches) > 1 for branches in tasks):
        halves = [(branches[::2], branches[1::2]) for branches in tasks]
        tasks = [half for pair in halves for half in pair if half]
    return tasks
