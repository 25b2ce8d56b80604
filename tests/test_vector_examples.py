"""Test vectors replayed in other languages: what is right passes, what is broken fails."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from specdec_core.rules import rule_named
from specdec_verification.vectors.writing import write_vectors

EXAMPLES = Path(__file__).parent.parent / "examples"
needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_vectors(rule_named("token_rejection_bonus"), tmp_path_factory.mktemp("vectors"))


def _run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _compiled(folder: Path, *options: str) -> Path:
    sources = sorted((EXAMPLES / "vectors_c").glob("*.c"))
    strict = ("-std=c11", "-Wall", "-Wextra", "-Werror")
    built = _run("cc", *strict, *options, "-o", folder / "replay", *sources)
    assert not built.returncode, built.stderr
    return folder / "replay"


@needs_cc
@pytest.mark.parametrize("options", [("-O0",), ("-O2",)], ids=["O0", "O2"])
def test_c_passes(vectors: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    ran = _run(_compiled(tmp_path, *options), vectors)
    assert (ran.returncode, ran.stdout.endswith(" vectors, 0 wrong\n")) == (0, True)


@needs_cc
def test_c_with_a_slip_fails(vectors: Path, tmp_path: Path) -> None:
    ran = _run(_compiled(tmp_path, "-DSLIP"), vectors)
    assert (ran.returncode, ran.stdout.endswith(" 0 wrong\n")) == (1, False)


@needs_node
def test_javascript_passes(vectors: Path) -> None:
    ran = _run("node", EXAMPLES / "vectors_javascript" / "replay.mjs", vectors)
    assert (ran.returncode, ran.stdout.endswith(" vectors, 0 wrong\n")) == (0, True)


@needs_node
def test_javascript_that_accepts_at_equality_fails(vectors: Path) -> None:
    """A fault of probability zero: only vectors on a threshold can tell."""
    program = EXAMPLES / "vectors_javascript" / "replay.mjs"
    ran = _run("node", program, vectors, "verifyWithSlip")
    assert (ran.returncode, ran.stdout.endswith(" 0 wrong\n")) == (1, False)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str | Path, ...]]:
    """Return the commands that replay a file: those that can be run here."""
    found: list[tuple[str | Path, ...]] = []
    if shutil.which("cc"):
        found.append((_compiled(tmp_path_factory.mktemp("c")),))
    if shutil.which("node"):
        found.append(("node", EXAMPLES / "vectors_javascript" / "replay.mjs"))
    return found


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:1000])


def _longer(path: Path) -> None:
    path.write_text(path.read_text() + "\n")


def _without_sums(path: Path) -> None:
    path.with_name("SHA256SUMS").unlink()


@pytest.mark.parametrize("change", [_cut, _longer, _without_sums])
def test_a_file_that_was_changed_is_refused(
    vectors: Path,
    tmp_path: Path,
    programs: list[tuple[str | Path, ...]],
    change: Callable[[Path], None],
) -> None:
    """And never taken for vectors that come out wrong, which is what the exit code 1 says."""
    shutil.copytree(vectors.parent, tmp_path, dirs_exist_ok=True)
    changed = tmp_path / vectors.name
    change(changed)
    assert [_run(*program, changed).returncode for program in programs] == [2] * len(programs)


def test_vectors_of_another_rule_are_refused(
    tmp_path: Path, programs: list[tuple[str | Path, ...]]
) -> None:
    """Those of trees have other keys, and those of `token_rejection` other tokens."""
    for name in ("token_rejection", "sequoia"):
        path = write_vectors(rule_named(name), tmp_path, instances=1)
        assert [_run(*program, path).returncode for program in programs] == [2] * len(programs)
