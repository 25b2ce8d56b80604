"""The README's commands print what it says they print; its doctests are run by pytest itself."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from specdec_verification.faults.loop_catalogue import UNSEEN

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
COMMANDS = [
    tuple(part.split("\n", 1))
    for block in BLOCKS
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]
]


@pytest.mark.parametrize(
    ("command", "expected"), COMMANDS, ids=[command for command, _ in COMMANDS]
)
def test_a_command_prints_what_the_readme_says(command: str, expected: str) -> None:
    program, *arguments = shlex.split(command)
    assert program == "specdec-verify"
    ran = subprocess.run(
        [sys.executable, "-m", "specdec_verification.cli", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    beginning, dots, _ = expected.partition("...\n")
    assert ran.stderr == ""
    if dots:
        assert ran.stdout.startswith(beginning)
    else:
        assert ran.stdout == expected


def test_every_make_command_of_the_readme_is_a_target() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", README, re.M))
    assert {"verify", "test"} <= named <= targets


def test_every_file_that_the_readme_names_is_there() -> None:
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_what_nothing_can_see_is_in_the_readme() -> None:
    assert [unseen.seen for unseen in UNSEEN if f"| {unseen.seen} |" not in README] == []
