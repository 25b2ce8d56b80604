"""A whole run: every cell of a plan in order, and what they add up to."""

from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from typing import TypeAlias

from specdec_verification.plan import Section, run
from specdec_verification.results import CheckResult, Run, Verdict, summarise, worst
from specdec_verification.statistics.error_budget import ErrorBudget

OnResult: TypeAlias = Callable[[Section, CheckResult], None]
"""What is told of every result as it comes."""

EXAMPLES = "contract"
TRIALS = ("faults", "lookalikes")

MAX_EXCEPTIONS = 1000
"""Results that a report lists one by one; past it they are only counted."""


def run_plan(
    sections: Sequence[Section],
    profile: str,
    budget: ErrorBudget,
    on_result: OnResult,
) -> Run:
    """Run every cell, and return what they found together.

    Memory grows with the shapes and the failures, not with the cells.  An interrupt ends the run
    early: what was found is returned, and unless it failed already it is inconclusive.

    Parameters
    ----------
    sections : sequence of Section
        What to run, in this order.
    profile : str
        What the run is called.
    budget : ErrorBudget
        Of its statistical checks.
    on_result : callable
        Told of every result as it comes.
    """
    verdicts: set[Verdict] = set()
    instances = 0
    exceptions: list[CheckResult] = []
    apart: dict[str, list[CheckResult]] = {name: [] for name in (EXAMPLES, *TRIALS)}

    def summarised() -> Iterator[CheckResult]:
        nonlocal instances
        for result in _uninterrupted(sections, on_result, verdicts):
            # A walk that was cut short found no law.
            instances += result.check == "exact_law" and result.total_variation is not None
            if result.verdict is not Verdict.PASSED and len(exceptions) < MAX_EXCEPTIONS:
                exceptions.append(result)
            if result.check in apart:
                apart[result.check].append(result)
            else:
                yield result

    summary = summarise(summarised())
    return Run(
        version=version("specdec-verify"),
        profile=profile,
        verdict=worst(list(verdicts)),
        budget=str(budget),
        instances=instances,
        summary=summary,
        examples=tuple(apart[EXAMPLES]),
        trials=tuple(result for name in TRIALS for result in apart[name]),
        exceptions=tuple(exceptions),
    )


def _uninterrupted(
    sections: Sequence[Section], on_result: OnResult, verdicts: set[Verdict]
) -> Iterator[CheckResult]:
    """Yield the results until the end or an interrupt, and note every verdict."""
    try:
        for section, result in run(sections):
            on_result(section, result)
            verdicts.add(result.verdict)
            yield result
    except KeyboardInterrupt:
        verdicts.add(Verdict.INCONCLUSIVE)
