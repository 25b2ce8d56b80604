"""Results added up: what a run of any length keeps of its checks, and what is a run by itself.

Not here: the rows themselves (`specdec_verification.results`), nor how they are shown.
"""

from collections.abc import Iterable, Sequence
from importlib.metadata import version

from specdec_verification.results import CheckResult, Run, SummaryRow, Verdict, worst

MAX_EXCEPTIONS = 1000
"""Results that are listed one by one; past it they are only counted."""


def run_of(results: Sequence[CheckResult], profile: str, budget: str) -> Run:
    """Return a few results as a run, so that every report can be made of them.

    Parameters
    ----------
    results : sequence of CheckResult
    profile : str
        Which command found them.
    budget : str
        What they risk, all together.

    Examples
    --------
    >>> run_of([], "audit", "nothing is risked").verdict
    <Verdict.INCONCLUSIVE: 'INCONCLUSIVE'>
    """
    exceptions = [result for result in results if result.verdict is not Verdict.PASSED]
    laws = [result for result in results if result.check == "exact_law"]
    return Run(
        version=version("specdec-verify"),
        profile=profile,
        verdict=worst([result.verdict for result in results]),
        budget=budget,
        instances=sum(result.total_variation is not None for result in laws),
        summary=summarise(results),
        examples=(),
        trials=(),
        exceptions=tuple(exceptions[:MAX_EXCEPTIONS]),
    )


def summarise(results: Iterable[CheckResult]) -> tuple[SummaryRow, ...]:
    """Add results up, by check, subject, claim and parameters, in order of first appearance."""
    rows: dict[tuple[str, ...], SummaryRow] = {}
    for result in results:
        key = key_of(result)
        rows[key] = added(rows.get(key) or empty_row(result), result)
    return tuple(rows.values())


def key_of(result: CheckResult) -> tuple[str, str, str, str]:
    """Return what tells the row of a result from all others."""
    labels = result.labels
    return result.check, labels.subject, labels.claim, labels.parameters


def empty_row(result: CheckResult) -> SummaryRow:
    """Return the row of a result with nothing in it yet."""
    return SummaryRow(*key_of(result), result.evidence, 0, 0, 0, 0, 0, 0.0)


def added(row: SummaryRow, result: CheckResult) -> SummaryRow:
    """Return a row with one more result in it."""
    return SummaryRow(
        row.check,
        row.subject,
        row.claim,
        row.parameters,
        row.evidence,
        instances=row.instances + 1,
        passed=row.passed + (result.verdict is Verdict.PASSED),
        failed=row.failed + (result.verdict is Verdict.FAILED),
        inconclusive=row.inconclusive + (result.verdict is Verdict.INCONCLUSIVE),
        size=row.size + result.size,
        largest_tv=max(row.largest_tv, float(result.total_variation or 0)),
    )
