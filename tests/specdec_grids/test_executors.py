"""Calls of an executor: a few at a time, and none that is lost in silence."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from specdec_core.errors import WorkersLostError
from specdec_grids.executors import AHEAD, Calls


def test_no_more_calls_are_handed_over_than_keep_the_workers_busy() -> None:
    taken: list[int] = []

    def every() -> Iterator[int]:
        for number in range(10):
            taken.append(number)
            yield number

    with ThreadPoolExecutor(2) as pool:
        found = Calls(abs, pool, 2).all_of(every())
        next(found)
        assert len(taken) == 2 * AHEAD + 1
        assert {given for given, _ in found} < set(range(10)) == set(taken)


def test_an_executor_that_is_shut_down_has_lost_its_work() -> None:
    begun, free = Event(), Event()
    with ThreadPoolExecutor(1) as pool:
        calls = Calls(lambda _: begun.set() or free.wait(10), pool, 1)
        for number in range(2):
            calls.give(number)
        begun.wait(10)
        pool.shutdown(wait=False, cancel_futures=True)
        free.set()
        with pytest.raises(WorkersLostError, match="CancelledError"):
            list(calls.all_of(()))
