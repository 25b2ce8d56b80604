import math
import re
from typing import Any

import pytest

from specdec_verification.pytest_plugin.settings import MARKER, Settings, marked


def mark(*arguments: Any, **keywords: Any) -> pytest.Mark:  # noqa: ANN401
    """Return a marker by a name that pytest knows: ours is known only to an installed plugin."""
    return pytest.mark.skip.with_args(*arguments, **keywords).mark


def test_without_a_marker_the_settings_stay() -> None:
    assert marked(Settings("full"), []) == Settings("full")


def test_the_closest_marker_wins_and_the_others_add() -> None:
    closest, module = mark(max_paths=5), mark(max_paths=9, max_seconds=0.5, profile="full")
    assert marked(Settings(), [closest, module]) == Settings("full", 5, 0.5)


def test_a_profile_is_a_number_of_times() -> None:
    assert (Settings("quick").times, Settings("full").times) == (1, 10)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("profile", "slow"),
        ("profile", 1),
        ("profile", ["quick"]),
        ("max_paths", 0),
        ("max_paths", 1.5),
        ("max_paths", True),
        ("max_paths", None),
        ("max_seconds", 0),
        ("max_seconds", math.nan),
        ("max_seconds", "1"),
    ],
)
def test_a_wrong_value_is_named(name: str, value: object) -> None:
    message = re.escape(f"{MARKER}: {name} is {value!r}, expected ")
    with pytest.raises(ValueError, match=message):
        marked(Settings(), [mark(**{name: value})])


def test_a_wrong_name_is_named() -> None:
    with pytest.raises(ValueError, match="got 'paths', expected keywords among profile, max_paths"):
        marked(Settings(), [mark(paths=3)])


def test_an_argument_needs_its_name() -> None:
    with pytest.raises(ValueError, match="got 'full' without a name, expected keywords"):
        marked(Settings(), [mark("full", 3)])
