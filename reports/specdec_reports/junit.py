"""A run as JUnit XML, which CI servers show by name: one test case for each row of the summary.

The contract's examples and the checks on trial have a case each too.  A row with a failure is a
``failure``, one that is open an ``error``, since an inconclusive result is never a pass; both hold
the details that the run has kept, each with the line that reproduces it.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias
from xml.etree import ElementTree as ET

from specdec_verification.results import CheckResult, Run, SummaryRow, Verdict

NOT_IN_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML file may hold, not even escaped."""

ELEMENTS: Final = {Verdict.FAILED: "failure", Verdict.INCONCLUSIVE: "error"}

Key: TypeAlias = tuple[str, str, str, str]
"""What a row of the summary puts together: check, subject, claim and parameters."""


def junit(run: Run) -> str:
    """Return the run as JUnit XML."""
    suite = ET.Element("testsuite", name=f"specdec-verify {_clean(run.profile)}")
    suite.extend(_cases(run))
    counts = {"tests": len(suite), "failures": _count(suite, "failure")}
    for name, number in (counts | {"errors": _count(suite, "error"), "skipped": 0}).items():
        suite.set(name, str(number))
    suites = ET.Element("testsuites")
    suites.append(suite)
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _count(suite: ET.Element, element: str) -> int:
    return len(suite.findall(f"testcase/{element}"))


def _cases(run: Run) -> Iterator[ET.Element]:
    kept = _by_key(run.exceptions)
    for row in run.summary:
        yield _row_case(row, kept)
    for result in (*run.examples, *run.trials):
        name = f"{result.labels.subject} {result.labels.claim}"
        yield _case(result.check, name, result.verdict, _report(result))


def _row_case(row: SummaryRow, kept: Mapping[Key, Sequence[CheckResult]]) -> ET.Element:
    name = f"{row.subject} {row.claim} {row.parameters}"
    results = kept.get((row.check, row.subject, row.claim, row.parameters), ())
    counts = f"{row.passed} of {row.instances} passed, {row.failed} failed"
    return _case(row.check, name, _verdict(row), "\n".join([counts, *map(_report, results)]))


def _verdict(row: SummaryRow) -> Verdict:
    if row.failed:
        return Verdict.FAILED
    return Verdict.PASSED if row.passed == row.instances else Verdict.INCONCLUSIVE


def _case(check: str, name: str, verdict: Verdict, report: str) -> ET.Element:
    case = ET.Element("testcase", classname=f"specdec.{_clean(check)}", name=_clean(name))
    if verdict is not Verdict.PASSED:
        first = report.splitlines()[0]
        found = ET.SubElement(
            case, ELEMENTS[verdict], type=str(verdict), message=_clean(f"{verdict}: {first}")
        )
        found.text = _clean(report)
    return case


def _report(result: CheckResult) -> str:
    head = f"{result.verdict} {result.labels.instance}: {result.detail}"
    return f"{head}\n    {result.labels.reproduce}"


def _by_key(results: Sequence[CheckResult]) -> Mapping[Key, list[CheckResult]]:
    kept: dict[Key, list[CheckResult]] = defaultdict(list)
    for result in results:
        labels = result.labels
        kept[result.check, labels.subject, labels.claim, labels.parameters].append(result)
    return kept


def _clean(text: str) -> str:
    return NOT_IN_XML.sub("\ufffd", text)
