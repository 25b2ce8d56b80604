"""What the audits of one test found, kept until its report is made.

The audits of one subject in one test count as one: a property of Hypothesis makes hundreds.  What
travels with the report is a list of strings and numbers, since pytest-xdist sends it from one
process to another.
"""

import shlex
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specdec_verification.pytest_plugin.settings import QUICK, Settings

if TYPE_CHECKING:
    from specdec_verification.results import CheckResult


@dataclass(frozen=True, slots=True)
class Audited:
    """What one audit found.

    Attributes
    ----------
    result : CheckResult
        The one that decided.
    instances, paths : int
        How many were taken, and followed.
    seconds : float
    """

    result: "CheckResult"
    instances: int
    paths: int
    seconds: float


@dataclass(frozen=True, slots=True)
class AuditLine:
    """What all audits of one subject in one test found, in words and numbers.

    Attributes
    ----------
    test, subject, instance : str
        The test's node id, what was audited, and the instance that decided.
    verdict, evidence, detail : str
        As in `CheckResult`, of the worst result.
    total_variation : str
        The greatest of those with that verdict; empty if there is none.
    instances, paths : int
    seconds : float
    """

    test: str
    subject: str
    instance: str
    verdict: str
    evidence: str
    detail: str
    total_variation: str
    instances: int
    paths: int
    seconds: float


@dataclass(slots=True)
class RunningTest:
    """A test while it runs: how it is to be audited, and what was.

    Attributes
    ----------
    nodeid : str
        Empty outside of pytest.
    settings : Settings
    audits : list of Audited
        In the order in which they ended.
    """

    nodeid: str = ""
    settings: Settings = QUICK
    audits: list[Audited] = field(default_factory=list)

    def reproduce(self, subject: str) -> str:
        """Return the line that makes the test's audits again."""
        if not self.nodeid:
            return f"assert_lossless({subject})"
        profile = self.settings.profile
        return f"python -m pytest {shlex.quote(self.nodeid)} --specdec-profile {profile}"


CURRENT: ContextVar[RunningTest | None] = ContextVar("specdec_current_test", default=None)
"""The test that this process is running."""


def lines_of(test: RunningTest) -> list[AuditLine]:
    """Return a line for each subject of a test, in the order in which they first came."""
    by_subject: dict[str, list[Audited]] = {}
    for audited in test.audits:
        by_subject.setdefault(audited.result.labels.subject, []).append(audited)
    return [_line(test.nodeid, audits) for audits in by_subject.values()]


def properties_of(lines: list[AuditLine]) -> list[tuple[str, object]]:
    """Return the JUnit properties of a test; those of a second subject end in ``_2``, and so on."""
    return [
        (f"{PROPERTY}{name}{'' if number == 1 else f'_{number}'}", getattr(line, name))
        for number, line in enumerate(lines, start=1)
        for name in _PROPERTIES
    ]


PROPERTY = "specdec_"
_PROPERTIES = ("subject", "verdict", "total_variation", "evidence", "instances", "paths")


def _line(nodeid: str, audits: list[Audited]) -> AuditLine:
    from specdec_verification.results import worst

    verdict = worst([audited.result.verdict for audited in audits])
    deciding = [audited.result for audited in audits if audited.result.verdict is verdict]
    distances = [
        result.total_variation for result in deciding if result.total_variation is not None
    ]
    first = deciding[0]
    return AuditLine(
        test=nodeid,
        subject=first.labels.subject,
        instance=first.labels.instance,
        verdict=str(verdict),
        evidence=str(first.evidence),
        detail=first.detail,
        total_variation=shown_distance(max(distances)) if distances else "",
        instances=sum(audited.instances for audited in audits),
        paths=sum(audited.paths for audited in audits),
        seconds=sum(audited.seconds for audited in audits),
    )


def shown_distance(distance: object) -> str:
    """Return a total variation as itself if it is a fraction, else to six digits."""
    return f"{distance:.6g}" if isinstance(distance, float) else str(distance)
