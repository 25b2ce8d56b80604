import multiprocessing
import random
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

from specdec_core.errors import NondeterminismError, OpaqueDrawError
from specdec_grids.trails import Trail
from specdec_verification.subjects.exact import exact_law
from specdec_verification.subjects.libraries import available
from specdec_verification.subjects.running import (
    current,
    replacing,
    require_untouched,
    running,
    states,
    time_limit,
)
from specdec_verification.subjects.streams import StreamDraws


def test_outside_a_run_there_is_nothing_to_draw() -> None:
    with pytest.raises(OpaqueDrawError, match="after its exploration had ended"):
        current()


def test_the_innermost_run_is_at_hand() -> None:
    outer, inner = StreamDraws(Trail()), StreamDraws(Trail())
    with running(outer):
        with running(inner):
            assert current() is inner
        assert current() is outer


def test_a_draw_in_another_thread_is_refused() -> None:
    def threaded() -> None:
        errors: list[Exception] = []

        def draw() -> None:
            try:
                random.random()
            except OpaqueDrawError as error:
                errors.append(error)

        thread = threading.Thread(target=draw)
        thread.start()
        thread.join()
        raise errors[0]

    with pytest.raises(OpaqueDrawError, match="another thread"):
        exact_law(threaded)


def test_a_draw_that_a_thread_of_its_own_was_refused_is_not_lost() -> None:
    def threaded() -> int:
        token = [0]
        thread = threading.Thread(target=lambda: token.append(int(random.random() < 0.5)))
        thread.start()
        thread.join()
        return token[-1]

    before, threading.excepthook = threading.excepthook, lambda *_: None
    try:
        with pytest.raises(OpaqueDrawError, match=f"another thread or process at {__file__}"):
            exact_law(threaded)
    finally:
        threading.excepthook = before


def test_a_draw_in_another_process_is_refused() -> None:
    def forked() -> int:
        with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
            return pool.submit(_in_another_process).result()

    with pytest.raises(OpaqueDrawError, match="another thread or process"):
        exact_law(forked)


def _in_another_process() -> int:
    return int(random.random() < 0.5)


def test_a_real_generator_that_moved_is_named() -> None:
    libraries = available()
    before = states(libraries)
    require_untouched(libraries, before)
    np.random.rand()
    with pytest.raises(NondeterminismError, match="real generator of numpy"):
        require_untouched(libraries, before)


def test_libraries_are_restored_in_the_end() -> None:
    before: Any = random.random
    with replacing(available()):
        assert random.random is not before
    assert random.random is before


def test_a_timer_that_was_set_before_a_limit_goes_on_after_it() -> None:
    signal.setitimer(signal.ITIMER_REAL, 60, 7)
    try:
        with time_limit(9):
            pass
        left, every = signal.setitimer(signal.ITIMER_REAL, 0)
        assert 50 < left <= 60
        assert every == 7
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
