"""A program audited on one instance after another, up to the first that it does not pass."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance
from specdec_verification.results import CheckResult, Labels, Verdict
from specdec_verification.subjects.adapters import Program, audit_on
from specdec_verification.subjects.cases import Case, cases
from specdec_verification.subjects.exact import Execution


def audit_cases(
    program: Program,
    chosen: Iterable[Case],
    labels_of: Callable[[Case | None], Labels],
    execution: Execution,
    audit_one: Callable[[Program, Instance, Labels, Execution], CheckResult] = audit_on,
) -> CheckResult:
    """Return the first result that is no pass, or one that stands for all of them.

    Parameters
    ----------
    program : callable
        Of any of the kinds in `adapters`.
    chosen : iterable of Case
        At least one.
    labels_of : callable
        From a case to what its result is called; from ``None``, what the result of all is.
    execution : Execution
        Of each case.
    audit_one : callable
        `audit_on`, or `audit_with_rows` for one whose failure is to name the rows.
    """
    results = []
    for case in chosen:
        result = audit_one(program, case.instance, labels_of(case), execution)
        if result.verdict is not Verdict.PASSED:
            return result
        results.append(result)
    return results[0] if len(results) == 1 else _together(results, labels_of(None))


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


def _together(results: list[CheckResult], labels: Labels) -> CheckResult:
    size = sum(result.size for result in results)
    return replace(
        results[0],
        labels=labels,
        total_variation=max(result.total_variation or 0 for result in results),
        size=size,
        detail=f"every joint law within its rounding bound: {len(results)} instances, {size} paths",
    )
