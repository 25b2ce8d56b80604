"""How far a run has come: a bar on a terminal, a line a section that is complete elsewhere."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

from specdec_verification.plan import Section
from specdec_verification.results import CheckResult, Verdict
from specdec_verification.runner import OnResult


@contextmanager
def progress(sections: Sequence[Section], console: Console) -> Iterator[OnResult]:
    """Yield what to tell of every result."""
    if console.is_terminal:
        with _bar(console) as bar:
            yield _on_bar(bar, sum(section.size for section in sections))
    else:
        yield _on_lines(console)


def _bar(console: Console) -> Progress:
    columns = (MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    return Progress(*Progress.get_default_columns()[:2], *columns, console=console)


def _on_bar(bar: Progress, total: int) -> OnResult:
    task = bar.add_task("starting", total=total)

    def on_result(section: Section, result: CheckResult) -> None:
        bar.update(task, advance=1, description=section.name)
        if result.verdict is not Verdict.PASSED:
            bar.console.print(f"{result.verdict} {result.labels.reproduce}", soft_wrap=True)

    return on_result


def _on_lines(console: Console) -> OnResult:
    ended: defaultdict[str, Counter[Verdict]] = defaultdict(Counter)

    def on_result(section: Section, result: CheckResult) -> None:
        verdicts = ended[section.name]
        verdicts[result.verdict] += 1
        if verdicts.total() == section.size:
            # Told in one order, whichever cell ended first.
            found = ", ".join(f"{verdicts[one]} {one.lower()}" for one in Verdict if verdicts[one])
            console.print(f"{section.name}: {found}", soft_wrap=True, highlight=False)
            del ended[section.name]

    return on_result
