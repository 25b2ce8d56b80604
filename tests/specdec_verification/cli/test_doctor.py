"""`specdec-verify doctor`: what is there, and how to get what is not."""

import json
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from typing import Any

import pytest

from specdec_verification.cli import doctor


def test_what_is_there_stands_with_its_version(command: Callable[..., Any]) -> None:
    ended = command("doctor")
    (line,) = [line for line in ended.out.splitlines() if line.startswith("numpy ")]
    assert (ended.code, line.split()[-1]) == (0, doctor.version("numpy"))


def test_what_is_missing_stands_with_how_to_get_it(
    command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def version(name: str) -> str:
        if name == "specdec-verify":
            return "1.0"
        raise PackageNotFoundError(name)

    monkeypatch.setattr(doctor, "version", version)
    found = json.loads(command("doctor", "--json").out)
    missing = {part["name"]: part["get"] for part in found["parts"] if not part["found"]}
    assert missing["torch"] == "pip install 'specdec-verify[torch]'"
