"""Turns of many workers: nobody is without work, and one process is not drowned in results."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any

import pytest

from specdec_grids import turns
from specdec_grids.subtrees import Branch, Budget, Task
from specdec_grids.turns import follow_shared, parted
from tests.specdec_grids.test_sharing import coins
from tests.specdec_grids.test_subtrees import tree_of


class AtOnce(Executor):
    """Makes a call when it is handed over, and keeps what it was given."""

    def __init__(self) -> None:
        self.tasks: list[Task] = []

    def submit(self, fn: Callable[..., Any], /, *given: Task, **_: object) -> Future[Any]:
        self.tasks.extend(given)
        future: Future[Any] = Future()
        future.set_result(fn(*given))
        return future


def branches(number: int) -> tuple[Branch, ...]:
    return tuple(Branch((place,), 0) for place in range(number))


@pytest.mark.parametrize("wanted", [1, 2, 3, 7, 50])
def test_parted_tasks_are_enough_and_hold_the_same(wanted: int) -> None:
    tasks = parted([branches(5), branches(1), branches(9)], wanted)
    assert len(tasks) >= min(wanted, 15)
    assert sorted(branch for task in tasks for branch in task) == sorted(
        [*branches(5), *branches(1), *branches(9)]
    )
    assert all(tasks)


@pytest.mark.parametrize(("workers", "seconds"), [(2, 40.0), (50, 10.0)])
def test_turns_are_long_only_once_every_worker_has_something_to_do(
    monkeypatch: pytest.MonkeyPatch, workers: int, seconds: float
) -> None:
    """Of six branches, two workers have enough, and fifty have not."""
    monkeypatch.setattr(turns, "FIRST", Budget(1, 10.0))
    monkeypatch.setattr(turns, "TURN", Budget(99, 10.0))
    monkeypatch.setattr(turns, "TURNS_PER_SECOND", 0.05)
    executor = AtOnce()
    found = follow_shared(tree_of(partial(coins, 6)), executor, workers, None)
    assert executor.tasks[0].budget == Budget(99, seconds)
    assert (found.paths, found.left) == (64, ())
