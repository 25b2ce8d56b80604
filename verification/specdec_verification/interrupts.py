"""Ctrl-C: what was found until then is a result, and what was not is inconclusive.

Work that goes case by case ends with a result that says so (`until_interrupted`).  Work that goes
batch by batch asks, before each, whether it was told to stop (`first_interrupt`), so that no batch
is counted in part.

Not here: runs of a plan, which keep their own books (see `runner`).
"""

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from specdec_verification.results import CheckResult, Evidence, Labels, Verdict

Item = TypeVar("Item")


def until_interrupted(items: Iterable[Item], instead: Callable[[int], Item]) -> Iterator[Item]:
    """Yield items; if their making is interrupted, one more in the place of those that lack.

    Parameters
    ----------
    items : iterable
        Made as they are asked for.
    instead : callable
        From how many there were to the last one.
    """
    made = 0
    try:
        for item in items:
            made += 1
            yield item
    except KeyboardInterrupt:
        yield instead(made)


def interrupted(labels: Labels, check: str = "exact_law") -> CheckResult:
    """Return the result of what was interrupted before it had one."""
    return CheckResult(
        check=check,
        labels=labels,
        verdict=Verdict.INCONCLUSIVE,
        evidence=Evidence.EXACT_LAW,
        total_variation=None,
        size=0,
        detail="interrupted before a verdict",
    )


@contextmanager
def first_interrupt(tell: Callable[[], None]) -> Iterator[Callable[[], bool]]:
    """Yield whether Ctrl-C was pressed: the first is only noted, a second one interrupts as ever.

    Elsewhere than in the main thread, where no signal arrives, it never was; nor is it where the
    process was started to ignore it, as a job in the background is.

    Parameters
    ----------
    tell : callable
        Called once, when it is pressed.
    """
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if ignored or threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    pressed = False

    def note(number: int, frame: object) -> None:
        nonlocal pressed
        pressed = True
        signal.signal(signal.SIGINT, before)
        tell()

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)
