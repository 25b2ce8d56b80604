"""Interrupts: what was found stays, and a batch is never counted in part."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from specdec_verification.interrupts import first_interrupt, until_interrupted


def interrupted_after(number: int) -> Iterator[str]:
    yield from (str(made) for made in range(number))
    raise KeyboardInterrupt


def test_what_was_made_is_kept_and_the_next_is_said_to_lack() -> None:
    assert list(until_interrupted(interrupted_after(2), lambda made: f"not {made}")) == [
        *("0", "1", "not 2")
    ]
    assert list(until_interrupted("ab", str)) == ["a", "b"]


@pytest.fixture
def handle() -> Iterator[Callable[[Any], object]]:
    """Return how to choose what an interrupt does; a job in the background ignores it."""
    before = signal.getsignal(signal.SIGINT)
    yield lambda handler: signal.signal(signal.SIGINT, handler)
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_that_is_ignored_stays_ignored(handle: Callable[[Any], object]) -> None:
    handle(signal.SIG_IGN)
    with first_interrupt(lambda: pytest.fail("told")) as pressed:
        os.kill(os.getpid(), signal.SIGINT)
        assert not pressed()


def test_the_first_is_noted_and_the_second_interrupts(handle: Callable[[Any], object]) -> None:
    told: list[None] = []
    handle(signal.default_int_handler)
    with first_interrupt(lambda: told.append(None)) as pressed:
        assert not pressed()
        os.kill(os.getpid(), signal.SIGINT)
        assert pressed()
        assert len(told) == 1
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_elsewhere_than_in_the_main_thread_nothing_is_pressed() -> None:
    found = []

    def ask() -> None:
        with first_interrupt(lambda: None) as pressed:
            found.append(pressed())

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert found == [False]
