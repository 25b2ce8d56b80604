"""What the command line and the marker of a test say about its audits."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

MARKER = "specdec_lossless"

PROFILES = {"quick": 1, "full": 10}
"""Times the instances that ``specdec-verify audit`` and ``check`` take."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How the audits of a test are made.

    Attributes
    ----------
    profile : str
        One of `PROFILES`: on how many instances, where none is given.
    max_paths : int or None
        Paths to follow at most on one instance; ``None`` is the command's own limit.
    max_seconds : float or None
        Seconds after which to start no further path on one instance, of a function that draws
        from its own library; ``None`` is no limit.
    """

    profile: str = "quick"
    max_paths: int | None = None
    max_seconds: float | None = None

    @property
    def times(self) -> int:
        """Times the command's instances."""
        return PROFILES[self.profile]


QUICK = Settings()
"""Where nothing is said."""


def marked(settings: Settings, marks: Iterable[pytest.Mark]) -> Settings:
    """Return the settings with what the markers of a test say, the closest marker first.

    Raises
    ------
    ValueError
        If a marker has an argument that it does not take; the message says which it takes.
    """
    for mark in reversed(list(marks)):
        settings = replace(settings, **_checked(mark.args, mark.kwargs))
    return settings


def _checked(positional: tuple[Any, ...], keywords: Mapping[str, Any]) -> Mapping[str, Any]:
    if positional:
        raise ValueError(_message(f"got {positional[0]!r} without a name"))
    for name, value in keywords.items():
        if name not in _EXPECTED:
            raise ValueError(_message(f"got {name!r}"))
        if not _valid(name, value):
            raise ValueError(f"{MARKER}: {name} is {value!r}, expected {_EXPECTED[name]}")
    return keywords


_EXPECTED = {
    "profile": " or ".join(map(repr, PROFILES)),
    "max_paths": "an integer of at least 1",
    "max_seconds": "a number above 0",
}


def _message(came: str) -> str:
    return f"{MARKER}: {came}, expected keywords among {', '.join(_EXPECTED)}"


def _valid(name: str, value: Any) -> bool:  # noqa: ANN401  (whatever stands in the marker)
    if name == "profile":
        return isinstance(value, str) and value in PROFILES
    if isinstance(value, bool) or not isinstance(
        value, int if name == "max_paths" else int | float
    ):
        return False
    return value >= 1 if name == "max_paths" else value > 0 and not math.isnan(value)
