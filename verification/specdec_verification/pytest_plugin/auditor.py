"""What a test calls: `assert_lossless`, and the same and more by the `specdec` fixture."""

from collections.abc import Callable
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

from specdec_verification.pytest_plugin.recording import CURRENT, RunningTest

if TYPE_CHECKING:
    from specdec_core.instances import Instance
    from specdec_core.rules import Rule
    from specdec_verification.results import CheckResult
    from specdec_verification.subjects.cases import Case

    Subject: TypeAlias = Callable[..., Any] | Rule[Any]
    Given: TypeAlias = Instance | Case | str | PathLike[str] | None


def assert_lossless(subject: "Subject", instance: "Given" = None) -> None:
    """Fail unless the exact law of what a subject emits is its target's.

    Parameters
    ----------
    subject : callable or Rule
        A function of an instance, as ``specdec-verify audit`` takes it: it draws from `random`,
        numpy or torch, or from the ``draws``, ``rng`` or ``generator`` that its second parameter
        asks for, and returns the tokens that it emits.  Or a rule, which is judged by what it
        claims.
    instance : Instance, Case, path of a JSON file, or None
        What it is audited on; without one, some two dozen are chosen, or of a rule's shapes a
        hundred, and ten times as many under ``--specdec-profile full``.

    Raises
    ------
    AssertionError
        If the law differs, or too little is known of it; the message says where, by how much, and
        which known fault it is like.
    SpecdecError
        If the subject cannot be followed, or the instance cannot serve it.

    Examples
    --------
    >>> from specdec_core.sampling import sample
    >>> def step(instance, draws):
    ...     return [sample(instance.target(()), draws.uniform())]
    >>> assert_lossless(step)
    """
    __tracebackhide__ = True
    _assert_lossless(subject, instance, CURRENT.get() or RunningTest())


@dataclass(frozen=True, slots=True)
class Auditor:
    """What the `specdec` fixture is: audits on the account of one test, from any thread of it."""

    test: RunningTest = field(repr=False)

    def assert_lossless(self, subject: "Subject", instance: "Given" = None) -> None:
        """Fail as the function of this name does."""
        __tracebackhide__ = True
        _assert_lossless(subject, instance, self.test)

    def audit(self, subject: "Subject", instance: "Given" = None) -> "CheckResult":
        """Return the result that decides, whatever it is; it stands in the summary all the same."""
        from specdec_verification.pytest_plugin.auditing import audit

        return audit(subject, instance, self.test).result


def _assert_lossless(subject: "Subject", instance: "Given", test: RunningTest) -> None:
    __tracebackhide__ = True
    from specdec_core.errors import SpecdecError
    from specdec_verification.pytest_plugin.auditing import audit
    from specdec_verification.results import Verdict

    try:
        found = audit(subject, instance, test)
    except SpecdecError as error:
        # The message names the place in the subject; the engine's own frames say nothing more.
        raise error.with_traceback(None) from None
    if found.result.verdict is not Verdict.PASSED:
        from specdec_verification.pytest_plugin.messages import message_of  # not to pass

        raise AssertionError(message_of(found))
