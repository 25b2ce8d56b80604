"""Subjects that come with this package: published code, audited case by case."""

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec

from specdec_core.errors import InvalidParameterError
from specdec_verification.results import CheckResult

BUILT_IN = {"transformers": "specdec_verification.subjects.transformers_cases"}
"""From what a subject is called, which is the package that it needs, to where its cases are."""


@dataclass(frozen=True, slots=True)
class BuiltInCase:
    """One thing that is audited.

    Attributes
    ----------
    name : str
    check : callable
        Does it.
    """

    name: str
    check: Callable[[], CheckResult]


def cases_of(subject: str, only: str | None = None) -> Iterator[BuiltInCase]:
    """Return a built-in subject's cases, or the one of that name.

    Raises
    ------
    InvalidParameterError
        If what the subject needs is not installed, or no case has the name.
    """
    if find_spec(subject) is None:
        raise InvalidParameterError(
            f"{subject} is not installed: pip install 'specdec-verify[{subject}]'"
        )
    found = importlib.import_module(BUILT_IN[subject]).cases()
    chosen = [case for case in found if only in (None, case.name)]
    if not chosen:
        raise InvalidParameterError(f"{subject} has no case {only!r}; without one all are run")
    return iter(chosen)
