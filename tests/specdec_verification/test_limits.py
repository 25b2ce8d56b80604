"""Limits of one cell: what takes more is interrupted or ended, and what takes less never knows."""

import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from specdec_core.errors import CellLimitError, InvalidParameterError
from specdec_verification import limits as limiting
from specdec_verification.limits import UNLIMITED, Limits, require_keepable


def spin() -> None:
    while True:
        pass


def swallow_twice() -> None:
    """Catch what comes, but not for ever."""
    for _ in range(3):
        try:
            time.sleep(9)
        except BaseException:
            continue


def wait_until(moment: float) -> None:
    while time.perf_counter() < moment:
        pass


def wait_for_itself() -> None:
    lock = threading.Lock()
    with lock, lock:
        pass


@pytest.mark.parametrize("hang", [spin, lambda: time.sleep(9), wait_for_itself])
def test_what_hangs_is_interrupted_and_no_alarm_is_left(hang: Callable[[], object]) -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(CellLimitError, match=r"^ran past its limit of 0\.05 s$"):
        Limits(seconds=0.05).run(hang)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is before


def test_an_interrupt_that_is_swallowed_comes_again() -> None:
    began = time.monotonic()
    with pytest.raises(CellLimitError):  # though it returned at last
        Limits(seconds=0.05).run(swallow_twice)
    assert time.monotonic() - began < 9


@pytest.mark.parametrize(
    "program",
    [
        "import itertools\nLimits(0.05).run(lambda: sum(itertools.repeat(0)))",
        "import time\n"
        "def swallow():\n  while True:\n    try: time.sleep(9)\n    except BaseException: pass\n"
        "Limits(0.05).run(swallow)",
        "import threading, time\n"
        "thread = threading.Thread(target=Limits(0.05).run, args=(lambda: time.sleep(9),))\n"
        "thread.start(); thread.join()",
    ],
    ids=["compiled", "swallowed", "thread"],
)
def test_what_cannot_be_interrupted_ends_with_its_process(program: str) -> None:
    program = f"from specdec_verification.limits import Limits\n{program}\nprint('went on')"
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=20, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", "")


def test_a_process_that_was_in_time_is_not_ended() -> None:
    Limits(seconds=0.01).run(int)
    time.sleep(0.02 + limiting.GRACE)


needs_linux = pytest.mark.skipif(not limiting.ADDRESSES.exists(), reason="memory is kept on Linux")


@needs_linux
def test_memory_is_what_is_added() -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    held = Limits(mebibytes=64).run(lambda: bytearray(32 << 20))
    with pytest.raises(CellLimitError, match=r"^asked for more than its limit of 64 MiB$"):
        Limits(mebibytes=64).run(lambda: held + bytearray(128 << 20))
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_errors_and_results_pass_through() -> None:
    with pytest.raises(ZeroDivisionError):
        Limits(9, 900).run(lambda: 1 // 0)
    assert Limits(9, 900).run(int) == UNLIMITED.run(int) == 0


def test_whatever_the_moment_nothing_is_left_behind() -> None:
    """The calls end about when their time is up: a little before, or never."""
    ended = Counter[bool]()
    for moment in range(300):
        until = time.perf_counter() + 0.0018 + moment % 20 * 2e-5
        try:
            Limits(seconds=0.002).run(partial(wait_until, until))
        except CellLimitError:
            ended[False] += 1
        else:
            ended[True] += 1
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert ended[True] + ended[False] == 300
    assert ended[False]


@pytest.mark.parametrize("limit", [0, -1.5, float("inf"), float("nan")])
@pytest.mark.parametrize(("name", "unit"), [("seconds", "s"), ("mebibytes", "MiB")])
def test_a_limit_that_is_none_is_refused(name: str, unit: str, limit: float) -> None:
    with pytest.raises(InvalidParameterError, match=f"limit of {limit:g} {unit} a cell: expected"):
        Limits(**{name: limit})


def test_what_a_platform_cannot_keep_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "setitimer")
    monkeypatch.setattr(limiting, "ADDRESSES", Path("/nowhere"))
    require_keepable(UNLIMITED)
    with pytest.raises(InvalidParameterError, match=r"limit of 2 s a cell: .* has no timer"):
        require_keepable(Limits(seconds=2))
    with pytest.raises(InvalidParameterError, match=r"limit of 8 MiB a cell: .*, or Linux$"):
        require_keepable(Limits(mebibytes=8))
