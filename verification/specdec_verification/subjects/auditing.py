"""A program audited on one instance after another, up to the first that it fails."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance
from specdec_verification.results import CheckResult, Labels, Verdict
from specdec_verification.subjects.adapters import Program, audit_on
from specdec_verification.subjects.cases import Case, cases
from specdec_verification.subjects.exact import Execution

MAX_OPEN = 3
"""Cases without a verdict: a program that leaves as many open leaves the others open too."""


def audit_cases(
    program: Program,
    chosen: Iterable[Case],
    labels_of: Callable[[Case | None], Labels],
    execution: Execution,
    audit_one: Callable[[Program, Instance, Labels, Execution], CheckResult] = audit_on,
) -> CheckResult:
    """Return the first failure, else a result that is no pass, else one that stands for all.

    Parameters
    ----------
    program : callable
        Of any of the kinds in `adapters`.
    chosen : iterable of Case
        At least one.
    labels_of : callable
        From a case to what its result is called; from ``None``, what the result of all is.
    execution : Execution
        Of each case, but for the seconds, which are of all.
    audit_one : callable
        `audit_on`, or `audit_with_rows` for one whose failure is to name the rows.
    """
    results = list(audit_each(program, chosen, labels_of, execution, audit_one))
    return together(results, labels_of(None))


def audit_each(
    program: Program,
    chosen: Iterable[Case],
    labels_of: Callable[[Case | None], Labels],
    execution: Execution,
    audit_one: Callable[[Program, Instance, Labels, Execution], CheckResult] = audit_on,
) -> Iterator[CheckResult]:
    """Yield the results up to the first failure; parameters are those of `audit_cases`.

    A case without a verdict does not end it, for the next may fail; `MAX_OPEN` of them do.  The
    seconds of the execution are those of all cases together.
    """
    still_open, end = 0, execution.end
    for case in chosen:
        result = audit_one(program, case.instance, labels_of(case), execution.until(end))
        yield result
        still_open += result.verdict is Verdict.INCONCLUSIVE
        if result.verdict is Verdict.FAILED or still_open == MAX_OPEN:
            return


def together(results: Sequence[CheckResult], labels: Labels) -> CheckResult:
    """Return the failure, else the last result without a verdict, else one that stands for all."""
    for verdict in (Verdict.FAILED, Verdict.INCONCLUSIVE):
        for result in reversed(results):
            if result.verdict is verdict:
                return result
    return results[0] if len(results) == 1 else _together(results, labels)


def case_named(name: str) -> Case:
    """Return a chosen instance by its name.

    Raises
    ------
    InvalidParameterError
        If there is none of that name; the message lists them.
    """
    known = {case.name: case for case in cases()}
    if name not in known:
        names = ", ".join(sorted(known, key=_in_order))
        raise InvalidParameterError(f"no case {name!r}, expected one of {names}")
    return known[name]


def _in_order(name: str) -> tuple[str, int]:
    """Return what a name is sorted by: its number, if it has one, as a number."""
    kind, _, number = name.partition("/")
    return kind, int(number or 0)


def _together(results: Sequence[CheckResult], labels: Labels) -> CheckResult:
    size = sum(result.size for result in results)
    return replace(
        results[0],
        labels=labels,
        total_variation=max(result.total_variation or 0 for result in results),
        size=size,
        detail=f"every joint law within its rounding bound: {len(results)} instances, {size} paths",
    )
