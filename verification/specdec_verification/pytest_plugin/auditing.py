"""One audit on the account of a test: which instances, which check, and what decided.

The first audit imports this module, and with it the engine; the plugin's other modules do not.
"""

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from specdec_core.errors import InvalidParameterError, SpecdecError
from specdec_core.instances import Instance, read_instance
from specdec_core.rules import Rule
from specdec_grids.generated import RandomInstances
from specdec_verification.conformance import check_rule, instances_for
from specdec_verification.exact_count import check_exact_count
from specdec_verification.exact_law import check_exact_law, exact
from specdec_verification.pytest_plugin.recording import Audited, RunningTest
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict, worst
from specdec_verification.subjects.adapters import Program
from specdec_verification.subjects.auditing import audit_cases
from specdec_verification.subjects.cases import GENERATED, Case, cases
from specdec_verification.subjects.exact import DEFAULT, Execution


@dataclass(frozen=True, slots=True)
class Found:
    """What an audit found, and what is needed to say more about it.

    Attributes
    ----------
    subject : callable or Rule
        What was audited.
    audited : Audited
    case : Case or None
        Where it was decided; ``None`` if all instances agree.
    execution : Execution
        Of a function.
    given : bool
        Whether the test said on which instance.
    """

    subject: Program | Rule[Any]
    audited: Audited
    case: Case | None
    execution: Execution = DEFAULT
    given: bool = False

    @property
    def result(self) -> CheckResult:
        """The result that decided."""
        return self.audited.result


def audit(subject: Program | Rule[Any], given: object, test: RunningTest) -> Found:
    """Audit a subject, and put what was found on a test's account.

    Parameters
    ----------
    subject : callable or Rule
    given : Instance, Case, path, or None
        ``None`` for the instances that the test's profile chooses.
    test : RunningTest
        Its settings are followed.

    Raises
    ------
    InvalidParameterError
        If the subject is neither, or the instance none of those.
    SpecdecError
        If the subject cannot be followed, or the instance cannot serve it.  The test's account
        then has an inconclusive audit, which carries the message.
    """
    started = time.perf_counter()
    try:
        found = _audit(subject, given, test)
    except SpecdecError as error:
        labels = Labels(name_of(subject), "lossless", "", "", test.reproduce(name_of(subject)))
        result = _undecided(labels, str(error))
        test.audits.append(Audited(result, 0, 0, time.perf_counter() - started))
        raise
    audited = replace(found.audited, seconds=time.perf_counter() - started)
    test.audits.append(audited)
    return replace(found, audited=audited, given=given is not None)


def is_rule(subject: object) -> bool:
    """Return whether a subject is to be checked as a rule, and not called."""
    return hasattr(subject, "propose") and hasattr(subject, "verify")


def name_of(subject: object) -> str:
    """Return what a subject is called in its own file.

    >>> name_of(print), name_of(lambda instance: [0]), name_of([].append)
    ('print', '<lambda>', 'list.append')
    """
    if is_rule(subject) and isinstance(getattr(subject, "name", None), str):
        return str(subject.name)  # type: ignore[attr-defined]
    name = getattr(subject, "__qualname__", None) or type(subject).__qualname__
    return str(name).rpartition("<locals>.")[2]


def _audit(subject: Program | Rule[Any], given: object, test: RunningTest) -> Found:
    if is_rule(subject):
        return _audit_rule(subject, given, test)  # type: ignore[arg-type]
    if not callable(subject):
        raise InvalidParameterError(
            f"subject is {subject!r}, expected a function of an instance, or a rule"
        )
    return _audit_program(subject, given, test)


def _audit_program(program: Program, given: object, test: RunningTest) -> Found:
    settings, name = test.settings, name_of(program)
    chosen = list(cases(GENERATED * settings.times)) if given is None else [_case(given)]
    execution = Execution(
        max_paths=settings.max_paths or DEFAULT.max_paths,
        max_seconds=settings.max_seconds or math.inf,
    )

    def labels_of(case: Case | None) -> Labels:
        which, sizes = ("chosen", "") if case is None else (case.name, case.instance.label)
        return Labels(name, "lossless", which, sizes, test.reproduce(name))

    result = audit_cases(program, chosen, labels_of, execution)
    tried = [case.name for case in chosen]
    if result.verdict is Verdict.PASSED:
        return Found(program, Audited(result, len(tried), result.size, 0), None, execution)
    number = tried.index(result.labels.instance)
    return Found(program, Audited(result, number + 1, result.size, 0), chosen[number], execution)


def _audit_rule(rule: Rule[Any], given: object, test: RunningTest) -> Found:
    """Check a rule's law, and its counts where they are small; every instance is tried."""
    if isinstance(rule, type):
        raise InvalidParameterError(f"subject is the class {rule.__name__}, expected a rule of it")
    if test.settings.max_paths or test.settings.max_seconds:
        raise InvalidParameterError(
            f"max_paths and max_seconds limit functions, but {name_of(rule)} is a rule"
        )
    line = test.reproduce(name_of(rule))
    if given is None:
        size = instances_for(rule) * test.settings.times
        instances: list[Instance] = list(RandomInstances(rule, size))
        results = check_rule(rule, instances=size, reproduce=line)
    else:
        case = _case(given)
        instances = [case.instance]
        results = _checked(rule, case, line)
    return _decided(rule, instances, results)


def _checked(rule: Rule[Any], case: Case, line: str) -> tuple[CheckResult, ...]:
    claim = "lossless" if rule.lossless else "its own law"
    labels = Labels(rule.name, claim, case.name, case.instance.label, line)
    by_law = check_exact_law(rule, case.instance, labels)
    if by_law.verdict is not Verdict.PASSED or not exact(case.instance):
        return (by_law,)
    return by_law, check_exact_count(rule, case.instance, labels)


def _decided(rule: Rule[Any], instances: list[Instance], results: tuple[CheckResult, ...]) -> Found:
    verdict = worst([result.verdict for result in results])
    result = next(result for result in results if result.verdict is verdict)
    paths = sum(one.size for one in results if one.evidence is Evidence.EXACT_LAW)
    if verdict is Verdict.PASSED:
        detail = f"{len(results)} checks passed on {len(instances)} instances"
        result = replace(result, total_variation=_largest(results), size=paths, detail=detail)
        return Found(rule, Audited(result, len(instances), paths, 0), None)
    # Results come instance by instance, so the place of its name is the instance's number.
    names = list(dict.fromkeys(one.labels.instance for one in results))
    case = Case(result.labels.instance, instances[names.index(result.labels.instance)])
    return Found(rule, Audited(result, len(instances), paths, 0), case)


def _largest(results: Iterable[CheckResult]) -> Any:  # noqa: ANN401  (a fraction or a float)
    return max(result.total_variation or 0 for result in results)


def _case(given: object) -> Case:
    """Return what was given as an instance with a name."""
    if isinstance(given, Case):
        return given
    if isinstance(given, Instance):
        return Case("given", given)
    if isinstance(given, str | PathLike):
        return Case(str(given), read_instance(Path(given)))
    raise InvalidParameterError(
        f"instance is {given!r}, expected an Instance, a Case, or the path of a JSON file"
    )


def _undecided(labels: Labels, detail: str) -> CheckResult:
    return CheckResult(
        check="exact_law",
        labels=labels,
        verdict=Verdict.INCONCLUSIVE,
        evidence=Evidence.EXACT_LAW,
        total_variation=None,
        size=0,
        detail=detail,
    )
