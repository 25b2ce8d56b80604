"""How far an exploration has come: a bar on a terminal, nothing elsewhere."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

Watch: TypeAlias = Callable[[int, float], None]
"""Told, after each path, how many there are and what part of the probability they cover."""


def unwatched(paths: int, covered: float) -> None:
    """Show nothing."""


@contextmanager
def watching(console: Console) -> Iterator[Watch]:
    """Yield what to tell of every path."""
    if not console.is_terminal:
        yield unwatched
        return
    shown = TextColumn("{task.fields[paths]} paths, {task.fields[rate]:.0f}/s")
    columns = (shown, BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=1.0, paths=0, rate=0.0)

        def watch(paths: int, covered: float) -> None:
            elapsed = bar.tasks[0].elapsed or 1.0
            bar.update(task, completed=covered, paths=paths, rate=paths / elapsed)

        yield watch
