"""What the pages say: their commands print what stands there, their files do what is said of them.

Doctests of the pages are run by pytest itself.  A block with a title is a file; the commands of a
page are run in order, in a folder that holds its files.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from specdec_verification.faults.loop_catalogue import UNSEEN

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {
    path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md"))
}
PROGRAMS = {"specdec-verify": ["-m", "specdec_verification.cli"], "python": []}


def commands(page: str) -> list[tuple[str, str]]:
    """Return the commands of a page, each with what it is said to print."""
    blocks = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    lines = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.M)[1:]]
    return [(command, printed) for command, _, printed in (one.partition("\n") for one in lines)]


def files(page: str) -> dict[str, str]:
    """Return the files of a page: the blocks that have a title."""
    return dict(re.findall(r'```\w+ title="([^"]+)"\n(.*?)```', page, re.DOTALL))


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    program, *arguments = shlex.split(command)
    line = [sys.executable, *PROGRAMS[program], *arguments]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)


def require_printed(expected: str, printed: str) -> None:
    """Require what a page says, in this order; a line of dots stands for any lines."""
    first, *then = re.split(r"^\.\.\.\n", expected, flags=re.M)
    if not then:
        assert printed == expected
        return
    assert printed.startswith(first)
    rest = printed[len(first) :]
    for part in then:
        assert part in rest
        rest = rest[rest.index(part) + len(part) :]
    if then[-1]:
        assert rest == ""


@pytest.mark.parametrize(("command", "expected"), commands(README), ids=str)
def test_a_command_prints_what_the_readme_says(command: str, expected: str) -> None:
    ran = run(command, ROOT)
    assert ran.stderr == ""
    require_printed(expected, ran.stdout)


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_a_page_says_what_happens(page: str, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for name, text in files(page).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for command, expected in commands(page):
        ran = run(command, tmp_path)
        assert ran.stderr == ""
        require_printed(expected, ran.stdout)
    tests = [name for name in files(page) if name.startswith("test_")]
    if tests:
        ran = run(shlex.join(["python", "-m", "pytest", "-q", *tests]), tmp_path)
        assert ran.returncode == 0, ran.stdout


def test_every_make_command_of_the_readme_is_a_target() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", README, re.M))
    assert {"verify", "test"} <= named <= targets


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{name}" for name in PAGES)])
def test_every_file_that_a_page_names_is_there(page: str) -> None:
    place = ROOT / page
    links = re.findall(r"\]\(([^)#:]+)\)", place.read_text(encoding="utf-8"))
    assert [link for link in links if not (place.parent / link).exists()] == []


def test_every_page_is_in_the_site() -> None:
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert [name for name in PAGES if not re.search(rf"\b{re.escape(name)}$", site, re.M)] == []


def test_what_nothing_can_see_is_in_the_readme() -> None:
    assert [unseen.seen for unseen in UNSEEN if f"| {unseen.seen} |" not in README] == []
