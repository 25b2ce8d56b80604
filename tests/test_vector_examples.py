"""Test vectors replayed in other languages: what is right passes, what is broken fails."""

import shutil
import subprocess
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


@needs_cc
def test_c_refuses_half_a_file(vectors: Path, tmp_path: Path) -> None:
    half = tmp_path / "half.json"
    half.write_bytes(vectors.read_bytes()[:1000])
    assert _run(_compiled(tmp_path), half).returncode == 2


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


@needs_node
def test_javascript_refuses_a_file_that_was_changed(vectors: Path, tmp_path: Path) -> None:
    shutil.copytree(vectors.parent, tmp_path, dirs_exist_ok=True)
    changed = tmp_path / vectors.name
    changed.write_text(changed.read_text() + "\n")
    ran = _run("node", EXAMPLES / "vectors_javascript" / "replay.mjs", changed)
    assert ran.returncode == 2
