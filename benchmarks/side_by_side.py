"""Timing of several tasks side by side: each in turn, again and again, and the medians.

Alternating shares out whatever else the machine does, so that the ratio of two medians of one run
means something even where the seconds do not.
"""

from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter


def median_seconds(tasks: Sequence[Callable[[], object]], repeats: int) -> list[float]:
    """Return the median time of each task over so many alternating repeats."""
    times: list[list[float]] = [[] for _ in tasks]
    for _ in range(repeats):
        for task, seconds in zip(tasks, times, strict=True):
            start = perf_counter()
            task()
            seconds.append(perf_counter() - start)
    return [median(seconds) for seconds in times]
